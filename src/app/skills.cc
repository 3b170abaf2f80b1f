#include "app/skills.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/front_matter.h"
#include "base/text.h"

namespace helve::app {
namespace {

constexpr std::string_view kFile = "SKILL.md";
constexpr size_t kMaxFolders = 200;       // of one directory
constexpr size_t kMaxHead = 8u << 10;     // bytes of a file in which the front matter must end
constexpr size_t kMaxNameChars = 64;      //
constexpr size_t kMaxPurposeChars = 400;  //
constexpr size_t kMaxListBytes = 16u << 10;

std::string one_line(std::string_view text, size_t chars) {
  std::string line;
  for (const char c : trim(text)) line += c == '\n' || c == '\t' ? ' ' : c;
  return preview(escape_for_display(line), chars);
}

Result<Skill> parse_skill(const std::string& folder, const Excerpt& file) {
  std::string_view text = file.text;
  const Json head = TRY(take_front_matter(text));
  Skill skill{.name = one_line(string_at(head, "name"), kMaxNameChars),
              .description = one_line(string_at(head, "description"), kMaxPurposeChars),
              .path = file.path};
  if (skill.name.empty()) skill.name = one_line(folder, kMaxNameChars);
  if (skill.description.empty())
    return Error{Code::invalid_argument, "its front matter has no description"};
  return skill;
}

}  // namespace

void add_skills(std::vector<Skill>& skills, const PromptSource& source,
                const std::string& directory, std::vector<std::string>& notices) {
  const Result<std::vector<std::string>> folders = names_in(source, directory, kMaxFolders);
  if (!folders) return notices.push_back(describe(folders.error()));
  for (const std::string& folder : *folders) {
    const std::string path = fmt::format("{}/{}/{}", directory, folder, kFile);
    const Result<std::optional<Excerpt>> file = read_excerpt(source, path, kMaxHead);
    if (file && !*file) continue;  // some other folder
    Result<Skill> skill = file ? parse_skill(folder, **file) : Result<Skill>(file.error());
    if (!skill)
      notices.push_back(fmt::format("the skill '{}{}' is left out: {}", source.shown_above,
                                    escape_for_display(path), describe(skill.error())));
    else if (std::ranges::find(skills, skill->name, &Skill::name) == skills.end())
      skills.push_back(std::move(*skill));
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

}  // namespace helve::app
