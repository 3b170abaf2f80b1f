// What of a command's change bore another name before. Undo gives it that name back, and must never
// take away what holds all that is left of a file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workspace/command_change.h"

namespace helve::workspace {

// A file, a link; what else there is, and files with other names, are never written to.
bool can_be_restored(const Found& found);
// Whether one of the paths is a directory around the path.
bool is_inside(const std::set<std::string>& directories, const std::string& path);

// Borrows the files, which are in the order of paths.
class CommandMoves {
 public:
  struct Knowledge {
    // Whether what was there before can be brought back.
    std::function<bool(const CommandFile&)> is_known;
    // When what is there now was made, where the file system knows.
    std::function<std::optional<std::int64_t>(const std::string&)> born_ns;
  };
  // `wholes`: directories that came, and could go with all they hold.
  CommandMoves(const std::vector<CommandFile>& files, std::set<std::string> wholes,
               Knowledge knowledge);

  // Where what bore the path is now, if undo moves it back.
  const std::string* target(const std::string& path) const;
  // Whether undo moves what is there to where it was.
  bool is_target(const std::string& path) const { return origins_.contains(path); }
  // Whether undo must leave what is there: it was a file that could not be brought back otherwise,
  // or nothing that undo could take away.
  bool stays(const std::string& path) const { return staying_.contains(path); }
  // Directories that go with all they hold, which is not recorded by itself.
  const std::set<std::string>& wholes() const { return wholes_; }

 private:
  using Inode = std::pair<std::uint64_t, std::uint64_t>;

  const CommandFile* find(const std::string& path) const;
  const CommandFile* origin_of(const CommandFile& file) const;
  void begin(const CommandFile& file);
  bool can_hold(const CommandFile& from, const CommandFile& to) const;
  void stay(const CommandFile& file);
  void drop(const CommandFile& to);
  void keep_around(const CommandFile& file);
  void settle_dropped(const CommandFile& from);
  void settle_stayed(const CommandFile& file);
  void settle();

  const std::vector<CommandFile>& files_;
  const Knowledge knowledge_;
  std::set<std::string> wholes_;
  std::map<Inode, const CommandFile*> left_;   // what no longer bears its name, by what it was
  std::map<Inode, const CommandFile*> heirs_;  // which file is that now
  std::map<std::string, const CommandFile*> origins_, targets_;  // of moves, by the other end
  std::set<std::string> staying_;
  // What was found to stay, and what does not come back by a move: what follows is not yet done.
  std::vector<const CommandFile*> stayed_, dropped_;
};

}  // namespace helve::workspace
