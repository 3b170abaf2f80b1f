// prompt_edit: changes lines of a prompt of the workspace; what would be no prompt is not written.
#include <fmt/format.h>

#include "base/diff.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct PromptEditInput {
  std::string name;
  std::vector<LinePatchItem> patches;

  static constexpr auto schema() {
    return object(
        "Change lines of a prompt of the workspace, as prompt_read numbers them. All patches or "
        "none; nothing is changed when the front matter would be wrong, or when somebody else has "
        "changed the prompt since it was read.",
        arg<&PromptEditInput::name>("Its name").min_length(1),
        arg<&PromptEditInput::patches>("Lines to replace, all counted as they are before the call")
            .min_length(1)
            .max_length(kMaxLinePatches));
  }
};

Result<GuidanceChange> prompt_edit(const PromptEditInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const guidance::PromptFile old = TRY(library.prompt(in.name));
  TRY(check_may_change(old.file, old.prompt.agent_modification, "prompt"));
  TRY(check_seen(old.file, context));
  edit::Patched patched = TRY(apply_items(old.file.text(), in.patches, old.file.path));
  TRY(guidance::parse_prompt(in.name, patched.content));
  std::string diff = short_diff(old.file.text(), patched.content);
  const workspace::Applied applied = TRY(library.write(
      old.file.path, std::move(patched.content), old.file.snapshot.version, author_of(context)));
  GuidanceChange out =
      changed(fmt::format("Changed {}", old.file.path), in.name, old.file.path, applied);
  out.diff = std::move(diff);
  return out;
}

}  // namespace

Tool tool_prompt_edit() {
  return make_tool(
      {.name = "prompt_edit",
       .group = "prompts",
       .title = "Change a prompt",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"name"},
       .examples = {{"Another line",
                     R"({"name": "style", "patches": [{"start_line": 6, "end_line": 6, )"
                     R"("content": "Write dates as 31 January 2026."}]})"}}},
      prompt_edit);
}

}  // namespace helve::tools
