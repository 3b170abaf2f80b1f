// kb_import: documents that kb_export wrote, each as a whole or not at all.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tools/files.h"
#include "tools/kb_archive.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxTold = 100;  // problems
constexpr size_t kMaxParts = 100'000;
constexpr size_t kBatchDocuments = 256;    // that are written at once …
constexpr size_t kBatchBytes = 16u << 20;  // … or so many bytes

struct KbImportInput {
  std::string file;
  KbConflict on_conflict = KbConflict::error;

  static constexpr auto schema() {
    return object(
        "Read documents with all their versions from a file, or a folder of files, that kb_export "
        "wrote. Each document is taken as a whole or not at all; one that is there as it is in the "
        "file is left alone, so that reading a file again changes nothing.",
        arg<&KbImportInput::file>("File or folder of the workspace").file().min_length(1),
        opt<&KbImportInput::on_conflict>(
            "Another document of the same path: error leaves it, overwrite adds the latest version "
            "of the file to it"));
  }
};

struct KbImportOutput {
  std::int64_t imported = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  std::vector<std::string> problems;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object("What was read.", arg<&KbImportOutput::imported>("Documents"),
                  arg<&KbImportOutput::unchanged>("Documents that were there"),
                  arg<&KbImportOutput::failed>("Documents and lines that were not taken"),
                  arg<&KbImportOutput::problems>("Why, the first hundred"));
  }
  std::string text() const {
    std::string out;
    for (const std::string& each : problems) out += "not taken: " + escape_for_display(each) + "\n";
    return out +
           fmt::format("{} imported, {} unchanged, {} not taken\n", imported, unchanged, failed);
  }
  void add_problem(std::string problem) {
    ++failed;
    is_partial = true;
    if (problems.size() < kMaxTold) problems.push_back(std::move(problem));
  }
};

// Gathers the versions of one document after the other.
class Importer {
 public:
  Importer(const KbImportInput& in, store::Documents& documents, KbImportOutput& out)
      : in_(in), documents_(documents), out_(out) {}

  // Fails when nothing more can be written.
  Result<void> add(std::string_view text, const std::string& place) {
    Result<ArchiveLine> line = from_line(text);
    if (!line) {
      out_.add_problem(fmt::format("{}: {}", place, line.error().message));
      return {};
    }
    if (!lines_.empty() && lines_.front().version.path != line->version.path) end_document();
    bytes_ += line->content.size();
    lines_.push_back(std::move(*line));
    while (bytes_ > kMaxArchivedDocument) {
      std::string& oldest = lines_[too_old_++].content;
      bytes_ -= oldest.size();
      oldest = std::string();
    }
    return lines_.size() == lines_.back().versions ? finish() : Result<void>();
  }
  // No more versions of it follow.
  void end_document() {
    if (!lines_.empty())
      out_.add_problem(fmt::format("{}: {} of its {} versions are there",
                                   lines_.front().version.path, lines_.size(),
                                   lines_.front().versions));
    lines_.clear();
    bytes_ = too_old_ = 0;
  }

  // What was gathered is in the store.
  Result<void> flush() {
    std::vector<store::Draft> drafts;
    for (const ArchiveLine& line : new_) drafts.push_back({line.version, line.content});
    const Result<void> restored = documents_.restore(drafts);
    if (restored) {
      out_.imported += static_cast<std::int64_t>(new_documents_);
    } else if (restored.error().code == Code::unavailable) {
      return restored.error();
    } else {
      restore_one_by_one(drafts);
    }
    new_.clear();
    new_documents_ = new_bytes_ = 0;
    return {};
  }

 private:
  Result<void> finish() {
    std::vector<ArchiveLine> lines = std::exchange(lines_, {});
    const size_t bytes = std::exchange(bytes_, 0);
    const std::string path = lines.front().version.path;
    if (const size_t too_old = std::exchange(too_old_, 0); too_old > 0) {
      lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(too_old));
      out_.add_problem(fmt::format("{}: its oldest versions ({}), as it has more than {}", path,
                                   too_old, human_size(kMaxArchivedDocument)));
    }
    const Result<Taken> taken = take(lines);
    if (!taken && taken.error().code == Code::unavailable) return taken.error();
    if (!taken) {
      out_.add_problem(fmt::format("{}: {}", path, taken.error().message));
      return {};
    }
    if (*taken == Taken::unchanged) ++out_.unchanged;
    if (*taken == Taken::added) ++out_.imported;
    if (*taken != Taken::is_new) return {};
    std::ranges::move(lines, std::back_inserter(new_));
    new_bytes_ += bytes;
    return ++new_documents_ < kBatchDocuments && new_bytes_ < kBatchBytes ? Result<void>()
                                                                          : flush();
  }

  enum class Taken : unsigned char { unchanged, added, is_new };
  Result<Taken> take(const std::vector<ArchiveLine>& lines) {
    const store::DocumentVersion& last = lines.back().version;
    const Result<std::vector<store::DocumentVersion>> found = documents_.versions(last.path, 1);
    if (!found)
      return found.error().code == Code::not_found ? Result<Taken>(Taken::is_new) : found.error();
    const store::DocumentVersion& now = found->front();
    if (now.hash == last.hash && now.is_removed == last.is_removed &&
        (now.number == last.number || in_.on_conflict == KbConflict::overwrite))
      return Taken::unchanged;
    if (in_.on_conflict == KbConflict::error)
      return Error{Code::conflict, "there is another document of this path",
                   "on_conflict=overwrite adds a version to it"};
    store::DocumentVersion added = last;
    added.source = {.kind = "import", .from = fmt::format("version {}", last.number)};
    TRY(store::write_document(documents_, {added, lines.back().content}));
    return Taken::added;
  }

  // One of them cannot be: the others are not to suffer for it.
  void restore_one_by_one(std::span<const store::Draft> drafts) {
    while (!drafts.empty()) {
      const std::string& path = drafts.front().version.path;
      const auto end = std::ranges::find_if(
          drafts, [&](const store::Draft& draft) { return draft.version.path != path; });
      const auto count = static_cast<size_t>(end - drafts.begin());
      if (const Result<void> restored = documents_.restore(drafts.first(count)))
        ++out_.imported;
      else
        out_.add_problem(fmt::format("{}: {}", path, restored.error().message));
      drafts = drafts.subspan(count);
    }
  }

  const KbImportInput& in_;
  store::Documents& documents_;
  KbImportOutput& out_;
  std::vector<ArchiveLine> lines_;  // of the document that is read
  size_t bytes_ = 0;                // of their contents …
  size_t too_old_ = 0;              // … without these first ones
  std::vector<ArchiveLine> new_;    // of documents that are not there yet
  size_t new_documents_ = 0, new_bytes_ = 0;
};

// Whether all is there that was written. A folder may hold several archives, one after the other.
class Completeness {
 public:
  explicit Completeness(KbImportOutput& out) : out_(out) {}

  void add_part(std::string name) {
    ++seen_.parts;
    part_ = std::move(name);
  }
  void add_line() { ++seen_.versions; }
  void end(const ArchiveEnd& end) {
    if (end.parts != seen_.parts)
      out_.add_problem(
          fmt::format("{}: it was written in {} parts, and {} are there: documents are missing",
                      part_, end.parts, seen_.parts));
    else if (end.versions != seen_.versions)
      out_.add_problem(
          fmt::format("{}: {} versions were written, and {} are there: documents are missing",
                      part_, end.versions, seen_.versions));
    seen_ = {};
  }
  // No more parts follow.
  void finish() {
    if (seen_.parts > 0 || seen_.versions > 0)
      out_.add_problem(fmt::format("{}: its end is missing, and documents may be with it", part_));
  }

 private:
  KbImportOutput& out_;
  ArchiveEnd seen_;  // since the last end
  std::string part_;
};

Result<std::vector<std::string>> parts_of(const std::string& file,
                                          const workspace::Workspace& files, Context& context) {
  if (!files.open_directory(file)) return std::vector<std::string>{file};
  const workspace::Listing listing =
      TRY(files.list(file, {.limit = kMaxParts, .stop = context.stop}));
  std::vector<std::string> parts;
  for (const workspace::Entry& entry : listing.entries) {
    if (entry.kind == sys::FileKind::file && entry.path.ends_with(".jsonl"))
      parts.push_back(file + "/" + entry.path);
  }
  std::ranges::sort(parts);
  if (!parts.empty()) return parts;
  return Error{Code::not_found, fmt::format("'{}' has no .jsonl files", escape_for_display(file)),
               "kb_export writes them", "not_an_archive"};
}

Result<KbImportOutput> kb_import(const KbImportInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const workspace::Workspace& files = *TRY(need_files(context, "kb_import"));
  const std::vector<std::string> parts = TRY(parts_of(in.file, files, context));
  KbImportOutput out;
  Importer importer(in, *documents, out);
  Completeness completeness(out);
  for (size_t i = 0; i < parts.size(); ++i) {
    const workspace::Snapshot part = TRY(files.read_whole(parts[i], store::kMaxDocumentBytes));
    const std::string shown = files.display(parts[i]);
    std::string_view rest = part.content;
    if (rest.empty()) TRY(check_header(rest));
    completeness.add_part(shown);
    for (size_t number = 1; !rest.empty(); ++number) {
      TRY(context.checkpoint());
      const size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, length);
      rest.remove_prefix(std::min(length + 1, rest.size()));
      if (number == 1) {
        TRY(check_header(line));
        continue;
      }
      context.progress(static_cast<double>(i), static_cast<double>(parts.size()), parts[i]);
      if (const std::optional<ArchiveEnd> end = end_in(line)) {
        completeness.end(*end);
        // Another archive may have the same documents.
        importer.end_document();
        TRY(importer.flush());
        continue;
      }
      completeness.add_line();
      TRY(importer.add(line, fmt::format("{}:{}", shown, number)));
    }
  }
  completeness.finish();
  importer.end_document();
  TRY(importer.flush());
  return out;
}

}  // namespace

Tool tool_kb_import() {
  return make_tool({.name = "kb_import",
                    .group = "kb",
                    .title = "Import documents",
                    .effect = Effect::write,
                    .idempotent = true,
                    .subject = {"file"},
                    .examples = {{"What was exported", R"({"file": "kb.jsonl"})"}}},
                   kb_import);
}

}  // namespace helve::tools
