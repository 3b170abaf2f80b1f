// kb_move: a document goes to another path; its history stays where it was.
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbMoveInput {
  std::string from;
  std::string to;
  KbConflict on_conflict = KbConflict::error;

  static constexpr auto schema() {
    return object(
        "Move a document to another path. The old path is removed, and its versions can still be "
        "read there.",
        arg<&KbMoveInput::from>("Logical path of the document").min_length(1),
        arg<&KbMoveInput::to>("Logical path of the new place").min_length(1),
        opt<&KbMoveInput::on_conflict>("What to do when there is a document at `to`"));
  }
};

Result<KbWritten> kb_move(const KbMoveInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const store::DocumentVersion old = TRY(documents->find(TRY(store::document_path(in.from))));
  const std::string to = TRY(store::document_path(in.to));
  if (to == old.path)
    return Error{Code::invalid_argument, "the document is there already: " + to,
                 "name another path", "no_change"};
  const std::string content = TRY(documents->content(old));
  store::Source source{.kind = "move", .from = old.path};
  if (old.source.is_of_file()) source = old.source;  // which kb_refresh goes on reading
  store::DocumentVersion version =
      version_by(context, to, std::move(source), "moved from " + old.path);
  version.mime_type = old.mime_type;
  store::DocumentVersion removal =
      version_by(context, old.path, {.kind = "move", .from = to}, "moved to " + to);
  removal.is_removed = true;
  const store::Draft drafts[] = {{version, content, expected_by(in.on_conflict)},
                                 {removal, {}, store::Expected::version(old.number)}};
  return KbWritten::of(TRY(documents->write(drafts)).front());
}

}  // namespace

Tool tool_kb_move() {
  return make_tool(
      {.name = "kb_move",
       .group = "kb",
       .title = "Move a document",
       .effect = Effect::write,
       .subject = {"from", "to"},
       .examples = {{"Rename", R"({"from": "notes/today.md", "to": "archive/monday.md"})"}}},
      kb_move);
}

}  // namespace helve::tools
