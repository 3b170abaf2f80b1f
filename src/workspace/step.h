// Step: one file of a change set on its way from the old state to the new: looked at, staged,
// exchanged with what was there, and taken back if another step fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workspace/record.h"
#include "workspace/target.h"

namespace helve::workspace {

// Where files cannot be exchanged, the old one bears its temporary name with this for a moment.
constexpr std::string_view kSecondName = "-old";

// The caller holds the locks of its targets. In the order of declaration: look, stage, make_way,
// perform, then discard, or take_back and come_back. Whatever happens, the destructor leaves no
// temporary file behind, except one that keeps somebody's only copy.
class Step {
 public:
  enum class Kind : unsigned char { create, replace, remove, move };

  Step(const Change& change, Target target, std::optional<Target> to);
  ~Step() { discard(); }
  Step(Step&& other) noexcept;
  Step& operator=(Step&&) = delete;

  // Finds out what is there and whether it may be changed.
  // `vacated`: another step takes away what bears the name.
  enum class Vacated : bool { no, yes };
  Result<void> look(const Targets& targets, Vacated vacated);
  // For a move: that there is nothing yet.
  Result<void> check_destination() const;
  // What the journal has to know of it.
  void describe(Record::File& file, std::uint64_t seed) const;
  // Whether what was there is small enough to be kept.
  bool is_kept() const;
  // Where the new file is staged and the old one goes: beside the target under a temporary name,
  // or in another directory of the same mount.
  enum class Recorded : bool { no, yes };  // in the journal
  void put_aside_as(std::string temporary, const sys::Fd* directory, Recorded recorded);
  // Writes the new file there. `hold` keeps a descriptor on it, which tells more about
  // what others do to it.
  enum class Hold : bool { no, yes };
  struct Like {  // whose owner, mode and attributes a new file takes; null: the usual ones
    const sys::Fd* file = nullptr;
    const sys::FileStatus* status = nullptr;
  };
  Result<void> stage(Like like, Durability durability, Hold hold);
  // What makes way for other steps goes aside; all of them do, before the first is performed.
  Result<void> make_way();
  // A change by another process since the look is given back and reported as a conflict.
  Result<void> perform();
  // The old state again. Otherwise the sentence says where the old content is kept.
  std::optional<std::string> take_back();
  // The same for make_way, after all steps were taken back.
  std::optional<std::string> come_back();
  // Removes what bears the temporary name: what was staged, or what was there before.
  void discard();

  const Change& change() const { return *change_; }
  const Target& target() const { return target_; }
  const std::optional<Target>& to() const { return to_; }
  Kind kind() const { return kind_; }
  const std::string& temporary() const { return temporary_; }
  bool is_beside() const { return aside_ == nullptr; }
  // The directory that has the temporary name.
  const sys::Fd& aside() const { return aside_ ? *aside_ : target_.at(); }
  // What was there; only when the kind is not create.
  const sys::FileStatus& old_status() const { return old_; }
  // Of the new file; only once it is staged, and only when the kind is create or replace.
  const sys::FileStatus& new_status() const { return ours_; }
  // It could not be taken back, and the record must stay so that the next start can.
  bool is_left_to_recovery() const { return left_to_recovery_; }
  bool failed_across_mounts() const { return failed_across_mounts_; }
  // From now on somebody else takes care of what bears the temporary name.
  void let_go() { temporary_exists_ = false; }

 private:
  Result<void> look_for_write(Vacated vacated);
  Result<void> check_existing() const;
  std::string where_it_leads(const std::string& link) const;
  Result<void> look_at_source(const Targets& targets);
  sys::OrErrno<void> fill(Like like, Durability durability);
  Result<void> copy_kept(Durability durability);
  Result<void> become_new();
  Result<void> exchange();
  sys::OrErrno<void> exchange_by_links();
  Result<void> put_aside();
  Result<void> move();
  Result<void> leave();
  std::optional<std::string> take_move_back();
  std::optional<std::string> move_back(const Target& from, const std::string& name,
                                       const std::string& as);
  Error crosses(const Target& other) const;
  Error not_moved(std::errc number) const;
  std::optional<std::string> give_back();
  std::optional<std::string> put_back();
  std::string keep();

  Error refused(Code code, std::string_view why, std::string_view hint,
                std::string_view type) const;
  Error failed(std::errc number) const;
  Error changed_meanwhile() const;
  bool is_ours(const sys::OrErrno<sys::FileStatus>& now) const;
  sys::OrErrno<sys::FileStatus> status_aside() const;
  sys::OrErrno<void> swap() const;
  bool is_old(const sys::OrErrno<sys::FileStatus>& now) const;

  const Change* change_;
  Target target_;
  std::optional<Target> to_;
  std::string temporary_;
  const sys::Fd* aside_ = nullptr;  // null: the target's own
  Kind kind_ = Kind::create;
  sys::FileStatus old_;
  sys::FileStatus ours_;
  sys::Fd identity_;  // of what was there until it is staged, then of our file
  bool done_ = false;
  bool on_the_way_ = false;  // a move: what is moved bears the temporary name
  bool is_recorded_ = false;
  bool left_to_recovery_ = false;
  bool temporary_exists_ = false;
  bool failed_across_mounts_ = false;
};

}  // namespace helve::workspace
