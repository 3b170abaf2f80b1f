// Targets: where changes are about to be made, held by the descriptors of their directories. From
// here on only single names are used, so nothing that is renamed or linked meanwhile can move a
// change elsewhere.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/workspace.h"

namespace helve::workspace {

struct Directory {
  sys::Fd descriptor;  // of the deepest part that exists; after make_missing() of all of it
  std::string key;     // names what the descriptor held when it was found
  std::string path;    // absolute, without links, of all of it
  std::vector<std::string> missing = {};  // to be made below the descriptor, outermost first
  std::string wanted_for = {};            // a target in it, for messages
};

struct Target {
  Directory* directory = nullptr;
  std::string name;
  std::string shown;  // the whole path, for messages
  std::string key;    // the same for every path that leads here, once its directory exists

  const sys::Fd& at() const { return directory->descriptor; }
  std::string path() const { return directory->path + "/" + name; }
  // Of what bears the name now.
  sys::OrErrno<sys::FileStatus> status() const { return sys::status_at(at(), name); }
};

struct WriteRules {
  Durability durability;
  std::span<const std::string> protected_directories;
  HardLinks hard_links = HardLinks::read;
};

// Each directory is resolved once, however many targets lie in it. For one thread.
class Targets {
 public:
  explicit Targets(const WriteRules& rules);

  // Makes nothing. Refuses read-only roots, protected parts and directories (whatever leads to
  // them) and paths that cannot name a file. `action` is a verb for messages.
  enum class Guidance : bool { refused, allowed };  // prompts and skills of the root
  Result<Target> find(const Root& root, std::string_view path, std::string shown,
                      std::string_view action, Guidance guidance = Guidance::refused);
  // Whether the directory that bears the target's name is too large, or holds what file tools do
  // not touch; one that is as a change made it may hold that, and is taken back.
  enum class TreeUse : unsigned char { remove, move, take_back };
  Result<void> check_tree(const Target& target, TreeUse use, std::string_view action) const;
  // For a directory or a link that gets the target's name: what it brings along must not come to
  // lie where a protected directory is, or would be.
  Result<void> check_arrival(const Target& target, std::string_view action) const;
  // For a link that goes away: no protected directory may be reached through it.
  Result<void> check_link(const Target& target, std::string_view action) const;

  // For a file that goes away: what has several names is not read, so neither may its past be.
  Result<void> check_names(const sys::FileStatus& file, std::string_view shown,
                           std::string_view action) const;

  // Paths that make_missing() would make, outermost first.
  std::vector<std::string> missing() const;
  Result<void> make_missing();
  // For a change that came to nothing. Directories that hold something by now stay.
  void remove_created();
  // Whether each directory is where it was found, or was until somebody removed it: whoever moved
  // one has taken along what was just done in it. A conflict (changed_meanwhile) otherwise.
  Result<void> check_places() const;
  // The directories of all targets, and those in which others were made.
  sys::OrErrno<void> sync() const;

  void for_each(const std::function<void(Directory&)>& visit);

 private:
  struct Created {
    sys::Fd parent;
    std::string name;
  };
  Result<std::unique_ptr<Directory>> open(const Root& root, std::string_view path,
                                          std::string_view shown, std::string_view action,
                                          Guidance guidance) const;
  Result<void> check_protected(std::string_view whole, std::string_view shown,
                               std::string_view action) const;
  Result<void> make_missing(Directory& directory);
  Result<Directory*> find_directory(const Root& root, std::string_view path, std::string_view shown,
                                    std::string_view action, Guidance guidance);

  HardLinks hard_links_;
  const Root* checked_ = nullptr;  // the last one that was found to be where it was
  std::span<const std::string> protected_as_named_;
  std::vector<std::string> protected_;  // real paths
  std::map<std::string, std::unique_ptr<Directory>, std::less<>> directories_;
  std::vector<Created> created_;
};

}  // namespace helve::workspace
