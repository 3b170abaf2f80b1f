// Journal: what change sets replaced, kept so that they can be shown and undone, by this process or
// a later one. One directory for each workspace, private to the user:
//
//   seed         for the digests of this journal
//   ahead        after the clock was set back: its time is that of the newest change
//   pending/T.ID a change that is being made, with the name of its state; see State
//   entries/T.ID a change that was made; T may be later than the one in its other names
//   kept/T.ID.N  what the N-th file of a change was before, as it was (a directory with all it
//                held)
//   objects/     the same, compressed and named by digest, once the journal was tidied
//
// Thread-safe, and for several processes at once: a change has its files to itself, names appear by
// rename, and only one process tidies.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/file_at.h"
#include "workspace/record.h"

namespace helve::workspace {

struct JournalLimits {
  std::uint64_t max_bytes = 1ull << 30;  // of what is kept
  std::int64_t max_age_ms = 30ll * 24 * 60 * 60 * 1000;
};

constexpr size_t kMaxEntries = 100'000;  // of one directory of the journal

class Journal {
 public:
  // Looks at nothing before it is needed.
  Journal(std::string directory, const JournalLimits& limits);

  // Makes the directories that are missing.
  Result<void> prepare();
  // Whether there is something to read.
  bool exists();

  const sys::Fd& kept() const { return kept_; }
  std::uint64_t mount() const { return mount_; }
  std::uint64_t seed() const { return seed_; }

  // Gives it its time, which is later than `after_ns`, and its id: the call's own, unless that made
  // another change before.
  void name(Record& record, std::int64_t after_ns = 0);
  // Gives it a new time, right before its files get their names: whatever they show of other
  // changes was made before it.
  void set_time_made(Record& record);
  // The record is in the file system, but not yet on the disk.
  Result<sys::Fd> begin(const Record& record);
  enum class State : unsigned char {
    begun,   // T.ID: only what bears temporary names was made, and directories
    staged,  // T.ID.staged: the record tells what was staged, and any of its steps may be done
    back,    // T.ID.back: the change is being taken back
    made,    // T.ID.done: only the old files must be taken in from beside the new ones
  };
  // The record gets to know what was staged, and then its new state.
  enum class Synced : bool { no, yes };
  sys::OrErrno<void> note_staged(const Record& record, const sys::Fd& file, Synced synced);
  sys::OrErrno<void> change_state(const Record& record, State from, State to);
  void abandon(const Record& record, State state);
  // The change was staged and is made. `all`: nothing of it lies beside the files.
  enum class Kept : bool { all, beside };
  sys::OrErrno<void> commit(const Record& record, Kept kept);
  // The old files are taken into the journal now.
  sys::OrErrno<void> settle(const Record& record);

  struct Pending {
    Record record;
    State state = State::begun;
  };
  struct Abandoned {
    std::vector<Pending> changes = {};       // oldest first
    std::vector<std::string> problems = {};  // what could not be looked at, and stays
  };
  // Changes of processes that are gone. Removes records that were never finished.
  Abandoned abandoned();

  // One holder at a time, among all processes.
  Result<sys::Fd> lock(std::string_view name, std::chrono::milliseconds longest) const;

  // For whoever loads a record, changes it and calls amend().
  Result<sys::Fd> lock_records() const;

  // Newest first. Names are quicker to load by.
  std::vector<std::string> names();
  std::optional<Record> load_name(const std::string& name);
  std::vector<std::string> ids();
  // The id that is this, or the only one that begins so.
  Result<std::string> whole_id(const std::string& beginning);
  Result<Record> load(std::string_view id);
  // For a change that somebody else has made, of which no step is left: what file `index` was
  // before, and then, when that is kept, the entry.
  sys::OrErrno<void> keep(const Record& record, size_t index, std::string_view content);
  Result<void> add(const Record& record, Synced synced);

  // Where what the file was before the change lies as it was, unless it was taken into the objects.
  struct KeptPlace {
    const sys::Fd* directory;
    std::string name;
    std::shared_ptr<const sys::Fd> opened = {};  // the directory, when it is not the journal's
  };
  Result<KeptPlace> find_kept(const Record& record, size_t index) const;
  // What the file was before the change; only for files and links, and not when git has it.
  Result<std::string> old_content(const Record& record, size_t index, std::uint64_t limit);
  // Replaces the entry, when there is one.
  Result<void> amend(const Record& record);

  // Compresses what is kept and forgets what is too old or too much. Nothing when another process
  // is at it, or was a short while ago.
  enum class When : bool { due, now };
  void tidy(When when, std::int64_t now_ms);

 private:
  Result<void> open(bool make);
  Result<void> open_seed();
  Result<sys::Fd> open_part(std::string_view name, bool make);
  std::optional<Record> read_record(const sys::Fd& directory, std::string_view name);
  void look_at_pending(const std::string& name, Abandoned& found);
  sys::OrErrno<std::vector<std::string>> list_names() const;
  std::int64_t newest_after(std::int64_t now_ns) const;
  // Before the entries change, which makes their directory's time that of the clock.
  void remember_ahead(std::int64_t newest_ns) const;
  bool is_due(std::int64_t now_ms);
  std::vector<std::string> pack(Record& record, std::uint64_t& budget);
  void drop_packed(const std::vector<Record>& records, const std::vector<std::string>& packed);
  std::uint64_t size_of(const Record& record) const;
  Result<void> write_entry(const Record& record, const sys::Fd& directory, const std::string& name,
                           Synced synced);
  Result<void> write_object(const Digest& digest, std::string_view content);
  Result<std::string> read_object(const Digest& digest);
  void forget(const Record& record);
  void drop_unreferenced(const std::vector<Record>& records, std::int64_t now_ms);

  const std::string path_;
  const JournalLimits limits_;
  std::mutex mutex_;  // guards opening, and what follows
  std::int64_t last_time_ = 0;
  std::deque<std::string> recent_calls_;
  std::atomic<bool> open_ = false;  // from then on what follows does not change
  sys::Fd directory_, pending_, entries_, kept_, objects_;
  std::uint64_t mount_ = 0;
  std::uint64_t seed_ = 0;
};

// The change that a name in pending/ or kept/ belongs to: its name there without what follows.
std::string change_in(std::string_view name);

// The name of the directory of a workspace's journal.
std::string journal_name(std::string_view root);

}  // namespace helve::workspace
