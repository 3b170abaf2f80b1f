#include "workspace/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxHeld = 16;  // descriptors on staged files: each costs two more system calls
// A few files are synced one by one. For more that takes longer than to sync the whole file system
// once, although that may have to write what others wrote (measured on ext4: 100 files in 4 ms
// instead of 21).
constexpr size_t kMaxSyncedAlone = 4;

std::string_view verb_of(const Change& change) {
  if (change.kind == Change::Kind::remove) return "delete";
  return change.kind == Change::Kind::move ? "move" : "write";
}

bool is_staged(const Step& step) {
  return step.kind() == Step::Kind::create || step.kind() == Step::Kind::replace;
}

}  // namespace

Result<void> ChangeSet::add(const Change& change, Where where, std::optional<Where> to,
                            std::optional<Where> like) {
  const auto guidance =
      change.even_guidance ? Targets::Guidance::allowed : Targets::Guidance::refused;
  Target target = TRY(
      targets_.find(*where.root, where.path, std::move(where.shown), verb_of(change), guidance));
  std::optional<Target> destination;
  if (to) destination = TRY(targets_.find(*to->root, to->path, std::move(to->shown), "move to"));
  if (destination && destination->path() == target.path()) {
    return Error{Code::invalid_argument,
                 fmt::format("'{}' would be moved onto itself", escape_for_display(target.shown)),
                 "choose another path", "same_file"};
  }
  if (destination && change.replace) TRY(make_room(*destination));
  std::optional<Model> model;
  if (like) {
    auto file = sys::open_beneath(like->root->directory, like->path, sys::Open::identity);
    if (!file) return sys::to_error(file.error(), "read", like->shown);
    const auto status = sys::status(*file);
    if (!status) return sys::to_error(status.error(), "read", like->shown);
    if (status->kind == sys::FileKind::file) model = Model{std::move(*file), *status};
  }
  steps_.emplace_back(change, std::move(target), std::move(destination));
  models_.push_back(std::move(model));
  return {};
}

// What a move replaces is removed by a step of its own, so that it can be restored like the rest.
Result<void> ChangeSet::make_room(const Target& target) {
  if (!target.directory->missing.empty()) return {};
  const auto there = sys::open_beneath(target.at(), target.name, sys::Open::identity);
  const auto status = there ? sys::status(*there) : std::unexpected(there.error());
  if (!status || status->kind == sys::FileKind::directory) return {};
  if (status->kind != sys::FileKind::file && status->kind != sys::FileKind::symlink) {
    return Error{Code::unsupported,
                 fmt::format("cannot replace '{}': it is a {}", escape_for_display(target.shown),
                             sys::name_of(status->kind)),
                 "choose another path", "not_a_file"};
  }
  // As if it were written.
  const auto may =
      status->kind == sys::FileKind::file ? sys::may_write(*there, *status) : sys::OrErrno<void>();
  if (!may) return sys::to_error(may.error(), "replace", target.shown);
  made_room_.push_back({.kind = Change::Kind::remove, .path = target.shown, .makes_way = true});
  steps_.emplace_back(made_room_.back(), target, std::nullopt);
  models_.emplace_back();
  return {};
}

Result<std::vector<std::string>> ChangeSet::keys() const {
  std::vector<std::string> keys;
  std::set<std::string> paths;
  for (const Step& step : steps_) {
    keys.push_back(step.target().key);
    if (step.to()) keys.push_back(step.to()->key);
  }
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  const bool is_simple = repeated.empty() && steps_.size() < 2;
  keys.erase(repeated.begin(), repeated.end());
  if (is_simple) return keys;
  // A path may be left by one change and taken by another, when the first makes way.
  std::set<std::string> left;
  for (const Step& step : steps_) {
    for (const Target* target : {&step.target(), step.to() ? &*step.to() : nullptr}) {
      if (!target) continue;
      const bool leaves = target == &step.target() && step.change().makes_way;
      if ((leaves ? left : paths).insert(target->path()).second) continue;
      return Error{Code::invalid_argument,
                   fmt::format("'{}' is changed twice", escape_for_display(target->shown)),
                   "make one change of the two, or two calls", "changed_twice"};
    }
  }
  for (const Step& step : steps_) {
    // A directory that goes elsewhere would take with it what another change puts into it.
    const Change::Kind kind = step.change().kind;
    if (kind != Change::Kind::remove && kind != Change::Kind::move) continue;
    const std::string inside = step.target().path() + "/";
    const auto is_in = [&](const std::set<std::string>& all) {
      const auto next = all.lower_bound(inside);
      return next != all.end() && next->starts_with(inside);
    };
    if (!is_in(paths) && !is_in(left)) continue;
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is changed, and so is something in it",
                             escape_for_display(step.target().shown)),
                 "make two calls", "changed_twice"};
  }
  return keys;
}

Result<void> ChangeSet::look() {
  std::set<std::string> left;
  for (const Step& step : steps_) {
    if (step.change().makes_way) left.insert(step.target().path());
  }
  for (Step& step : steps_) {
    const bool vacated = !step.change().makes_way && left.contains(step.target().path());
    TRY(step.look(targets_, vacated ? Step::Vacated::yes : Step::Vacated::no));
    const bool has_room = step.to() && left.contains(step.to()->path());
    if (step.kind() == Step::Kind::move && !has_room) TRY(step.check_destination());
  }
  return {};
}

void ChangeSet::put_aside(const Leftovers& leftovers) {
  for (Step& step : steps_) step.put_aside_as(leftovers.new_name(), nullptr, Step::Recorded::no);
}

void ChangeSet::put_aside(Journal& journal, Record& record, Place place) {
  std::map<const Directory*, bool> is_near;
  record.made = targets_.missing();
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const Directory* directory = step.target().directory;
    // A new file takes what its directory bequeaths, so it is made there; and what is moved stays
    // near.
    const bool keeps_old = step.kind() == Step::Kind::replace || step.kind() == Step::Kind::remove;
    bool near = place == Place::in_journal && keeps_old;
    if (near) {
      const auto [known, is_new] = is_near.try_emplace(directory);
      if (is_new) known->second = sys::mount_of(directory->descriptor) == journal.mount();
      near = known->second;
    }
    Record::File file{.path = step.target().path(), .beside = !near};
    step.describe(file, journal.seed());
    if (step.kind() != Step::Kind::move || step.change().makes_way) {
      file.temporary = near ? record.kept_name(i) : Leftovers::new_recorded_name();
    }
    step.put_aside_as(file.temporary, near ? &journal.kept() : nullptr, Step::Recorded::yes);
    record.files.push_back(std::move(file));
  }
  note_renames(record);
}

void ChangeSet::note_renames(Record& record) const {
  using What = Changed::What;
  for (size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i] || !steps_[i].change().is_rename) continue;
    const sys::FileStatus& model = models_[i]->status;
    const auto from = std::ranges::find_if(record.files, [&](const Record::File& file) {
      return (file.what == What::removed || file.what == What::replaced) &&
             file.old.device == model.device && file.old.inode == model.inode;
    });
    if (from == record.files.end()) continue;
    const bool is_plain = from->what == What::removed && record.files[i].what == What::created;
    (is_plain ? record.renames : record.handed_on).push_back({from->path, record.files[i].path});
  }
}

Result<void> ChangeSet::stage(Leftovers& leftovers) {
  Result<void> staged = stage_all(leftovers);
  if (!staged) discard();
  return staged;
}

void ChangeSet::discard() {
  for (Step& step : steps_) step.discard();
  targets_.remove_created();
}

size_t ChangeSet::count_staged() const {
  return static_cast<size_t>(std::ranges::count_if(steps_, is_staged));
}

bool ChangeSet::is_synced_one_by_one() const { return count_staged() <= kMaxSyncedAlone; }

Result<void> ChangeSet::stage_all(Leftovers& leftovers) {
  TRY(targets_.make_missing());
  targets_.for_each(
      [&](Directory& directory) { leftovers.sweep(directory.descriptor, directory.key); });
  const Durability each = is_synced_one_by_one() ? durability_ : Durability::unsynced;
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step::Like like;
    if (models_[i]) like = {&models_[i]->file, &models_[i]->status};
    TRY(steps_[i].stage(like, each, i < kMaxHeld ? Step::Hold::yes : Step::Hold::no));
  }
  return {};
}

Result<void> ChangeSet::sync() {
  if (durability_ == Durability::unsynced || is_synced_one_by_one()) return {};
  return or_discard(sync_file_systems());
}

Result<void> ChangeSet::note_staged(Journal& journal, Record& record, const sys::Fd& file) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (is_staged(steps_[i])) record.files[i].staged = Version::of(steps_[i].new_status());
  }
  // One file needs no record to be whole after a power failure. One that is only replaced may then
  // lack its past; one that is removed shall not.
  const bool removes = std::ranges::any_of(
      steps_, [](const Step& step) { return step.kind() == Step::Kind::remove; });
  const bool synced = durability_ == Durability::synced && (steps_.size() > 1 || removes);
  return or_discard(
      journal.note_staged(record, file, synced ? Journal::Synced::yes : Journal::Synced::no));
}

Result<void> ChangeSet::or_discard(sys::OrErrno<void> done) {
  if (done) return {};
  discard();
  return sys::to_error(done.error(), "sync", steps_.front().target().shown);
}

// Once for each file system instead of once for each file.
sys::OrErrno<void> ChangeSet::sync_file_systems() const {
  std::set<std::uint64_t> synced;
  for (const Step& step : steps_) {
    if (!is_staged(step) || !synced.insert(step.new_status().device).second) continue;
    if (const auto done = sys::sync_file_system(step.target().at()); !done) return done;
  }
  return {};
}

Result<void> ChangeSet::perform() {
  for (Step& step : steps_) {
    if (Result<void> done = step.make_way(); !done) {
      needs_beside_ = step.failed_across_mounts();
      return taken_back(std::move(done).error());
    }
  }
  for (Step& step : steps_) {
    if (Result<void> done = step.perform(); !done) {
      lost_a_race_ = step.kind() == Step::Kind::create &&
                     done.error().type == "changed_meanwhile" && !step.change().expected;
      needs_beside_ = step.failed_across_mounts();
      return taken_back(std::move(done).error());
    }
  }
  if (Result<void> in_place = targets_.check_places(); !in_place) {
    return taken_back(std::move(in_place).error());
  }
  if (durability_ == Durability::unsynced) return {};
  if (const auto synced = targets_.sync(); !synced && !steps_.empty()) {
    return taken_back(sys::to_error(synced.error(), "sync", steps_.front().target().shown));
  }
  return {};
}

Error ChangeSet::taken_back(Error why) {
  std::string kept;
  for (size_t i = steps_.size(); i-- > 0;) {
    if (const auto where = steps_[i].take_back()) kept += (kept.empty() ? "" : "; ") + *where;
  }
  for (size_t i = steps_.size(); i-- > 0;) {
    if (const auto where = steps_[i].come_back()) kept += (kept.empty() ? "" : "; ") + *where;
  }
  if (std::ranges::any_of(steps_, [](const Step& step) { return step.is_left_to_recovery(); })) {
    // What is staged tells that the change was not made.
    for (Step& step : steps_) {
      if (step.kind() == Step::Kind::create) step.let_go();
    }
  }
  discard();
  if (!kept.empty()) why.hint = why.hint.empty() ? kept : kept + "; " + why.hint;
  return why;
}

void ChangeSet::finish() {
  for (Step& step : steps_) {
    if (!step.is_beside() && step.is_kept()) step.let_go();
    step.discard();
  }
}

}  // namespace helve::workspace
