// Witness: sees which files change in the roots of a workspace while a command runs. It lists the
// trees once; from then on the kernel tells what changes, so that a command that changes nothing
// costs next to nothing. Where the kernel does not tell, the trees are listed again.
//
// What rules such as .gitignore leave out is not listed: only what of it was touched is told. Of
// a root's .git only that HEAD moved and that the index changed, and of its .helve nothing; of a
// .git or .helve further below only that it came or went.
//
// A file that is written by another name of it (a hard link) is looked at again when that name is
// seen, or came and went. A name in what is not listed is not seen.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/ignore.h"
#include "search/repository.h"
#include "search/sight.h"
#include "sys/directory_watch.h"
#include "sys/file_at.h"

namespace helve::search {

struct Sighting {
  std::string path;  // absolute
  std::optional<Sight> before, after;
  bool is_shared = false;  // another watch was there when it changed: it may be that one's doing
};

// What ignored files were touched: one, or so many in a directory.
struct IgnoredSighting {
  std::string path;  // absolute
  bool is_directory = false;
  size_t files = 0;
  bool or_more = false;  // not all of the directory was looked at
};

// A repository as it was before.
struct RepositoryBefore {
  Repository repository;
  std::shared_ptr<const sys::Fd> index;  // the file that was its index then
};

struct Testimony {
  std::vector<Sighting> changes;  // in the order of paths
  std::vector<IgnoredSighting> ignored = {};
  std::vector<RepositoryBefore> repositories = {};
  bool head_moved = false;
  bool index_changed = false;
};

class Witness {
 public:
  static constexpr size_t kMaxEntries = 50'000;

  struct Root {
    std::string path;  // absolute
    const sys::Fd* directory;
  };
  // Does nothing before it is needed. The roots outlive it.
  explicit Witness(std::vector<Root> roots, size_t max_entries = kMaxEntries);
  ~Witness();

  class Watch;
  // Remembers how things are. Null: there are too many files, or they cannot be listed.
  std::shared_ptr<Watch> begin();
  // What changed since. `allowance`: so many entries of ignored directories are looked at.
  Testimony end(const std::shared_ptr<Watch>& watch, size_t allowance);
  // Whether there are too many files; true once.
  bool must_tell_too_many();

 private:
  struct Directory;
  struct Git;

  bool refresh();
  bool list_all();
  void list_anew();
  sys::OrErrno<sys::Fd> open(const std::string& path, size_t root) const;
  void enter(const std::string& path, size_t root);
  void list(const std::string& path, const sys::Fd& opened);
  void look(const std::string& path, const std::string& name);
  // Other names of what was touched: all that are known, or those of one file.
  void look_at_all();
  void look_at_others();
  bool is_left_out(const std::string& path, std::string_view name) const;
  std::optional<Sight> sight_at(const sys::Fd& opened, const std::string& path,
                                const std::string& name);
  std::optional<Sight> sight_of(const std::string& path) const;
  size_t root_of(const std::string& path) const;
  bool is_older(const std::string& path, const Sight& now, std::int64_t than_ns) const;
  // What bears the name in the directory now; nothing: it is gone, or ignored.
  void see(const std::string& path, const std::string& name, std::optional<Sight> now);
  void leave(const std::string& path);
  void give_up();
  // For whoever watches: how it was before, what of the ignored was touched.
  void note(const std::string& path, const std::optional<Sight>& before);
  void note_ignored(const std::string& path, std::int64_t changed_ns);
  void take_event(const sys::DirectoryWatch::Event& event,
                  std::set<std::pair<std::string, std::string>>& touched);
  bool take_git_event(const sys::DirectoryWatch::Event& event);
  void find_repositories();
  static void open_index(Git& git);
  void count_ignored(const Watch& watch, size_t allowance, Testimony& told) const;

  const std::vector<Root> roots_;
  const size_t max_entries_;
  std::mutex mutex_;  // guards all that follows
  std::optional<sys::DirectoryWatch> events_;
  bool is_listed_ = false;
  bool is_watched_ = false;      // what follows is true but for the events that wait
  bool rules_changed_ = false;   // while everything is listed anew
  bool may_have_links_ = false;  // the same: files may have changed by a name that is gone
  std::set<std::pair<std::uint64_t, std::uint64_t>> linked_;  // files with several names, changed
  bool too_many_ = false, told_too_many_ = false;
  size_t entries_ = 0;
  std::uint64_t max_watches_ = 0;
  std::map<std::string, Directory> directories_;  // by absolute path
  std::unordered_map<int, std::string> watches_;
  std::set<std::string> ignored_;  // directories, absolute
  std::vector<std::unique_ptr<Git>> gits_;
  std::vector<std::weak_ptr<Watch>> watching_;  // weak: a call that failed has let go of its own
};

}  // namespace helve::search
