// Workspace: the directories that tools may see, and the only way to their files. Every path is
// resolved by the kernel below a root's descriptor, so neither "..", nor a link, nor a directory
// swapped at the right moment leads out.
//
// What holds for writing: a link is never written through, nor a file that has other names (hard
// links); .git, .helve and the protected directories are not written to, whether they exist or not;
// a file is never changed in place, so that every moment and every failure shows the old content or
// the new.
//
// Thread-safe: the roots never change, and writers of one file take turns.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "sys/file_at.h"
#include "sys/program.h"
#include "workspace/change.h"
#include "workspace/command_change.h"
#include "workspace/history.h"
#include "workspace/journal.h"
#include "workspace/leftovers.h"
#include "workspace/locks.h"
#include "workspace/seen.h"

namespace helve::workspace {

enum class Access : unsigned char { read_only, writable };
// Whether a write is on the disk when it is acknowledged.
enum class Durability : unsigned char { synced, unsynced };
// Whether a root may be "/", the home directory or a directory above it. Only when somebody named
// it.
enum class Breadth : unsigned char { narrow, any };

// A file with several names may have one outside the roots. Such a file is never written to.
enum class HardLinks : unsigned char { read, refuse };

struct Options {
  struct Root {
    std::string path;  // absolute, or relative to the current directory
    Access access = Access::writable;
    std::optional<Breadth> breadth = {};  // when not as the others
  };
  std::vector<Root> roots;  // at least one; the first is where relative paths begin
  Breadth breadth = Breadth::narrow;
  Durability durability = Durability::synced;
  HardLinks hard_links = HardLinks::read;
  // Not written to, wherever a root or a link leads; they need not exist. Absolute, or relative to
  // the current directory.
  std::vector<std::string> protected_directories = {};
  // Where the journals of all workspaces are; this one's is made with its first change. Empty: what
  // is changed cannot be undone.
  std::string journal_directory = {};
  JournalLimits journal_limits = {};
};

struct Root {
  std::string path;  // absolute, without links
  std::string
      called;  // absolute, as it was named; the same file by another path when links were named
  Access access;
  sys::Fd directory;
};
// Fails (root_moved) when the paths of the root no longer lead to its directory.
Result<void> check_root(const Root& root);

struct OpenFile {
  sys::Fd file;
  sys::FileStatus status;
  std::string real_path;  // the same for every path that leads to it
};

enum class Hidden : unsigned char { skip, show };
struct ListOptions {
  int depth = 1;                 // 1: only the directory itself
  Hidden hidden = Hidden::skip;  // names that begin with a dot
  size_t limit = 1000;
  std::stop_token stop = {};
  // By the path below the listed directory; null: nothing.
  std::function<bool(std::string_view path, bool is_directory)> leaves_out = {};
};
struct Entry {
  std::string path;  // below the listed directory; bytes as they are
  sys::FileKind kind = sys::FileKind::file;
  std::uint64_t size = 0;
  std::string target;  // of a symlink
};
struct Listing {
  std::vector<Entry> entries;  // each directory sorted by name, followed by what it holds
  std::uint64_t total = 0;     // entries of all directories that were read
  bool complete = true;        // false: the limit ended the walk, `entries` or `total` lack some
  std::vector<std::string> unreadable;  // directories, as paths below the listed one
};

struct FileInfo {
  std::string path;  // below the first root
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;
};

class ChangeSet;
class History;

class Workspace {
 public:
  // Fails when a root is missing, too wide, overlaps one of other access, or when the kernel cannot
  // open beneath.
  static Result<std::unique_ptr<Workspace>> make(const Options& options);

  // Before the first use. Finishes or takes back what processes that are gone left half done.
  void open_journal(const std::string& directory, const JournalLimits& limits);
  ~Workspace();

  const std::vector<Root>& roots() const { return roots_; }
  // What commands can write to, or could when they were run elsewhere.
  sys::Writable root_paths() const;
  HardLinks hard_links() const { return hard_links_; }
  // What became of changes that were interrupted, as far as people should know.
  const std::vector<std::string>& notices() const { return notices_; }

  // Paths are relative to the first root, or absolute and in any root.

  // A regular file for reading; links that stay beneath the root are followed.
  Result<OpenFile> open_file(std::string_view path) const;
  // A directory, to walk what lies below it; links that stay beneath the root are followed.
  Result<sys::Fd> open_directory(std::string_view path) const;
  // A directory, or the one entry that is not a directory. .git is shown when hidden names are, but
  // not entered.
  Result<Listing> list(std::string_view path, const ListOptions& options = {}) const;
  // A regular file as a whole; larger than `limit` bytes is too_large.
  Result<Snapshot> read_whole(std::string_view path, size_t limit = kMaxWrite) const;

  // Makes all the changes or none: whatever fails, what was done is taken back. Each path at most
  // once. Makes missing parents. Keeps mode, owner and extended attributes of what was there.
  Result<Applied> apply(std::span<const Change> changes, const Author& author);
  // Whether that would be refused as things are; changes nothing.
  Result<void> check(std::span<const Change> changes) const;

  // What tools changed here. Without a journal there is nothing.
  Result<Past> past(const PastQuery& query);
  Result<Differences> differences(const Selection& selection);
  // Takes the selected changes back as one change, which can be undone itself. A file that was
  // changed since is a conflict, and then nothing is changed. Nothing else is touched.
  Result<Undone> undo(const Selection& selection, Rehearsal rehearsal, const Author& author);

  // After a command changed files: so that undo takes it back, as far as what was there is known.
  CommandNote note_command(const CommandChange& change, const Author& author);

  // For changed_since(): now.
  std::uint64_t moment() const;
  // Absolute paths that tools changed here since then, as far as they are remembered.
  std::set<std::string> changed_since(std::uint64_t moment) const;

  // For a process that makes one call: whatever it sees is soon forgotten.
  void remember_nothing() { seen_.remember_nothing(); }
  // The session has seen the file as it is now; `whole` when that was all of it.
  void saw(std::string_view session, const OpenFile& file, std::optional<std::string_view> whole);
  void saw(std::string_view session, const Snapshot& whole);
  // A conflict when somebody else changed the file since the session saw it. What a session never
  // saw, and what it wrote itself, it may change.
  Result<void> check_seen(std::string_view session, std::string_view path, const Snapshot& now);
  // The same for a file that was not read: reads it only when it must. The version that was
  // checked; nothing when the session never saw the file, when it is gone, or a link.
  Result<std::optional<Version>> check_seen(std::string_view session, std::string_view path);

  // After something that belongs to the call may have changed the files that it wrote.
  void look_again(std::string_view call_id);

  // How the path is shown: relative to the first root when it lies there, valid UTF-8.
  std::string display(std::string_view path) const;

  // Regular files of the first root in the order of their parts, bytewise, that come after the path
  // `cursor` (empty: from the start). Leaves out hidden names, links and what cannot be read; reads
  // no directory it does not need.
  Result<std::vector<FileInfo>> files_after(std::string_view cursor, size_t limit,
                                            std::stop_token stop = {}) const;
  // Paths that begin with `prefix`; directories end in a slash. Nothing when there are none.
  std::vector<std::string> complete_path(std::string_view prefix, size_t limit) const;

 private:
  friend class History;
  struct Place {
    const Root* root;
    std::string_view path;  // below the root; "." for the root itself
  };

  explicit Workspace(const Options& options)
      : durability_(options.durability), hard_links_(options.hard_links) {}
  Result<void> add_root(const Options::Root& option, Breadth breadth);
  Result<void> check_links() const;
  Result<Place> locate(std::string_view path) const;
  std::optional<Place> climb(std::string_view path) const;
  enum class Kept : bool { in_journal, beside };
  Result<void> add(ChangeSet& set, const Change& change) const;
  void note_written(const Applied& applied, ChangeSet& set, const Author& author);
  Result<Applied> attempt(ChangeSet& set, std::span<const Change> changes, const Author& author,
                          Kept kept);
  Result<void> change_journaled(ChangeSet& set, const Author& author, Kept kept, Applied& applied);
  void take_in(ChangeSet& set, const Record& record, Applied& applied);
  bool take_in_from_beside(ChangeSet& set, const Record& record, Applied& applied) const;
  void tidy_now_and_then();
  bool add_to_journal(Record& record, const std::map<size_t, std::string>& kept,
                      const Author& author);
  std::string shown(const Place& place) const;
  // The same for every path that leads to the file.
  std::string seen_key(std::string_view path) const;
  Error failed(std::errc number, std::string_view action, const Place& place) const;
  Error missing(std::string_view action, const Place& place) const;
  // "'a' is a file, not a directory", of a path that goes on after it.
  std::string part_that_is_a_file(const Place& place) const;
  // The same next steps for an error of a change.
  Error with_hint(Error error, std::span<const Change> changes) const;
  // Tells an error about a path outside which directories are inside.
  Error with_roots(Error error) const;

  std::vector<Root> roots_;
  Durability durability_;
  HardLinks hard_links_;
  std::vector<std::string> protected_directories_;  // absolute
  Locks locks_;
  Leftovers leftovers_;
  Seen seen_;
  std::unique_ptr<Journal> journal_;  // null: there is none
  std::vector<std::string> notices_;

  struct Recent {  // what a call wrote
    std::string call_id, id, session;
    std::vector<std::string> paths;
  };
  static constexpr size_t kMaxRecent = 64;
  static constexpr size_t kMaxWritten = kMaxChanges;
  mutable std::mutex recent_mutex_;
  std::deque<Recent> recent_;                                  // guarded by recent_mutex_
  std::deque<std::pair<std::uint64_t, std::string>> written_;  // the same; by moment
  std::uint64_t moment_ = 0;                                   // the same
  std::atomic<std::uint64_t> changes_made_ = 0;
  std::atomic<bool> tidying_ = false;
  std::jthread tidier_;  // only whoever set tidying_ touches it
};

}  // namespace helve::workspace
