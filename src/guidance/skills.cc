#include "guidance/skills.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "guidance/front_matter.h"

namespace helve::guidance {
namespace {

constexpr std::string_view kFile = "SKILL.md";
constexpr size_t kMaxFolders = 200;       // of one directory
constexpr size_t kMaxNameChars = 64;      //
constexpr size_t kMaxPurposeChars = 400;  //
constexpr size_t kMaxListBytes = 16u << 10;

std::string one_line(std::string_view text, size_t chars) {
  std::string line;
  for (const char c : trim(text)) line += c == '\n' || c == '\t' ? ' ' : c;
  return preview(escape_for_display(line), chars);
}

}  // namespace

std::string_view name_of(Owner owner) { return owner == Owner::user ? "user" : "project"; }

Result<Skill> parse_skill(const std::string& folder, std::string_view text) {
  Json head = TRY(take_front_matter(text));
  Skill skill{.name = one_line(string_at(head, "name"), kMaxNameChars),
              .description = one_line(string_at(head, "description"), kMaxPurposeChars),
              .path = {}};
  skill.agent_modification = TRY(take_agent_modification(head));
  if (skill.name.empty())
    skill.name = one_line(folder.substr(folder.rfind('/') + 1), kMaxNameChars);
  if (skill.description.empty())
    return Error{Code::invalid_argument, "its front matter has no description", "",
                 std::string(kInvalidFrontMatter)};
  return skill;
}

Result<void> check_skill(const std::string& name, std::string_view text) {
  const auto wrong = [](std::string message) {
    return Error{Code::invalid_argument, std::move(message), "", std::string(kInvalidFrontMatter)};
  };
  if (!is_utf8(text)) return wrong("it is not UTF-8 text");
  const Skill skill = TRY(parse_skill(name, cut_utf8(text, kMaxSkillHead)));
  if (skill.name == name) return {};
  return wrong(fmt::format("its name would be '{}', not '{}'", skill.name, name));
}

void add_skills(std::vector<Skill>& skills, const Source& source, Owner owner,
                const std::string& directory, std::vector<std::string>& notices) {
  const Result<std::vector<std::string>> folders = names_in(source, directory, kMaxFolders);
  if (!folders) return notices.push_back(describe(folders.error()));
  for (const std::string& name : *folders) {
    const std::string folder = directory + "/" + name;
    const std::string path = fmt::format("{}/{}", folder, kFile);
    const Result<std::optional<Excerpt>> file = read_excerpt(source, path, kMaxSkillHead);
    if (file && !*file) continue;  // some other folder
    Result<Skill> skill = file ? parse_skill(folder, (**file).text) : Result<Skill>(file.error());
    if (!skill) {
      notices.push_back(fmt::format("the skill '{}{}' is left out: {}", source.shown_above,
                                    escape_for_display(path), describe(skill.error())));
    } else if (std::ranges::find(skills, skill->name, &Skill::name) == skills.end()) {
      skill->path = (**file).path;
      skill->owner = owner;
      skill->folder = folder;
      skills.push_back(std::move(*skill));
    }
  }
}

std::string list_skills(const std::vector<Skill>& skills) {
  std::string out;
  for (size_t i = 0; i < skills.size(); ++i) {
    const std::string line =
        fmt::format("- {}: {} ({})\n", skills[i].name, skills[i].description, skills[i].path);
    if (out.size() + line.size() > kMaxListBytes)
      return out + fmt::format("[{} more are not listed.]\n", skills.size() - i);
    out += line;
  }
  return out;
}

}  // namespace helve::guidance
