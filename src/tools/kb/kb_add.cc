// kb_add: takes files, stored results and texts into the knowledge store.
#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "tool/services.h"
#include "tools/files.h"
#include "tools/kb_document.h"
#include "tools/kb_intake.h"

namespace helve::tools {
namespace {

constexpr size_t kBatchDocuments = 256;    // that are written at once …
constexpr size_t kBatchBytes = 16u << 20;  // … or so many bytes
constexpr int kMaxAttempts = 20;           // while others write the same documents
constexpr size_t kMaxTold = 100;           // documents, and files that were left out

struct KbAddInput {
  std::optional<std::string> source;
  std::optional<std::string> path;
  std::optional<std::string> content;
  std::optional<std::string> change_note;

  static constexpr auto schema() {
    return object(
        "Take files of the workspace, a stored result or a text into the knowledge store. Each "
        "file becomes a document; HTML, PDFs and notebooks are converted to text. What is there "
        "already and has not changed is left alone, otherwise it gets a new version. Documents "
        "that were edited since are only replaced by a file that is named alone.",
        opt<&KbAddInput::source>(
            "A file, a folder, a glob such as docs/**/*.md, or a stored result such as lr_3")
            .positional()
            .min_length(1),
        opt<&KbAddInput::path>("Logical path of the document; of several files: what their paths "
                               "begin with. Default: the path in the workspace")
            .positional()
            .min_length(1),
        opt<&KbAddInput::content>("A text, instead of a source; needs a path"),
        opt<&KbAddInput::change_note>("What is new, and why; kept with each version")
            .max_length(kMaxNoteChars));
  }
  Result<void> check() const {
    if (source.has_value() == content.has_value())
      return Error{Code::invalid_argument,
                   source ? "source and content were both given" : "there is nothing to add",
                   "pass a source (a file, folder, glob or result), or content and its path"};
    if (content && !path) return Error{Code::invalid_argument, "the text has no path", "pass path"};
    return {};
  }
};

struct LeftOut {
  std::string file;
  std::string reason;

  static constexpr auto schema() {
    return object("A file that was not added.", arg<&LeftOut::file>("Which one"),
                  arg<&LeftOut::reason>("Why"));
  }
};

struct KbAddOutput {
  std::vector<KbWritten> added;
  std::int64_t total = 0;
  std::int64_t unchanged = 0;
  std::int64_t bytes = 0;
  std::vector<LeftOut> left_out;
  std::int64_t left_out_total = 0;
  Notes notes;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object(
        "What was added.", arg<&KbAddOutput::added>("New versions, the first hundred of them"),
        arg<&KbAddOutput::total>("New versions"),
        arg<&KbAddOutput::unchanged>("Documents that are already as their files are"),
        arg<&KbAddOutput::bytes>("Of the new versions"),
        arg<&KbAddOutput::left_out>("Files that were not added, the first hundred of them"),
        arg<&KbAddOutput::left_out_total>("Of all"),
        opt<&KbAddOutput::notes>("What is missing, or was changed"));
  }
  std::string text() const {
    std::string out;
    if (total == 1) out = added.front().text() + "\n";
    if (total > 1) {
      for (const KbWritten& each : added)
        out += fmt::format("{} (version {})\n", each.path, each.version);
      if (total > static_cast<std::int64_t>(added.size())) out += "…\n";
      out += fmt::format("Stored {} documents ({})\n", total,
                         human_size(static_cast<std::uint64_t>(bytes)));
    }
    if (unchanged > 0) out += fmt::format("{} unchanged\n", unchanged);
    for (const LeftOut& each : left_out)
      out += fmt::format("left out {}: {}\n", escape_for_display(each.file), each.reason);
    if (left_out_total > static_cast<std::int64_t>(left_out.size()))
      out += fmt::format("… {} files were left out in all\n", left_out_total);
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out += "note: " + note + "\n";
    return out;
  }
};

// Whether a document is what its source is still, whenever that was written last.
bool is_of(const store::DocumentVersion& old, const store::DocumentVersion& now) {
  return !now.source.hash.empty() && old.source.hash == now.source.hash &&
         old.source.kind == now.source.kind && old.source.from == now.source.from &&
         old.mime_type == now.mime_type;
}

void leave_out(std::string_view file, std::string_view reason, KbAddOutput& out) {
  if (out.left_out.size() < kMaxTold)
    out.left_out.push_back({escape_invalid_utf8(file), std::string(reason)});
  ++out.left_out_total;
}

// Writes documents in batches: each is whole, and a kill loses no batch that was written.
class Writer {
 public:
  Writer(store::Documents& documents, KbAddOutput& out) : documents_(documents), out_(out) {}

  struct Document {
    store::DocumentVersion version;
    std::string content;
    std::vector<std::string> notes;
    bool is_cut = false;
    bool replaces_edits = true;  // of what the file held
    store::Expected expected = {};
  };

  Result<void> add(Document document) {
    if (TRY(look_at(document)) == Is::unchanged) return {};
    bytes_ += document.content.size();
    waiting_.push_back(std::move(document));
    if (waiting_.size() < kBatchDocuments && bytes_ < kBatchBytes) return {};
    return flush();
  }

  // What is still waiting, and what is told of all.
  Result<void> finish() {
    TRY(flush());
    notes_.append_to(out_.notes);
    return {};
  }

 private:
  enum class Is : unsigned char { unchanged, changed };

  // What is there now is what the write may replace.
  Result<Is> look_at(Document& document) {
    const Result<store::DocumentVersion> old = documents_.find(document.version.path);
    if (!old && old.error().code != Code::not_found) return old.error();
    const bool keeps_edits = old && old->source.kind == "edit" && !document.replaces_edits;
    const bool is_same_file = keeps_edits && old->source.hash == document.version.source.hash;
    if (old && (is_of(*old, document.version) || is_same_file)) {
      ++out_.unchanged;
      return Is::unchanged;
    }
    if (keeps_edits) {
      leave_out(document.version.path,
                "edited since it was added; named alone, the file takes its place", out_);
      return Is::unchanged;
    }
    document.expected = old ? store::Expected::version(old->number) : store::Expected::nothing();
    return Is::changed;
  }

  // Somebody else may have added the same files meanwhile.
  Result<void> look_again() {
    std::vector<Document> still;
    for (Document& each : waiting_) {
      if (TRY(look_at(each)) == Is::changed) still.push_back(std::move(each));
    }
    waiting_ = std::move(still);
    return {};
  }

  Result<std::vector<store::DocumentVersion>> write() {
    for (int attempt = 1;; ++attempt) {
      std::vector<store::Draft> drafts;
      for (const Document& each : waiting_)
        drafts.push_back({each.version, each.content, each.expected});
      Result<std::vector<store::DocumentVersion>> written = documents_.write(drafts);
      // A document that is gone is not found.
      const bool is_outdated = !written && (written.error().code == Code::conflict ||
                                            written.error().code == Code::not_found);
      if (!is_outdated || attempt == kMaxAttempts) return written;
      TRY(look_again());
    }
  }

  Result<void> flush() {
    for (const store::DocumentVersion& each : TRY(write())) {
      if (out_.added.size() < kMaxTold) out_.added.push_back(KbWritten::of(each));
      ++out_.total;
      out_.bytes += static_cast<std::int64_t>(each.bytes);
    }
    for (const Document& each : waiting_) {
      notes_.add(each.version.path, each.notes);
      out_.is_partial = out_.is_partial || each.is_cut;
    }
    waiting_.clear();
    bytes_ = 0;
    return {};
  }

  store::Documents& documents_;
  KbAddOutput& out_;
  FileNotes notes_;
  std::vector<Document> waiting_;
  size_t bytes_ = 0;
};

bool is_result_id(const std::string& source) {
  return source.starts_with("lr_") && source.size() > 3 &&
         source.find_first_not_of("0123456789", 3) == source.npos;
}

// Where a file goes: "docs" and "a/b.md" make "docs/a/b.md".
Result<std::string> place_of(const KbAddInput& in, const FileChoice& choice,
                             const workspace::Workspace& files, const std::string& below) {
  // Spelled out it would be the path of another file, or of none.
  if (!is_utf8(below)) return Error{Code::invalid_argument, "its name is not UTF-8", "rename it"};
  const bool is_single = choice.base.empty();
  const std::string shown =
      files.display(is_single || choice.base == "." ? below : choice.base + "/" + below);
  if (!in.path) {
    if (shown.starts_with('/'))
      return Error{Code::invalid_argument, "it lies outside the first root", "pass path"};
    return store::document_path(shown);
  }
  if (is_single && !in.path->ends_with('/')) return store::document_path(*in.path);
  const size_t slash = below.rfind('/');
  const std::string name = is_single && slash != below.npos ? below.substr(slash + 1) : below;
  return store::document_path(*in.path + "/" + name);
}

Result<void> add_files(const KbAddInput& in, Context& context, store::Documents& documents,
                       KbAddOutput& out) {
  const workspace::Workspace& files = *TRY(need_files(context, "kb_add"));
  const FileChoice choice = TRY(choose_files(files, *in.source, context));
  if (!choice.notes.empty()) out.notes = choice.notes;
  Writer writer(documents, out);
  const bool is_single = choice.base.empty();
  for (size_t i = 0; i < choice.paths.size(); ++i) {
    TRY(context.checkpoint());
    const std::string& below = choice.paths[i];
    context.progress(static_cast<double>(i), static_cast<double>(choice.paths.size()), below);
    Result<std::string> path = place_of(in, choice, files, below);
    if (!path && is_single) return std::move(path).error();
    Result<Intake> intake =
        path ? take_in(files, is_single ? below : choice.base + "/" + below, context)
             : std::move(path).error();
    if (!intake && (is_single || intake.error().code == Code::cancelled))
      return std::move(intake).error();
    if (!intake) {
      leave_out(below, intake.error().message, out);
      continue;
    }
    store::DocumentVersion version =
        version_by(context, *path, std::move(intake->source), in.change_note);
    version.mime_type = std::move(intake->mime_type);
    TRY(writer.add({std::move(version), std::move(intake->content), std::move(intake->notes),
                    intake->is_cut, is_single}));
  }
  TRY(writer.finish());
  out.is_partial = out.is_partial || out.left_out_total > 0;
  return {};
}

Result<void> add_text(const KbAddInput& in, Context& context, store::Documents& documents,
                      store::Source source, std::string text, KbAddOutput& out) {
  if (!in.path)
    return Error{Code::invalid_argument, "the result has no path in the store",
                 fmt::format(R"(kb_add {{"source":"{}","path":"results/name.txt"}})", *in.source)};
  store::DocumentVersion version =
      version_by(context, TRY(store::document_path(*in.path)), std::move(source), in.change_note);
  version.source.hash = sha256_hex(text);
  Text taken = take_in_text(std::move(text), version.path, context);
  TRY(context.checkpoint());
  version.mime_type = std::move(taken.mime_type);
  Writer writer(documents, out);
  TRY(writer.add(
      {std::move(version), std::move(taken.content), std::move(taken.notes), taken.is_cut}));
  return writer.finish();
}

Result<KbAddOutput> kb_add(const KbAddInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  KbAddOutput out;
  if (in.content) {
    TRY(add_text(in, context, *documents, {.kind = "inline"}, *in.content, out));
  } else if (is_result_id(*in.source)) {
    if (!context.results) return Error{Code::unsupported, "results are not stored in this session"};
    std::string text = TRY(context.results->text(context.who.session, *in.source));
    TRY(add_text(in, context, *documents, {.kind = "result", .from = *in.source}, std::move(text),
                 out));
  } else if (in.source->starts_with("http://") || in.source->starts_with("https://")) {
    return Error{Code::unsupported, "nothing is fetched from the network",
                 "fetch it with another tool and store what that answers: kb_pipe",
                 "unsupported_source"};
  } else {
    TRY(add_files(in, context, *documents, out));
  }
  return out;
}

}  // namespace

Tool tool_kb_add() {
  return make_tool(
      {.name = "kb_add",
       .group = "kb",
       .title = "Add documents",
       .effect = Effect::write,
       .idempotent = true,
       .subject = {"source", "path"},
       .examples = {{"A file", R"({"source": "README.md"})"},
                    {"All Markdown below a folder",
                     R"({"source": "docs/**/*.md", "path": "manual"})"},
                    {"A stored result", R"({"source": "lr_3", "path": "results/log.txt"})"}}},
      kb_add);
}

}  // namespace helve::tools
