// The part of workspace/workspace.h that changes files.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sys/clock.h"
#include "sys/process_identity.h"
#include "workspace/apply.h"
#include "workspace/path.h"
#include "workspace/spot.h"
#include "workspace/take_in.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

constexpr int kMaxAttempts = 3;

Result<void> check_size(std::span<const Change> changes) {
  if (changes.empty()) return Error{Code::invalid_argument, "there is nothing to change"};
  if (changes.size() > kMaxChanges) {
    return Error{
        Code::too_large,
        fmt::format("{} files would change at once, the limit is {}", changes.size(), kMaxChanges),
        "make several calls", "too_many_changes"};
  }
  size_t bytes = 0;
  for (const Change& change : changes) {
    bytes += change.content.size();
    if (change.content.size() <= kMaxWrite) continue;
    return Error{
        Code::too_large,
        fmt::format("the content for '{}' has {}, the limit is {}", escape_for_display(change.path),
                    human_size(change.content.size()), human_size(kMaxWrite)),
        "write it in parts"};
  }
  if (bytes > kMaxChangeBytes) {
    return Error{Code::too_large,
                 fmt::format("the new contents have {}, the limit is {}", human_size(bytes),
                             human_size(kMaxChangeBytes)),
                 "make several calls"};
  }
  return {};
}

Changed::What what_of(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::create:
      return Changed::What::created;
    case Step::Kind::replace:
      return Changed::What::replaced;
    case Step::Kind::remove:
      return Changed::What::removed;
    case Step::Kind::move:
      return Changed::What::moved;
  }
  return Changed::What::created;
}

Changed changed_by(const Step& step) {
  Changed changed{.what = what_of(step.kind()), .path = step.target().shown};
  if (step.to()) changed.to = step.to()->shown;
  if (step.kind() != Step::Kind::create) changed.old = Version::of(step.old_status());
  if (step.kind() != Step::Kind::remove) {
    changed.version =
        Version::of(step.kind() == Step::Kind::move ? step.old_status() : step.new_status());
    changed.version.changed_ns = 0;  // the new name has changed it
  }
  return changed;
}

}  // namespace

Result<void> Workspace::add(ChangeSet& set, const Change& change) const {
  const auto where = [&](const std::string& path) -> Result<ChangeSet::Where> {
    const Place place = TRY(locate(path));
    return ChangeSet::Where{place.root, place.path, shown(place)};
  };
  std::optional<ChangeSet::Where> to, like;
  ChangeSet::Where at = TRY(where(change.path));
  if (change.kind == Change::Kind::move) to = TRY(where(change.to));
  if (!change.like.empty()) like = TRY(where(change.like));
  return set.add(change, std::move(at), std::move(to), std::move(like));
}

Result<void> Workspace::change_journaled(ChangeSet& set, const Author& author, Kept kept,
                                         Applied& applied) {
  TRY(journal_->prepare());
  Record record{.tool = std::string(author.tool),
                .call_id = std::string(author.call_id),
                .session = std::string(author.session),
                .owner = leftovers_.identity(),
                .machine = sys::machine_identity(),
                .undoes = author.undoes,
                .left = author.leaves};
  journal_->name(record, author.after_ns);
  set.put_aside(*journal_, record,
                kept == Kept::beside ? ChangeSet::Place::beside : ChangeSet::Place::in_journal);
  const sys::Fd file = TRY(journal_->begin(record));
  Result<void> done = set.stage(leftovers_);
  if (done) done = set.sync();
  if (done) done = set.note_staged(*journal_, record, file);
  if (!done) {
    journal_->abandon(record, Journal::State::begun);
    return done;
  }
  journal_->set_time_made(record);
  if (done = set.perform(); !done) {
    const bool restored = std::ranges::none_of(
        set.steps(), [](const Step& step) { return step.is_left_to_recovery(); });
    if (restored) {
      journal_->abandon(record, Journal::State::staged);
    } else {
      (void)journal_->change_state(record, Journal::State::staged, Journal::State::back);
    }
    return done;
  }
  applied.id = record.id;
  for (size_t i = 0; i < record.files.size(); ++i) {
    if (record.files[i].undoable) continue;
    applied.notes.push_back(fmt::format("'{}' cannot be restored: it had more than {}",
                                        escape_for_display(set.steps()[i].target().shown),
                                        human_size(kMaxKeptFile)));
  }
  take_in(set, record, applied);
  return {};
}

// The change is made; what was there before becomes a matter of the journal.
void Workspace::take_in(ChangeSet& set, const Record& record, Applied& applied) {
  const bool beside = std::ranges::any_of(record.files, [](const Record::File& file) {
    return file.beside && file.what != Changed::What::created && file.what != Changed::What::moved;
  });
  // A directory may still hold what lies beside; then it goes later.
  if (!beside) (void)remove_empty(roots_, record.left);
  if (!journal_->commit(record, beside ? Journal::Kept::beside : Journal::Kept::all)) {
    // A rename within one directory needs no space. If it fails too, the record stays pending, and
    // the next start finds that all is done.
    if (!journal_->commit(record, Journal::Kept::beside)) {
      applied.notes.emplace_back(
          "the journal could not be completed: the change can be undone when helve has started "
          "again");
    }
    for (Step& step : set.steps()) step.let_go();
    return;
  }
  const bool all_in = !beside || take_in_from_beside(set, record, applied);
  set.finish();
  if (beside && all_in) {
    (void)remove_empty(roots_, record.left);
    (void)journal_->settle(record);
  }
  tidy_now_and_then();
}

bool Workspace::take_in_from_beside(ChangeSet& set, const Record& record, Applied& applied) const {
  bool all_in = true;
  for (size_t i = 0; i < set.steps().size(); ++i) {
    Step& step = set.steps()[i];
    const bool has_old = step.kind() == Step::Kind::replace || step.kind() == Step::Kind::remove;
    if (!has_old || !step.is_beside() || !step.is_kept()) continue;
    if (copy_into(step.aside(), step.temporary(), journal_->kept(), record.kept_name(i))) {
      continue;
    }
    step.let_go();  // the next start tries again
    all_in = false;
    applied.notes.push_back(
        fmt::format("the journal could not take in what '{}' was; it is beside it as '{}'",
                    escape_for_display(step.target().shown), step.temporary()));
  }
  return all_in;
}

// A process that runs for long keeps its journal small meanwhile; others do it when they end.
void Workspace::tidy_now_and_then() {
  constexpr std::uint64_t kChanges = 256;
  if (++changes_made_ % kChanges != 0 || tidying_.exchange(true)) return;
  tidier_ = std::jthread([this] {
    journal_->tidy(Journal::When::due, sys::RealClock().unix_ms());
    tidying_ = false;
  });
}

Result<Applied> Workspace::attempt(ChangeSet& set, std::span<const Change> changes,
                                   const Author& author, Kept kept) {
  for (const Change& change : changes) {
    if (Result<void> added = add(set, change); !added) return with_roots(std::move(added).error());
  }
  const Locks::Held held = locks_.acquire(TRY(set.keys()));
  TRY(set.look());
  Applied applied;
  if (journal_) {
    TRY(change_journaled(set, author, kept, applied));
  } else {
    set.put_aside(leftovers_);
    TRY(set.stage(leftovers_));
    TRY(set.sync());
    TRY(set.perform());
    set.finish();
  }
  for (const Step& step : set.steps()) applied.files.push_back(changed_by(step));
  return applied;
}

// A session knows what it wrote.
void Workspace::note_written(const Applied& applied, ChangeSet& set, const Author& author) {
  const std::string_view session = author.session;
  Recent recent{std::string(author.call_id), applied.id, std::string(session), {}};
  std::vector<Seen::Left> left;
  for (const Step& step : set.steps()) {
    if (step.kind() != Step::Kind::move && step.kind() != Step::Kind::remove) continue;
    const bool is_directory = step.old_status().kind == sys::FileKind::directory;
    left.push_back({.path = step.target().path(),
                    .to = step.to() ? step.to()->path() : "",
                    .of = is_directory ? Seen::Of::directory : Seen::Of::file});
  }
  seen_.left(session, left);
  for (size_t i = 0; i < applied.files.size(); ++i) {
    const Changed& file = applied.files[i];
    const Step& step = set.steps()[i];
    if (step.change().kind != Change::Kind::write) continue;
    seen_.note(session, step.target().path(), file.version, step.change().content);
    recent.paths.push_back(file.path);
  }
  const std::lock_guard lock(recent_mutex_);
  ++moment_;
  for (const Step& step : set.steps()) {
    written_.emplace_back(moment_, step.target().path());
    if (step.to()) written_.emplace_back(moment_, step.to()->path());
  }
  while (written_.size() > kMaxWritten) written_.pop_front();
  if (recent.call_id.empty() || recent.paths.empty()) return;
  if (recent_.size() == kMaxRecent) recent_.pop_front();
  recent_.push_back(std::move(recent));
}

std::uint64_t Workspace::moment() const {
  const std::lock_guard lock(recent_mutex_);
  return moment_;
}

std::set<std::string> Workspace::changed_since(std::uint64_t moment) const {
  const std::lock_guard lock(recent_mutex_);
  std::set<std::string> paths;
  for (const auto& [when, path] : written_) {
    if (when > moment) paths.insert(path);
  }
  return paths;
}

void Workspace::look_again(std::string_view call_id) {
  Recent recent;
  {
    const std::lock_guard lock(recent_mutex_);
    const auto found = std::ranges::find(recent_, call_id, &Recent::call_id);
    if (found == recent_.end()) return;
    recent = std::move(*found);
    recent_.erase(found);
  }
  std::optional<Record> record;
  std::optional<sys::Fd> lock;  // nobody else amends the record meanwhile
  if (journal_ && !recent.id.empty()) {
    if (Result<sys::Fd> held = journal_->lock_records()) lock = std::move(*held);
  }
  if (lock) {
    if (Result<Record> loaded = journal_->load(recent.id)) record = std::move(*loaded);
  }
  bool amended = false;
  for (const std::string& path : recent.paths) {
    const Result<Snapshot> now = read_whole(path);
    if (!now) continue;
    seen_.note(recent.session, now->real_path, now->version, now->content);
    if (!record) continue;
    const Digest digest = digest_of(now->content, journal_->seed());
    for (Record::File& file : record->files) {
      if (!file.new_digest || *file.new_digest == digest || display(file.path) != path) continue;
      file.new_digest = digest;
      amended = true;
    }
  }
  if (amended) (void)journal_->amend(*record);
}

Result<void> Workspace::check(std::span<const Change> changes) const {
  TRY(check_size(changes));
  ChangeSet set({durability_, protected_directories_, hard_links_});
  for (const Change& change : changes) TRY(add(set, change));
  TRY(set.keys());
  return set.look();
}

Result<Applied> Workspace::apply(std::span<const Change> changes, const Author& author) {
  TRY(check_size(changes));
  Kept kept = Kept::in_journal;
  for (int i = 1;; ++i) {
    ChangeSet set({durability_, protected_directories_, hard_links_});
    Result<Applied> applied = attempt(set, changes, author, kept);
    if (applied) note_written(*applied, set, author);
    const bool again = !applied && (set.lost_a_race() || set.needs_beside());
    if (!again || i == kMaxAttempts) {
      if (!applied) return with_hint(std::move(applied).error(), changes);
      return applied;
    }
    if (set.needs_beside()) kept = Kept::beside;
  }
}

}  // namespace helve::workspace
