// kb_copy: a document under another path.
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbCopyInput {
  std::string from;
  std::string to;
  KbConflict on_conflict = KbConflict::error;

  static constexpr auto schema() {
    return object("Copy the latest version of a document to another path.",
                  arg<&KbCopyInput::from>("Logical path of the document").min_length(1),
                  arg<&KbCopyInput::to>("Logical path of the copy").min_length(1),
                  opt<&KbCopyInput::on_conflict>("What to do when there is a document at `to`"));
  }
};

Result<KbWritten> kb_copy(const KbCopyInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const store::DocumentVersion old = TRY(documents->find(TRY(store::document_path(in.from))));
  const std::string to = TRY(store::document_path(in.to));
  const std::string content = TRY(documents->content(old));
  store::DocumentVersion version = version_by(context, to, {.kind = "copy", .from = old.path}, {});
  version.mime_type = old.mime_type;
  return KbWritten::of(
      TRY(store::write_document(*documents, {version, content, expected_by(in.on_conflict)})));
}

}  // namespace

Tool tool_kb_copy() {
  return make_tool(
      {.name = "kb_copy",
       .group = "kb",
       .title = "Copy a document",
       .effect = Effect::write,
       .subject = {"from", "to"},
       .examples = {{"A copy", R"({"from": "notes/today.md", "to": "archive/monday.md"})"}}},
      kb_copy);
}

}  // namespace helve::tools
