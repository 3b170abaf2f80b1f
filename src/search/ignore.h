// Ignore: which files of a tree are left out, by the rules of git and ripgrep. .rgignore goes
// before .ignore, that before .gitignore, that before .git/info/exclude, that before the user's own
// excludes file; among files of one name the one nearest to the file goes first, and in it the last
// line that matches. What belongs to git counts only inside a repository, and only up to its root.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "search/glob_set.h"
#include "sys/file_descriptor.h"

namespace helve::search {

constexpr size_t kMaxIgnoreFile = 4u << 20;  // bytes; a longer one counts for nothing

// The names in a directory that tell what to leave out.
struct IgnoreNames {
  bool git = false;  // .git, a directory or a file: here begins a repository
  bool gitignore = false;
  bool ignore = false;
  bool rgignore = false;

  bool any() const { return git || gitignore || ignore || rgignore; }
  // Notes the name when it is one of them.
  void note(std::string_view name);
};

// The rules that hold in one directory: its own and those of the directories above. Immutable, so
// any thread may use it.
class Ignore {
 public:
  // Shared, because the directories below are walked by any thread at any time and the last one
  // that needs the rules lets go of them.
  using Ptr = std::shared_ptr<const Ignore>;

  struct Unread {
    std::string name;
    std::errc error;
  };

  // The rules of all directories above this one; null when there are none.
  static Ptr above(std::string_view absolute_directory);
  // Those of `parent` and of the directory, which has these names. Its own files that could not be
  // read are added to `unread`, with the reason.
  static Ptr in(const sys::Fd& directory, std::string_view absolute_directory,
                const IgnoreNames& names, Ptr parent, std::vector<Unread>& unread);

  // The path is absolute. `matched`: left out; `negated`: kept by an express rule, even when
  // hidden.
  Verdict decide(const Candidate& candidate) const;

  // Absolute paths of files with rules that can change without an event in a walked directory,
  // whether they exist or not: a repository's own list, what a link leads to, a file with another
  // name.
  const std::vector<std::string>& files_elsewhere() const { return files_elsewhere_; }
  const Ignore* parent() const { return parent_.get(); }

 private:
  void read_repository(const sys::Fd& directory, std::string_view absolute_directory);

  Ptr parent_;
  size_t base_ = 0;             // where in an absolute path the names below this directory begin
  bool is_repository_ = false;  // it has a .git
  bool in_repository_ = false;  // it, or a directory above
  std::vector<std::string> files_elsewhere_;
  GlobSet rgignore_, ignore_, gitignore_, exclude_;
  GlobSet global_;  // the user's own, with the repository that it is about
};

// The user's own excludes file, as git's configuration names it, or where git looks by default;
// empty: there is none. Does not run git. A repository's own configuration is not asked: a
// stranger's must not choose which of our files are read.
std::string global_excludes_path();
// The value of core.excludesFile in the text of a git configuration, the last one; empty: not set.
std::string excludes_file_setting(std::string_view config);

}  // namespace helve::search
