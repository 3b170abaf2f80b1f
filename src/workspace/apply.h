// ChangeSet: several changes made as a whole or not at all. Everything is resolved, locked, looked
// at and staged before the first name changes; from then on any failure takes back what was done.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workspace/journal.h"
#include "workspace/step.h"

namespace helve::workspace {

// For one thread. The changes must outlive it.
class ChangeSet {
 public:
  explicit ChangeSet(const WriteRules& rules) : targets_(rules), durability_(rules.durability) {}

  // In this order. Each leaves nothing behind when it fails.
  struct Where {
    const Root* root;
    std::string_view path;  // below the root
    std::string shown;
  };
  Result<void> add(const Change& change, Where where, std::optional<Where> to,
                   std::optional<Where> like);
  // The names to be locked. Fails when changes get in each other's way.
  Result<std::vector<std::string>> keys() const;
  Result<void> look();
  // Where the old files go: beside the new ones and away in the end, or into the journal, so that
  // the record tells of them.
  void put_aside(const Leftovers& leftovers);
  enum class Place : bool { in_journal, beside };
  void put_aside(Journal& journal, Record& record, Place place);
  Result<void> stage(Leftovers& leftovers);
  // What was staged is on the disk.
  Result<void> sync();
  // The record, whose file is open, knows what was staged, and is on the disk if it must be.
  // Without this nothing may be performed that was recorded.
  Result<void> note_staged(Journal& journal, Record& record, const sys::Fd& file);
  Result<void> perform();
  // What was there before goes, unless it is in the journal.
  void finish();

  std::vector<Step>& steps() { return steps_; }
  Targets& targets() { return targets_; }
  // Whether perform() failed only since somebody made a file that was to be made: another look may
  // find it possible.
  bool lost_a_race() const { return lost_a_race_; }
  // Whether perform() failed only since the journal is further away than it seemed.
  bool needs_beside() const { return needs_beside_; }

 private:
  Result<void> make_room(const Target& target);
  Result<void> stage_all(Leftovers& leftovers);
  void note_renames(Record& record) const;
  size_t count_staged() const;
  bool is_synced_one_by_one() const;
  sys::OrErrno<void> sync_file_systems() const;
  Result<void> or_discard(sys::OrErrno<void> done);
  Error taken_back(Error why);
  void discard();

  struct Model {  // of a new file
    sys::Fd file;
    sys::FileStatus status;
  };
  Targets targets_;
  Durability durability_;
  std::deque<Change> made_room_;  // changes that nobody asked for by themselves
  std::vector<Step> steps_;
  std::vector<std::optional<Model>> models_;  // one for each step
  bool lost_a_race_ = false;
  bool needs_beside_ = false;
};

}  // namespace helve::workspace
