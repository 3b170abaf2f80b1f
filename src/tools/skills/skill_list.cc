// skill_list: the skills of the user and of the workspace.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct SkillListInput {
  static constexpr auto schema() {
    return object("List the skills: instructions for certain tasks, which skill_read reads.");
  }
};

struct SkillEntry {
  std::string name;
  guidance::Owner owner = guidance::Owner::project;
  std::string path;
  std::string description;

  static constexpr auto schema() {
    return object("A skill.", arg<&SkillEntry::name>("Its name"),
                  arg<&SkillEntry::owner>("Whose it is; tools do not change the user's own"),
                  arg<&SkillEntry::path>("Its file"),
                  arg<&SkillEntry::description>("What it is for"));
  }
};

struct SkillListOutput {
  std::vector<SkillEntry> skills;
  std::vector<std::string> problems;

  static constexpr auto schema() {
    return object("The skills, the user's own first.",
                  arg<&SkillListOutput::skills>("Those that count"),
                  arg<&SkillListOutput::problems>("Files that are left out, and why"));
  }
  std::string text() const {
    std::string out;
    for (const SkillEntry& each : skills)
      out += fmt::format("{} · {} · {}\n", each.name, guidance::name_of(each.owner),
                         escape_for_display(each.description));
    if (skills.empty()) out = "no skills\n";
    for (const std::string& problem : problems)
      out += "problem: " + escape_for_display(problem) + "\n";
    return out;
  }
};

Result<SkillListOutput> skill_list(const SkillListInput&, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  guidance::Shelf<guidance::Skill> shelf = library.skills();
  SkillListOutput out{.skills = {}, .problems = std::move(shelf.problems)};
  for (guidance::Skill& each : shelf.items)
    out.skills.push_back(
        {std::move(each.name), each.owner, std::move(each.path), std::move(each.description)});
  return out;
}

}  // namespace

Tool tool_skill_list() {
  return make_tool({.name = "skill_list",
                    .group = "skills",
                    .title = "List skills",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"All of them", "{}"}},
                    .limits = {.inline_chars = 30'000}},
                   skill_list);
}

}  // namespace helve::tools
