// Library: the prompts and skills of the user and of a workspace: where they lie, which of them
// count, and the only way in which tools change those of the workspace.
//
// The user's own lie in the config directory and are only read. Those of the workspace lie in
// .helve, which file tools do not write. Of two with one name the user's own counts, so that no
// workspace takes its place.
//
// Thread-safe, as the workspace is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guidance/prompt.h"
#include "guidance/skills.h"
#include "workspace/workspace.h"

namespace helve::guidance {

struct File {
  Owner owner = Owner::project;
  std::string path;              // as it is shown
  workspace::Snapshot snapshot;  // of the user's own only the content

  const std::string& text() const { return snapshot.content; }
};

struct PromptFile {
  Prompt prompt;
  File file;
};
struct SkillFile {
  Skill skill;
  File file;
};

// What there is, by name, and which files are left out, and why.
template <class Item>
struct Shelf {
  std::vector<Item> items;
  std::vector<std::string> problems;
};

class Library {
 public:
  // Borrows the files; null: there is no workspace. An empty directory: the user has none.
  Library(workspace::Workspace* files, std::string config_directory)
      : files_(files), config_directory_(std::move(config_directory)) {}

  Shelf<PromptFile> prompts() const;
  Shelf<PromptFile> prompts_of(Owner owner) const;
  Result<PromptFile> prompt(std::string_view name) const;

  Shelf<Skill> skills() const;
  Result<SkillFile> skill(std::string_view name) const;
  Result<File> file_of(const Skill& skill) const;
  // A file in the folder of a skill, by its path there, and what else the folder holds.
  Result<File> beside(const Skill& skill, const std::string& path) const;
  Names names_beside(const Skill& skill) const;

  // Where a prompt, or a skill, of the workspace lies; fails on what is no name.
  static Result<std::string> prompt_path(std::string_view name);
  static Result<std::string> skill_path(std::string_view name);

  // Makes or replaces such a file, or removes it. What is not as expected is a conflict of the type
  // mtime_conflict, what is there already one of the type path_conflict.
  Result<workspace::Applied> write(const std::string& path, std::string content,
                                   std::optional<workspace::Version> expected,
                                   const workspace::Author& author) const;
  Result<workspace::Applied> remove(const File& file, const workspace::Author& author) const;

 private:
  struct SkillPlace {
    Source source;
    Owner owner;
    std::string directory;
  };
  std::vector<SkillPlace> skill_places() const;  // the first count first
  Result<File> read(Owner owner, const std::string& path) const;
  Result<workspace::Applied> apply(const workspace::Change& change,
                                   const workspace::Author& author) const;

  workspace::Workspace* const files_;
  const std::string config_directory_;
};

}  // namespace helve::guidance
