// Journal: what change sets replaced, kept so that they can be shown and undone, by this process or
// a later one. One directory for each workspace, private to the user:
//
//   seed         for the digests of this journal
//   pending/T.ID a change that is being made; T.ID.staged when all its new files are written, and
//                names may have changed; T.ID.done when it is made and its old files still lie
//                beside the new ones
//   entries/T.ID a change that was made
//   kept/T.ID.N  what the N-th file of a change was before, as it was (a directory with all it
//   held) objects/     the same, compressed and named by digest, once the journal was tidied
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

  // Gives it its time and its id: the call's own, unless that made another change before.
  void name(Record& record);
  // The record is in the file system, but not yet on the disk: sync_data on the descriptor, and
  // sync() for its name.
  Result<sys::Fd> begin(const Record& record);
  sys::OrErrno<void> sync() const { return sys::sync_directory(pending_); }
  // All new files are written, and from now on names change. Only a change of several files needs
  // it: without it none of its new files has got its name.
  sys::OrErrno<void> note_staged(const Record& record);
  void abandon(const Record& record);
  // The change is made. `all_kept`: nothing of it lies beside the files.
  enum class Kept : bool { all, beside };
  sys::OrErrno<void> commit(const Record& record, Kept kept);
  // The old files are taken into the journal now.
  sys::OrErrno<void> settle(const Record& record);

  enum class Stage : unsigned char {
    begun,
    staged,
    made,  // only the old files must be taken in
  };
  struct Pending {
    Record record;
    Stage stage = Stage::begun;
  };
  // Changes of processes that are gone. Removes records that were never finished.
  std::vector<Pending> abandoned();

  // One holder at a time, among all processes.
  Result<sys::Fd> lock(std::string_view name, std::chrono::milliseconds longest) const;

  // For whoever loads a record, changes it and calls amend().
  Result<sys::Fd> lock_records() const;

  // Newest first. Names are quicker to load by.
  std::vector<std::string> names();
  std::optional<Record> load_name(const std::string& name);
  std::vector<std::string> ids();
  Result<Record> load(std::string_view id);
  // Where what the file was before the change lies as it was, unless it was taken into the objects.
  struct KeptPlace {
    const sys::Fd* directory;
    std::string name;
    std::shared_ptr<const sys::Fd> opened = {};  // the directory, when it is not the journal's
  };
  Result<KeptPlace> find_kept(const Record& record, size_t index) const;
  // What the file was before the change; only for files and links.
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
  sys::OrErrno<void> rename_pending(const Record& record, const sys::Fd& to,
                                    const std::string& as) const;
  bool is_due(std::int64_t now_ms);
  std::vector<std::string> pack(Record& record, std::uint64_t& budget);
  void drop_packed(const std::vector<Record>& records, const std::vector<std::string>& packed);
  std::uint64_t size_of(const Record& record) const;
  Result<void> write_object(const Digest& digest, std::string_view content);
  Result<std::string> read_object(const Digest& digest);
  void forget(const Record& record);
  void drop_unreferenced(const std::vector<Record>& records);

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

// The name of the directory of a workspace's journal.
std::string journal_name(std::string_view root);

}  // namespace helve::workspace
