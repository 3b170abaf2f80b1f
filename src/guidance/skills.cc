#include "guidance/skills.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "guidance/front_matter.h"

namespace helve::guidance {
namespace {

constexpr std::string_view kFile = "SKILL.md";
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
  const auto wrong = [](std::string message, std::string hint) {
    return Error{Code::invalid_argument, std::move(message), std::move(hint),
                 std::string(kInvalidFrontMatter)};
  };
  if (!is_utf8(text)) return wrong("it is not UTF-8 text", "convert it to UTF-8");
  const Skill skill = TRY(parse_skill(name, cut_utf8(text, kMaxSkillHead)));
  if (skill.name == name) return {};
  return wrong(fmt::format("its name would be '{}', not '{}'", skill.name, name),
               "leave the name in its front matter as it is");
}

Result<std::optional<Skill>> read_skill(const Source& source, Owner owner,
                                        const std::string& folder) {
  const std::optional<Excerpt> file =
      TRY(read_excerpt(source, fmt::format("{}/{}", folder, kFile), kMaxSkillHead));
  if (!file) return std::optional<Skill>();
  Skill skill = TRY(parse_skill(folder, file->text));
  skill.path = file->path;
  skill.owner = owner;
  skill.folder = folder;
  return std::optional(std::move(skill));
}

void add_skills(std::vector<Skill>& skills, const Source& source, Owner owner,
                const std::string& directory, std::vector<std::string>& notices) {
  const Result<Names> folders = names_in(source, directory);
  if (!folders) return notices.push_back(describe(folders.error()));
  if (folders->is_cut) notices.push_back(folders->note(source.shown_above + directory));
  size_t looked_at = 0;
  for (const std::string& name : folders->names) {
    const std::string folder = directory + "/" + name;
    Result<std::optional<Skill>> read = read_skill(source, owner, folder);
    if (read && !*read) continue;  // some other folder
    const std::string shown =
        fmt::format("{}{}/{}", source.shown_above, escape_for_display(folder), kFile);
    if (looked_at++ == kMaxSkills)
      return notices.push_back(
          fmt::format("the skill '{}' and those after it are left out: {} of one directory are the "
                      "limit",
                      shown, kMaxSkills));
    if (!read) {
      notices.push_back(
          fmt::format("the skill '{}' is left out: {}", shown, describe(read.error())));
      continue;
    }
    const auto other = std::ranges::find(skills, (*read)->name, &Skill::name);
    if (other == skills.end())
      skills.push_back(std::move(**read));
    else
      notices.push_back(fmt::format("the skill '{}' is left out: '{}' is called '{}', too", shown,
                                    other->path, other->name));
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
