// kb_export: documents with all their versions as files of the workspace.
#include <fmt/format.h>

#include <ranges>

#include "base/text.h"
#include "tools/files.h"
#include "tools/kb_archive.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbExportInput {
  std::string file;
  std::string path;
  KbConflict on_conflict = KbConflict::error;

  static constexpr auto schema() {
    return object(
        "Write documents with all their versions into a file of the workspace, as JSON Lines that "
        "kb_import reads. More than 60 MB need a folder. Versions of more than 44 MB, and the "
        "oldest of a document that has more than 512 MB, are left out and told.",
        arg<&KbExportInput::file>(
            "A file such as kb.jsonl; a folder when it ends in a slash, which "
            "gets as many files as it takes")
            .file()
            .min_length(1),
        opt<&KbExportInput::path>("Only this document and what lies below it; empty: all"),
        opt<&KbExportInput::on_conflict>("What to do when there is such a file"));
  }
};

struct KbExportOutput {
  std::vector<std::string> files;
  std::int64_t documents = 0;
  std::int64_t versions = 0;
  Notes notes;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object("What was written.", arg<&KbExportOutput::files>("In the order to read them"),
                  arg<&KbExportOutput::documents>("In them, removed ones included"),
                  arg<&KbExportOutput::versions>("Of all documents"),
                  opt<&KbExportOutput::notes>("What was left out"));
  }
  void note(std::string note) {
    if (!notes) notes.emplace();
    notes->push_back(std::move(note));
  }
  std::string text() const {
    std::string out = fmt::format("Exported {} documents with {} versions to {}\n", documents,
                                  versions, join(files, ", "));
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out += "note: " + note + "\n";
    return out;
  }
};

// The files of an archive, one after the other.
class Parts {
 public:
  Parts(const KbExportInput& in, workspace::Workspace& files, Context& context, KbExportOutput& out)
      : in_(in), files_(files), context_(context), out_(out) {}

  Result<void> add(const std::string& line) {
    if (content_.size() + line.size() > kMaxArchiveFile) {
      if (!is_folder())
        return Error{Code::too_large,
                     fmt::format("the documents do not fit into one file of {}",
                                 human_size(kMaxArchiveFile)),
                     fmt::format("name a folder: \"{}/\"", in_.file)};
      TRY(write());
    }
    content_ += line;
    return {};
  }
  Result<void> write() {
    const std::string path = is_folder() ? part(out_.files.size() + 1) : in_.file;
    const workspace::Change change{.path = path,
                                   .content = std::move(content_),
                                   .on_conflict = in_.on_conflict == KbConflict::error
                                                      ? workspace::OnConflict::error
                                                      : workspace::OnConflict::overwrite};
    TRY(offering_overwrite(files_.apply({&change, 1}, author_of(context_))));
    out_.files.push_back(files_.display(path));
    content_ = archive_header();
    return {};
  }
  // The last one, which says what there is in all: without it somebody would miss nothing.
  Result<void> end() {
    content_ += end_line({.documents = out_.documents,
                          .versions = out_.versions,
                          .parts = static_cast<std::int64_t>(out_.files.size()) + 1});
    return write();
  }
  // Of an earlier export that had more of them: they would be read with these.
  Result<void> deal_with_others() {
    for (size_t number = out_.files.size() + 1; is_folder(); ++number) {
      if (!files_.open_file(part(number))) return {};
      if (in_.on_conflict == KbConflict::error) {
        out_.note(fmt::format("{} is of another export and would be imported with these",
                              files_.display(part(number))));
        return {};
      }
      const workspace::Change change{.kind = workspace::Change::Kind::remove, .path = part(number)};
      TRY(files_.apply({&change, 1}, author_of(context_)));
    }
    return {};
  }

 private:
  std::string part(size_t number) const {
    return fmt::format("{}documents-{:04}.jsonl", in_.file, number);
  }
  bool is_folder() const { return in_.file.ends_with('/'); }

  const KbExportInput& in_;
  workspace::Workspace& files_;
  Context& context_;
  KbExportOutput& out_;
  std::string content_ = archive_header();
};

Result<void> add_document(const std::string& path, store::Documents& documents, Parts& parts,
                          KbExportOutput& out) {
  const Archived archived = archived_of(TRY(documents.versions(path, store::kMaxVersions)));
  for (const std::string& reason : archived.left_out) out.note(reason);
  out.is_partial = out.is_partial || !archived.left_out.empty();
  for (const store::DocumentVersion& version : std::views::reverse(archived.versions)) {
    ArchiveLine line{.version = version, .content = {}, .versions = archived.versions.size()};
    if (!version.is_removed) line.content = TRY(documents.content(version));
    TRY(parts.add(to_line(line)));
    ++out.versions;
  }
  ++out.documents;
  return {};
}

Result<KbExportOutput> kb_export(const KbExportInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  workspace::Workspace& files = *TRY(need_files(context, "kb_export"));
  store::DocumentFilter filter{.under = {}, .removed = true};
  filter.under = TRY(document_folder(in.path));
  const store::Totals totals = TRY(documents->totals(filter.under));
  KbExportOutput out;
  Parts parts(in, files, context, out);
  while (true) {
    const std::vector<store::DocumentVersion> page = TRY(documents->list(filter));
    for (const store::DocumentVersion& each : page) {
      TRY(context.checkpoint());
      context.progress(static_cast<double>(out.documents),
                       static_cast<double>(totals.documents + totals.removed), each.path);
      TRY(add_document(each.path, *documents, parts, out));
    }
    if (page.size() < store::kMaxDocumentsListed) break;
    filter.after = page.back().path;
  }
  TRY(parts.end());
  TRY(parts.deal_with_others());
  return out;
}

}  // namespace

Tool tool_kb_export() {
  return make_tool(
      {.name = "kb_export",
       .group = "kb",
       .title = "Export documents",
       .effect = Effect::write,
       .subject = {"file"},
       .examples = {{"All", R"({"file": "kb.jsonl"})"},
                    {"Many, below a path", R"({"file": "backup/", "path": "manual"})"}}},
      kb_export);
}

}  // namespace helve::tools
