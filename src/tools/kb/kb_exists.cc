// kb_exists: whether there is a document; at a shell the status tells.
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbExistsInput {
  std::string path;

  static constexpr auto schema() {
    return object("Tell whether there is a document of this path. At a shell: status 1 when not.",
                  arg<&KbExistsInput::path>("Logical path").min_length(1));
  }
};

struct KbExistsOutput {
  std::string path;
  bool exists = false;
  std::optional<std::int64_t> version;
  int shell_status = 0;  // not part of the value

  static constexpr auto schema() {
    return object("Whether it is there.", arg<&KbExistsOutput::path>("The document"),
                  arg<&KbExistsOutput::exists>("False also when it was removed"),
                  opt<&KbExistsOutput::version>("The latest"));
  }
  std::string text() const { return exists ? "yes\n" : "no\n"; }
};

Result<KbExistsOutput> kb_exists(const KbExistsInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  KbExistsOutput out;
  out.path = TRY(store::document_path(in.path));
  const Result<store::DocumentVersion> found = documents->find(out.path);
  if (!found && found.error().code != Code::not_found) return found.error();
  out.exists = found.has_value();
  if (found) out.version = static_cast<std::int64_t>(found->number);
  out.shell_status = out.exists ? 0 : 1;
  return out;
}

}  // namespace

Tool tool_kb_exists() {
  return make_tool({.name = "kb_exists",
                    .group = "kb",
                    .title = "Look for a document",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"A document", R"({"path": "notes/today.md"})"}}},
                   kb_exists);
}

}  // namespace helve::tools
