// prompt_edit: changes lines of a prompt of the workspace; what would be no prompt is not written.
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

Result<GuidanceChange> prompt_edit(const GuidanceEdit& in, Context& context) {
  const guidance::PromptFile old = TRY(TRY(need_guidance(context))->prompt(in.name));
  TRY(check_may_change(old.file, old.prompt.agent_modification, "prompt"));
  return change_lines(in, old.file, guidance::check_prompt, context);
}

}  // namespace

Tool tool_prompt_edit() {
  return make_tool(
      {.name = "prompt_edit",
       .group = "prompts",
       .title = "Change a prompt",
       .description =
           "Change lines of a prompt of the workspace, as prompt_read numbers them. All patches or "
           "none; nothing is changed when the front matter would be wrong, or when somebody else "
           "has changed the prompt since it was read.",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"name"},
       .examples = {{"Another line",
                     R"({"name": "style", "patches": [{"start_line": 6, "end_line": 6, )"
                     R"("content": "Write dates as 31 January 2026."}]})"}}},
      prompt_edit);
}

}  // namespace helve::tools
