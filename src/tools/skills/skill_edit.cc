// skill_edit: changes lines of a skill of the workspace; what would be no skill is not written.
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

Result<GuidanceChange> skill_edit(const GuidanceEdit& in, Context& context) {
  const guidance::SkillFile old = TRY(TRY(need_guidance(context))->skill(in.name));
  TRY(check_may_change(old.file, old.skill.agent_modification, "skill"));
  return change_lines(in, old.file, guidance::check_skill, context);
}

}  // namespace

Tool tool_skill_edit() {
  return make_tool(
      {.name = "skill_edit",
       .group = "skills",
       .title = "Change a skill",
       .description =
           "Change lines of a skill of the workspace, as skill_read numbers them. All patches or "
           "none; nothing is changed when the front matter would be wrong, or when somebody else "
           "has changed the skill since it was read.",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"name"},
       .examples = {{"A step more",
                     R"({"name": "release", "patches": [{"start_line": 6, "end_line": 0, )"
                     R"("content": "2. Tell the others."}]})"}}},
      skill_edit);
}

}  // namespace helve::tools
