// Skills: folders with a SKILL.md, whose front matter says what it is for. A model is told the
// names and the purposes; it reads the file when a task asks for it.
#pragma once

#include <string>
#include <vector>

#include "app/prompt_sources.h"

namespace helve::app {

struct Skill {
  std::string name;
  std::string description;
  std::string path;  // of the file, as it is shown
};

// Those in the folders of a directory. A skill whose name is taken, and one that cannot be read, is
// left out; the latter is noticed.
void add_skills(std::vector<Skill>& skills, const PromptSource& source,
                const std::string& directory, std::vector<std::string>& notices);

// A line for each, bounded; what is left out is said.
std::string list_skills(const std::vector<Skill>& skills);

}  // namespace helve::app
