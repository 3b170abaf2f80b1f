// LiveIndex: the index of a tree in a process that stays. The kernel tells what changes, so that a
// search neither walks nor asks about files that did not change.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "search/contents.h"
#include "search/index_narrow.h"
#include "search/path_order.h"
#include "search/walk.h"
#include "sys/directory_watch.h"

namespace helve::search {

struct PathLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return path_less(a, b); }
};

// A file to search, and what of it.
struct ToSearch {
  std::string path;  // below the root
  Look look = Look::at_all;
  std::vector<Part> parts = {};
  FileStamp stamp = {};  // of the file that has these parts
};

struct AllToSearch {
  std::vector<ToSearch> files;  // in the order of path_less
  WalkReport report = {};       // what a walk would report
  size_t to_update = 0;         // files of the whole tree that an update would make known
  // What files held, by their paths below the root; null: nothing is known.
  std::shared_ptr<Contents> contents = {};
  std::uint64_t contents_moment = 0;
};

using FileVisit = std::function<void(std::string_view path, std::int64_t modified_ns)>;

class LiveIndex {
 public:
  // `root` is the directory at the absolute path `root_path`; both and `index` outlive this.
  LiveIndex(const sys::Fd& root, std::string root_path, Index& index);

  // Makes sure that what follows is true; false when the tree cannot be watched or `limits` ended
  // the walk. The others do this by themselves.
  bool start(const WalkOptions& limits);

  // The files in `directory` ("" for the whole tree) that can have a match, out of those that a
  // walk would show. Of the options it heeds the limits and overriding globs; other globs are left
  // to the caller. Nothing when that cannot be said: the tree cannot be watched, the limits ended
  // the walk, or the globs show a directory that is otherwise left out.
  Result<std::optional<AllToSearch>> files(std::string_view directory, const Required& required,
                                           Together together, const Around& around,
                                           const WalkOptions& options);

  // Visits all files in `directory` that a walk would show, each segment in the order of path_less,
  // with their paths from there; of the options it heeds the globs and the limits. What a walk
  // would report; nothing as above.
  std::optional<WalkReport> visit_files(std::string_view directory, const WalkOptions& options,
                                        const FileVisit& visit);

  struct Counts {
    size_t known = 0;      // files that the index knows as they are
    size_t loose = 0;      // files that are searched whole
    size_t to_update = 0;  // of them, those that an update would make known
    size_t watches = 0;
  };
  Counts counts() const;
  // In order.
  std::vector<std::string> files_to_update() const;
  std::vector<std::string> all_files() const;
  // From now on with the segments that the index has by now.
  void use_new_segments();

 private:
  struct Watching;
  class Lister;

  bool refresh(const WalkOptions& limits);
  void take_events();
  void take_event(const sys::DirectoryWatch::Event& event);
  bool walk_all(const WalkOptions& limits);
  // Walks below `path` and takes in what is there. False when that cannot be done, or not to the
  // end.
  bool walk_below(const std::string& path, const WalkOptions& limits);
  bool list_again(const std::string& directory, const WalkOptions& limits);
  bool add_directory(int watch, std::string path);
  bool add_new_directory(const std::string& path, const WalkOptions& limits);
  void forget_directory(std::string_view path);
  void give_up();
  bool note_unopened(const std::string& path, std::errc error);
  void take_files(Lister& lister);
  void look_again(const std::string& path);
  void set_segments();
  void place(const std::string& path, const FileStamp& stamp);
  void forget_files_of(std::string_view directory);
  void forget(std::string_view path);
  size_t count_to_update() const;
  bool rules_changed();
  // The files that overriding globs show although they are left out otherwise; false when they show
  // a directory.
  bool add_left_out(std::string_view directory, const GlobSet& globs,
                    std::vector<ToSearch>& out) const;
  // Whether what its files hold is little enough to be kept.
  bool is_small() const;
  // What of `directory` could not be read.
  WalkReport report_on(std::string_view directory) const;

  const sys::Fd& root_;
  const std::string root_path_;
  Index& index_;
  const std::shared_ptr<Contents> contents_;  // searches that go on may outlive this

  // Whether somebody holds the lock for long: then others do without the index.
  std::atomic<bool> is_walking_ = false;
  mutable std::mutex mutex_;  // guards all that follows
  std::optional<sys::DirectoryWatch> watch_;
  bool is_watched_ = false;  // what follows is true but for the events that wait
  std::optional<std::chrono::steady_clock::time_point> try_again_;  // it could not be watched
  std::unordered_map<int, std::string> directories_;  // by watch; paths below the root
  std::map<std::string, int, PathLess> watched_;      // the same by path
  std::shared_ptr<const Segments> segments_;
  std::vector<std::vector<bool>> known_;    // for each segment, which of its files count
  std::vector<std::vector<PathEnd>> ends_;  // for each segment, how the paths of its files end
  std::map<std::string, FileStamp, PathLess> loose_;
  // Hidden and ignored files and directories; what such a directory holds is not known.
  std::map<std::string, sys::FileKind, PathLess> left_out_;
  std::set<std::string> to_list_;          // directories whose entries changed
  std::set<std::string> to_stat_;          // files whose content or attributes changed
  std::set<std::string> rules_elsewhere_;  // as WalkReport has them
  std::vector<std::pair<std::string, FileStamp>> rules_;  // that no event tells about
  std::vector<WalkReport::Unreadable> unreadable_;
  std::uint64_t unreadable_count_ = 0;
};

}  // namespace helve::search
