// kb_edit: line patches to a document.
#include <fmt/format.h>

#include "base/diff.h"
#include "tools/kb_document.h"
#include "tools/line_patches.h"

namespace helve::tools {
namespace {

struct KbEditInput {
  std::string path;
  std::vector<LinePatchItem> patches;
  std::optional<std::int64_t> version;
  std::optional<std::string> change_note;

  static constexpr auto schema() {
    return object(
        "Change lines of a document; the result is a new version. Line numbers are those of the "
        "document as it is before, for all patches, which must not overlap. All are applied or "
        "none.",
        arg<&KbEditInput::path>("Logical path").min_length(1),
        arg<&KbEditInput::patches>("The changes").min_length(1).max_length(kMaxLinePatches),
        opt<&KbEditInput::version>(
            "The version that the line numbers are of: a conflict when there is a newer one")
            .min(1),
        opt<&KbEditInput::change_note>("What is new, and why; kept with the version")
            .max_length(kMaxNoteChars));
  }
};

struct KbEditOutput {
  std::string path;
  std::int64_t version = 0;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  std::string diff;

  static constexpr auto schema() {
    return object("What was changed.", arg<&KbEditOutput::path>("The document"),
                  arg<&KbEditOutput::version>("The new one"), arg<&KbEditOutput::added>("Lines"),
                  arg<&KbEditOutput::removed>("Lines"),
                  arg<&KbEditOutput::diff>("The changed lines with their numbers"));
  }
  std::string text() const {
    return fmt::format("Changed {} (version {}, +{} −{} lines)\n{}", path, version, added, removed,
                       diff);
  }
};

Result<KbEditOutput> kb_edit(const KbEditInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const store::DocumentVersion old = TRY(documents->find(TRY(store::document_path(in.path))));
  // Who knows an older version is told so, and not what is wrong with its line numbers.
  if (in.version && static_cast<std::uint64_t>(*in.version) != old.number)
    return store::version_conflict(old, static_cast<std::uint64_t>(*in.version));
  const std::string content = TRY(documents->content(old));
  const edit::Patched patched = TRY(apply_items(content, in.patches, old.path));
  // It stays known which file it came from.
  store::Source source;
  if (old.source.is_of_file()) source = old.source, source.kind = "edit";
  store::DocumentVersion version = version_by(context, old.path, std::move(source), in.change_note);
  version.mime_type = old.mime_type;
  const store::DocumentVersion written = TRY(store::write_document(
      *documents, {version, patched.content, store::Expected::version(old.number)}));
  return KbEditOutput{.path = written.path,
                      .version = static_cast<std::int64_t>(written.number),
                      .added = static_cast<std::int64_t>(patched.added),
                      .removed = static_cast<std::int64_t>(patched.removed),
                      .diff = short_diff(content, patched.content)};
}

}  // namespace

Tool tool_kb_edit() {
  return make_tool(
      {.name = "kb_edit",
       .group = "kb",
       .title = "Edit a document",
       .effect = Effect::write,
       .subject = {"path"},
       .examples = {{"Replace two lines", R"({"path": "notes/today.md", "patches":
                    [{"start_line": 3, "end_line": 4, "content": "Rain.\n"}]})"},
                    {"Insert before the first line", R"({"path": "notes/today.md", "patches":
                    [{"start_line": 1, "end_line": 0, "content": "# Today\n"}]})"}}},
      kb_edit);
}

}  // namespace helve::tools
