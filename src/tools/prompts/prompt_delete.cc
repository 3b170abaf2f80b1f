// prompt_delete: a prompt of the workspace goes; undo brings it back.
#include <fmt/format.h>

#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct PromptDeleteInput {
  std::string name;

  static constexpr auto schema() {
    return object("Delete a prompt of the workspace. undo restores it.",
                  arg<&PromptDeleteInput::name>("Its name").min_length(1));
  }
};

Result<GuidanceChange> prompt_delete(const PromptDeleteInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const guidance::PromptFile old = TRY(library.prompt(in.name));
  TRY(check_may_change(old.file, old.prompt.agent_modification, "prompt"));
  TRY(check_seen(old.file, context));
  const workspace::Applied applied = TRY(library.remove(old.file, author_of(context)));
  return changed(fmt::format("Deleted {}", old.file.path), in.name, old.file.path, applied);
}

}  // namespace

Tool tool_prompt_delete() {
  return make_tool({.name = "prompt_delete",
                    .group = "prompts",
                    .title = "Delete a prompt",
                    .effect = Effect::write,
                    .destructive = true,
                    .subject = {"name"},
                    .examples = {{"A prompt", R"({"name": "style"})"}}},
                   prompt_delete);
}

}  // namespace helve::tools
