// walk: every file of a tree, in parallel, without what the rules leave out. A directory is opened
// below the root's descriptor and never through a link; nothing but directories and the files with
// rules is opened. Small trees are walked on the calling thread alone.
//
// The visitor works on the thread that walks, while the file's directory is open: it can read or
// stat the file without resolving its path again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "search/glob_set.h"
#include "sys/file_at.h"

namespace helve::search {

struct FileStamp;
class Contents;

// Names that begin with a dot.
enum class Hidden : unsigned char { skip, show };
enum class IgnoreRules : unsigned char { respect, none };
// Whether the contents of .git are shown when hidden names are. Its own name always is then.
enum class GitDirectory : unsigned char { enter, skip };
enum class GlobUse : unsigned char {
  filter,      // only what matches is visited, of what the other rules leave
  overriding,  // as ripgrep's --glob: what matches is visited even if it is hidden or ignored
};

struct WalkOptions {
  Hidden hidden = Hidden::skip;
  IgnoreRules ignore = IgnoreRules::respect;
  GitDirectory git_directory = GitDirectory::skip;
  // Of paths below the walked directory; null: everything. Excludes also keep the walk from
  // entering a directory.
  const GlobSet* globs = nullptr;
  GlobUse glob_use = GlobUse::filter;
  // Visitors are told what is left out, of a walk without globs.
  bool tell_left_out = false;
  int max_depth = 1000;  // 1: only the directory itself
  // Visitors that do much with each file: so many files at most are visited in a row before other
  // threads may take the next. 0: listing is all, so that a directory is never worth sharing.
  size_t batch = 0;
  unsigned threads = 0;  // 0: one per core
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// Whole lines of a file that follow each other.
struct Part {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t lines_before = 0;
};

// Valid during the visit.
struct Item {
  const sys::Fd& directory;
  std::string_view name;  // of the entry in `directory`; an index gives the path from there
  std::string_view path;  // below the walked directory
  sys::FileKind kind;     // of a link itself; links are never followed
  // What of a file can matter, in order and with gaps between; empty: all of it. A walk does not
  // know.
  std::span<const Part> parts = {};
  const FileStamp* parts_of = nullptr;  // the file that has these parts; another has others
  // What files held, by these names, and the moment when this one was known not to have changed;
  // null: nothing is known.
  Contents* contents = nullptr;
  std::uint64_t contents_moment = 0;
};

enum class Next : unsigned char {
  go_on,
  skip,  // do not enter this directory
  stop,  // end the walk
};

// One for each thread, so it needs no locks. Directories are visited before what they hold. What
// it throws ends the walk as if memory had run out.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual Next visit(const Item& item) = 0;
  // A hidden or ignored entry, when the options ask for them. It is not entered.
  virtual void left_out(const Item&) {}
};

struct WalkReport {
  enum class End : unsigned char { complete, stopped_by_visitor, cancelled, deadline };
  struct Unreadable {
    std::string path;  // below the walked directory
    std::errc error;
  };

  End end = End::complete;
  std::uint64_t directories = 0;            // that were read
  std::uint64_t files = 0;                  // in them, whatever the rules and globs say
  std::vector<Unreadable> unreadable = {};  // directories and files with rules; the first ones …
  std::uint64_t unreadable_count = 0;       // … of so many
  // As Ignore::files_elsewhere says, of all rules that were followed.
  std::vector<std::string> rules_elsewhere = {};
};
constexpr size_t kMaxUnreadable = 100;  // that a report names

// Whether the error says that an entry is gone, or is something else, since its name was read.
bool is_gone(std::errc error);

// `visitor` is called once on each thread that takes part; what it returns must outlive the walk.
// Calls are never at the same time. Fails only when the directory itself cannot be read, or
// memory runs out.
sys::OrErrno<WalkReport> walk(const sys::Fd& directory, const WalkOptions& options,
                              const std::function<Visitor&()>& visitor);

}  // namespace helve::search
