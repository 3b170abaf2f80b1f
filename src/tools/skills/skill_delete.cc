// skill_delete: a skill of the workspace goes; undo brings it back.
#include <fmt/format.h>

#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct SkillDeleteInput {
  std::string name;

  static constexpr auto schema() {
    return object(
        "Delete a skill of the workspace: its SKILL.md, and its folder when nothing else is in it. "
        "undo restores it.",
        arg<&SkillDeleteInput::name>("Its name").min_length(1));
  }
};

Result<GuidanceChange> skill_delete(const SkillDeleteInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const guidance::SkillFile old = TRY(library.skill(in.name));
  TRY(check_may_change(old.file, old.skill.agent_modification, "skill"));
  TRY(check_seen(old.file, context));
  workspace::Author author = author_of(context);
  const std::string& real = old.file.snapshot.real_path;
  author.leaves = {real.substr(0, real.rfind('/'))};
  const workspace::Applied applied = TRY(library.remove(old.file, author));
  return changed(fmt::format("Deleted {}", old.file.path), in.name, old.file.path, applied);
}

}  // namespace

Tool tool_skill_delete() {
  return make_tool({.name = "skill_delete",
                    .group = "skills",
                    .title = "Delete a skill",
                    .effect = Effect::write,
                    .destructive = true,
                    .subject = {"name"},
                    .examples = {{"A skill", R"({"name": "release"})"}}},
                   skill_delete);
}

}  // namespace helve::tools
