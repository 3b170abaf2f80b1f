#include "tools/kb_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "base/text.h"
#include "knowledge/library.h"
#include "knowledge/mime_type.h"
#include "media/file_type.h"
#include "media/to_text.h"
#include "tools/walking.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxFileNotes = 100;
constexpr size_t kMaxNamed = 5;           // of what is left out
constexpr size_t kTextStart = 64 * 1024;  // bytes; a NUL byte here, and it is no plain text

bool is_converted(std::string_view bytes, std::string_view path) {
  return is_converted_kind(bytes, path) || bytes.substr(0, kTextStart).find('\0') != bytes.npos;
}

std::string mime_type_of(media::TextForm form, std::string_view path) {
  if (form == media::TextForm::markdown) return "text/markdown";
  return form == media::TextForm::code ? knowledge::mime_type_of(path) : "text/plain";
}

class Collector final : public search::Visitor {
 public:
  search::Next visit(const search::Item& item) override {
    if (item.kind == sys::FileKind::file) paths.emplace_back(item.path);
    if (item.kind == sys::FileKind::symlink) links.emplace_back(item.path);
    const bool is_known = item.kind == sys::FileKind::file || item.kind == sys::FileKind::symlink ||
                          item.kind == sys::FileKind::directory;
    if (!is_known) others.emplace_back(item.path);
    return paths.size() <= kMaxTakenIn ? search::Next::go_on : search::Next::stop;
  }

  std::vector<std::string> paths, links, others;
};

// "left out, as no link is followed: a, b"; nothing where there are none.
void note_left_out(std::vector<std::string> paths, std::string_view why,
                   std::vector<std::string>& notes) {
  if (paths.empty()) return;
  std::ranges::sort(paths);
  const size_t more = paths.size() - std::min(paths.size(), kMaxNamed);
  paths.resize(paths.size() - more);
  for (std::string& path : paths) path = escape_for_display(path);
  notes.push_back(fmt::format("left out, as {}: {}{}", why, join(paths, ", "),
                              more > 0 ? fmt::format(" and {} more", more) : ""));
}

Error too_many(const std::string& source) {
  return {Code::too_large,
          fmt::format("'{}' has more than {} files", escape_for_display(source), kMaxTakenIn),
          "add its folders one by one"};
}

// A glob below the root that it lies in; one that is relative lies in the first.
struct Glob {
  std::string base, pattern;
};
Glob glob_in_root(const workspace::Workspace& files, const std::string& source) {
  for (const workspace::Root& root : files.roots()) {
    for (const std::string& path : {root.called, root.path}) {
      if (source.starts_with(path + "/"))
        return {&root == &files.roots().front() ? "." : root.path, source.substr(path.size() + 1)};
    }
  }
  return {".", source.starts_with("./") ? source.substr(2) : source};
}

}  // namespace

bool is_shared(const Context& context) { return context.library->shelf().empty(); }

Result<Intake> take_in(const workspace::Workspace& files, const std::string& path,
                       const Context& context) {
  Result<workspace::Snapshot> whole = files.read_whole(path, store::kMaxDocumentBytes);
  if (!whole && whole.error().code == Code::too_large)
    whole.error().hint = "split it, or store what of it matters: kb_pipe with exec";
  workspace::Snapshot file = TRY(std::move(whole));
  Intake intake{.content = {},
                .mime_type = knowledge::mime_type_of(path),
                .source = {.kind = "file",
                           .from = is_shared(context) ? file.real_path : files.display(path),
                           .modified_ms = file.version.modified_ns / 1'000'000,
                           .hash = sha256_hex(file.content)}};
  if (!is_converted(file.content, path)) {
    intake.content = std::move(file.content);
    return intake;
  }
  media::Converted converted = TRY(media::to_text(file.content, path, {}, context.stop));
  intake.mime_type = mime_type_of(converted.form, path);
  intake.content = std::move(converted.text);
  intake.notes = std::move(converted.notes);
  intake.is_cut = converted.is_cut;
  return intake;
}

bool is_converted_kind(std::string_view start, std::string_view path) {
  const std::string mime_type = knowledge::mime_type_of(path);
  return mime_type == "text/html" || mime_type == "application/x-ipynb+json" ||
         start.starts_with(media::kPdfMark);
}

Text take_in_text(std::string content, const std::string& path, const Context& context) {
  Text text{.content = std::move(content), .mime_type = knowledge::mime_type_of(path)};
  if (!is_converted_kind(text.content, path)) return text;
  Result<media::Converted> converted = media::to_text(text.content, path, {}, context.stop);
  if (!converted) {
    text.notes.push_back("it is kept as it is: " + converted.error().message);
    return text;
  }
  text.mime_type = mime_type_of(converted->form, path);
  text.content = std::move(converted->text);
  text.notes.emplace_back("it was converted to text");
  std::ranges::move(converted->notes, std::back_inserter(text.notes));
  text.is_cut = converted->is_cut;
  return text;
}

void FileNotes::add(std::string_view path, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (told_.size() < kMaxFileNotes)
      told_.push_back(escape_for_display(fmt::format("{}: {}", path, note)));
    else
      ++more_;
  }
}

void FileNotes::append_to(Notes& out) const {
  if (told_.empty()) return;
  if (!out) out.emplace();
  out->insert(out->end(), told_.begin(), told_.end());
  if (more_ > 0) out->push_back(fmt::format("… and {} more notes on files", more_));
}

Result<FileChoice> choose_files(const workspace::Workspace& files, const std::string& source,
                                Context& context) {
  const bool is_directory = files.open_directory(source).has_value();
  Result<workspace::OpenFile> file = files.open_file(source);
  const bool is_glob = source.find_first_of("*?[{") != source.npos;
  if (file) return FileChoice{.base = "", .paths = {source}, .notes = {}};
  if (!is_directory && !is_glob) return std::move(file).error();
  const auto [base, pattern] = is_directory ? Glob{source, ""} : glob_in_root(files, source);
  FileChoice choice{.base = base, .paths = {}, .notes = {}};
  const sys::Fd directory = TRY(open_searched(files, choice.base, context));
  search::GlobSet globs;
  search::WalkOptions options;
  if (!is_directory) {
    globs = TRY(search::GlobSet::from_patterns({&pattern, 1}));
    options.globs = &globs;
  }
  std::vector<std::unique_ptr<Collector>> parts;
  const search::WalkReport report =
      TRY(walk_for(context, directory, choice.base, options, [&]() -> search::Visitor& {
        return *parts.emplace_back(std::make_unique<Collector>());
      }));
  std::vector<std::string> links, others;
  for (const auto& part : parts) {
    std::ranges::move(part->paths, std::back_inserter(choice.paths));
    std::ranges::move(part->links, std::back_inserter(links));
    std::ranges::move(part->others, std::back_inserter(others));
  }
  if (choice.paths.size() > kMaxTakenIn) return too_many(source);
  std::ranges::sort(choice.paths);
  note_left_out(std::move(links), "no link is followed", choice.notes);
  note_left_out(std::move(others), "it is no file", choice.notes);
  add_notes(report, choice.base, choice.notes);
  if (choice.paths.empty() && choice.notes.empty())
    return Error{Code::not_found,
                 fmt::format("there are no files in '{}'", escape_for_display(source)),
                 "hidden and ignored files are left out", "no_files_found"};
  return choice;
}

}  // namespace helve::tools
