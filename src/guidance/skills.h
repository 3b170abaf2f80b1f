// Skills: folders with a SKILL.md, whose front matter says what it is for. A model is told the
// names and the purposes; it reads the file when a task asks for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "guidance/source.h"

namespace helve::guidance {

// Whose a file is.
enum class Owner : unsigned char { user, project };
std::string_view name_of(Owner owner);

struct Skill {
  std::string name;
  std::string description;
  std::string path;  // of the file, as it is shown
  Owner owner = Owner::project;
  std::string folder = {};         // below the source
  bool agent_modification = true;  // whether tools may change it
};

constexpr size_t kMaxSkillHead = 8u << 10;  // bytes of a file in which the front matter must end

// Errors of the type invalid_frontmatter.
Result<Skill> parse_skill(const std::string& folder, std::string_view text);

// Whether a text is a skill of this very name.
Result<void> check_skill(const std::string& name, std::string_view text);

constexpr size_t kMaxSkills = 200;  // of one directory that are looked at

// The skill in a folder; nothing when there is no SKILL.md in it.
Result<std::optional<Skill>> read_skill(const Source& source, Owner owner,
                                        const std::string& folder);

// Those in the folders of a directory, in the order of these. A skill whose name is taken, one that
// cannot be read, and what is beyond the limit is left out and noticed.
void add_skills(std::vector<Skill>& skills, const Source& source, Owner owner,
                const std::string& directory, std::vector<std::string>& notices);

// A line for each, bounded; what is left out is said.
std::string list_skills(const std::vector<Skill>& skills);

}  // namespace helve::guidance
