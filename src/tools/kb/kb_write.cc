// kb_write: a document as a whole.
#include "knowledge/mime_type.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbWriteInput {
  std::string path;
  std::string content;
  KbConflict on_conflict = KbConflict::error;
  std::optional<std::string> change_note;

  static constexpr auto schema() {
    return object(
        "Write a document into the knowledge store. Its path is a name, not a file: nothing in the "
        "workspace changes. Where there is one already, on_conflict=overwrite adds a new version; "
        "older versions can still be read.",
        arg<&KbWriteInput::path>("Logical path, such as notes/today.md").min_length(1),
        arg<&KbWriteInput::content>("The whole content").from_stdin(),
        opt<&KbWriteInput::on_conflict>("What to do when there is a document of this path"),
        opt<&KbWriteInput::change_note>("What is new, and why; kept with the version")
            .max_length(kMaxNoteChars));
  }
};

Result<KbWritten> kb_write(const KbWriteInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  store::DocumentVersion version =
      version_by(context, TRY(store::document_path(in.path)), {}, in.change_note);
  version.mime_type = knowledge::mime_type_of(version.path);
  return KbWritten::of(
      TRY(store::write_document(*documents, {version, in.content, expected_by(in.on_conflict)})));
}

}  // namespace

Tool tool_kb_write() {
  return make_tool(
      {.name = "kb_write",
       .group = "kb",
       .title = "Write a document",
       .effect = Effect::write,
       .subject = {"path"},
       .examples = {{"A new document", R"({"path": "notes/today.md", "content": "# Today\n"})"},
                    {"A new version", R"({"path": "notes/today.md", "content": "# Today\n\nSun.\n",
                    "on_conflict": "overwrite", "change_note": "the weather"})"}}},
      kb_write);
}

}  // namespace helve::tools
