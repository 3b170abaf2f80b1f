#include "workspace/recover.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sys/clock.h"
#include "workspace/recovered_file.h"

namespace helve::workspace {
namespace {

using Progress = RecoveredFile::Progress;
using State = Journal::State;

constexpr std::chrono::milliseconds kLongestWait(5000);
constexpr size_t kMostNotices = 20;  // of one change
// After so long nobody brings a directory back that went away with what was put aside in it.
constexpr std::int64_t kLongestPending = 30ll * 24 * 60 * 60 * 1000;  // ms

// One change. Whatever happens, each step leaves a state from which another start can go on.
class RecoveredChange {
 public:
  RecoveredChange(Journal& journal, std::span<const Root> roots, const Journal::Pending& pending)
      : journal_(journal), roots_(roots), record_(pending.record), state_(pending.state) {}

  std::vector<std::string> recover() && {
    if (!find_files()) return std::move(notices_);
    if (state_ == State::begun) recover_begun();
    if (state_ == State::staged) decide();
    if (state_ == State::back) take_back();
    if (state_ == State::made) finish();
    if (unsaid_ > 0) notices_.push_back(fmt::format("{} more files likewise", unsaid_));
    return std::move(notices_);
  }

 private:
  bool find_files() {
    for (size_t i = 0; i < record_.files.size(); ++i) {
      const Record::File& file = record_.files[i];
      auto spot = Spot::find(roots_, file.path);
      std::optional<Spot> to;
      if (!file.to.empty()) to = Spot::find(roots_, file.to);
      if (!spot || to.has_value() == file.to.empty()) {
        notices_.push_back(
            fmt::format("a change by {} that was interrupted waits for a start with the root of "
                        "'{}', writable",
                        record_.tool.empty() ? "a tool" : record_.tool,
                        escape_for_display(spot ? file.to : file.path)));
        return false;
      }
      files_.emplace_back(journal_, record_, i, std::move(*spot), std::move(to));
    }
    return true;
  }

  // Nothing has changed but what bears temporary names.
  void recover_begun() {
    for (const RecoveredFile& file : files_) {
      const auto aside = file.is_put_aside();
      if (!aside) return wait(file.file().path, aside.error());
      // After a power failure the record may be older than the files.
      if (*aside) return set_state(State::staged);
    }
    if (!discard()) return;
    abandon();
  }

  void decide() {
    std::vector<Progress> progress;
    for (RecoveredFile& file : files_) {
      const auto one = file.progress();
      if (!one) return wait(file.file().path, one.error());
      progress.push_back(*one);
    }
    conclude(progress);
    const bool all_done =
        std::ranges::all_of(progress, [](Progress one) { return one == Progress::done; });
    if (all_done) set_time_made();
    set_state(all_done ? State::made : State::back);
    was_begun_ = std::ranges::find(progress, Progress::done) != progress.end();
  }

  // What was taken away shows what others did to it before, so it comes after that.
  void set_time_made() {
    for (const RecoveredFile& file : files_) {
      record_.time_ns = std::max(record_.time_ns, file.put_aside_ns().value_or(0));
    }
  }

  // Steps are performed in their order, but what makes way does so before all others; and only what
  // is removed may be done by that. So what comes before another that is done was done, too.
  void conclude(std::vector<Progress>& progress) const {
    bool later = false;
    for (size_t i = progress.size(); i-- > 0;) {
      if (later && progress[i] == Progress::unknown) progress[i] = Progress::done;
      later |= progress[i] == Progress::done && record_.files[i].what != Changed::What::removed;
    }
  }

  void take_back() {
    bool again = false, is_with_us = false;
    const auto note = [&](const RecoveredFile& file, const TakenBack& taken) {
      again |= taken.again;
      is_with_us |= taken.again && !taken.elsewhere;
      if (!taken.problem.empty()) not_restored(file.file(), taken.problem);
    };
    for (size_t i = files_.size(); i-- > 0;) note(files_[i], files_[i].take_away());
    for (size_t i = files_.size(); i-- > 0;) note(files_[i], files_[i].bring_back());
    // While something is put aside in the journal it is the only copy, however old.
    if (is_with_us || (again && !is_too_old())) return;
    if (!discard()) return;
    abandon();
    if (!was_begun_ || !notices_.empty()) return;
    notices_.push_back(
        fmt::format("a change by {} that was interrupted was taken back, all {} of "
                    "its files",
                    record_.tool.empty() ? "a tool" : record_.tool, files_.size()));
  }

  // What was staged, and the directories that were made for it.
  bool discard() {
    bool all = true;
    for (RecoveredFile& file : files_) {
      const TakenBack gone = file.discard();
      all &= !gone.again;
      if (!gone.problem.empty()) not_restored(file.file(), gone.problem);
    }
    if (!all) return false;
    const std::vector<std::string> made(record_.made.rbegin(), record_.made.rend());
    const auto removed = remove_empty(roots_, made);
    if (!removed) wait(made.back(), removed.error());
    return removed.has_value();
  }

  // The change is made: what was there before becomes a matter of the journal.
  void finish() {
    for (RecoveredFile& file : files_) {
      const auto taken = file.take_in();
      if (taken || (is_absence(taken.error()) && is_too_old())) continue;
      notices_.push_back(
          fmt::format("the journal could not take in what '{}' was, the next start tries again: {}",
                      escape_for_display(file.file().path),
                      sys::to_error(taken.error(), "look at", file.file().temporary).message));
      return;
    }
    if (const auto removed = remove_empty(roots_, record_.left); !removed) {
      notices_.push_back(sys::to_error(removed.error(), "remove", record_.left.front()).message +
                         ", the next start tries again");
      return;
    }
    (void)journal_.settle(record_);
  }

  bool is_too_old() const {
    return sys::RealClock().unix_ms() - record_.time_ms() > kLongestPending;
  }

  void set_state(State state) {
    if (const auto done = journal_.change_state(record_, state_, state); !done) {
      return wait(record_.files.front().path, done.error());
    }
    state_ = state;
  }
  void abandon() { journal_.abandon(record_, state_); }

  void wait(const std::string& path, std::errc number) {
    notices_.push_back(
        fmt::format("a change by {} that was interrupted is not taken back yet, the next start "
                    "tries again: {}",
                    record_.tool.empty() ? "a tool" : record_.tool,
                    sys::to_error(number, "look at", path).message));
  }
  void not_restored(const Record::File& file, std::string_view why) {
    if (notices_.size() == kMostNotices) {
      ++unsaid_;
      return;
    }
    notices_.push_back(fmt::format("'{}' was not restored after a change that was interrupted: {}",
                                   escape_for_display(file.path), why));
  }

  Journal& journal_;
  std::span<const Root> roots_;
  Record record_;
  State state_;
  std::vector<RecoveredFile> files_ = {};
  bool was_begun_ = true;
  size_t unsaid_ = 0;
  std::vector<std::string> notices_ = {};
};

}  // namespace

std::vector<std::string> recover(Journal& journal, std::span<const Root> roots) {
  Journal::Abandoned abandoned = journal.abandoned();
  if (abandoned.changes.empty()) return std::move(abandoned.problems);
  const Result<sys::Fd> lock = journal.lock("recover.lock", kLongestWait);
  if (!lock) return {lock.error().message};
  abandoned = journal.abandoned();  // another process may have been faster
  std::vector<std::string> notices = std::move(abandoned.problems);
  for (const Journal::Pending& pending : abandoned.changes) {
    const std::vector<std::string> more = RecoveredChange(journal, roots, pending).recover();
    notices.insert(notices.end(), more.begin(), more.end());
  }
  return notices;
}

}  // namespace helve::workspace
