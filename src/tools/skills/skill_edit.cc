// skill_edit: changes lines of a skill of the workspace; what would be no skill is not written.
#include <fmt/format.h>

#include "base/diff.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct SkillEditInput {
  std::string name;
  std::vector<LinePatchItem> patches;

  static constexpr auto schema() {
    return object(
        "Change lines of a skill of the workspace, as skill_read numbers them. All patches or "
        "none; nothing is changed when the front matter would be wrong, or when somebody else has "
        "changed the skill since it was read.",
        arg<&SkillEditInput::name>("Its name, which stays as it is").min_length(1),
        arg<&SkillEditInput::patches>("Lines to replace, all counted as they are before the call")
            .min_length(1)
            .max_length(kMaxLinePatches));
  }
};

Result<GuidanceChange> skill_edit(const SkillEditInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const guidance::SkillFile old = TRY(library.skill(in.name));
  TRY(check_may_change(old.file, old.skill.agent_modification, "skill"));
  TRY(check_seen(old.file, context));
  edit::Patched patched = TRY(apply_items(old.file.text(), in.patches, old.file.path));
  TRY(guidance::check_skill(in.name, patched.content));
  std::string diff = short_diff(old.file.text(), patched.content);
  const workspace::Applied applied = TRY(library.write(
      old.file.path, std::move(patched.content), old.file.snapshot.version, author_of(context)));
  GuidanceChange out =
      changed(fmt::format("Changed {}", old.file.path), in.name, old.file.path, applied);
  out.diff = std::move(diff);
  return out;
}

}  // namespace

Tool tool_skill_edit() {
  return make_tool(
      {.name = "skill_edit",
       .group = "skills",
       .title = "Change a skill",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"name"},
       .examples = {{"A step more",
                     R"({"name": "release", "patches": [{"start_line": 6, "end_line": 0, )"
                     R"("content": "2. Tell the others."}]})"}}},
      skill_edit);
}

}  // namespace helve::tools
