#include "workspace/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxHeld = 256;  // descriptors on staged files; 1,024 is a usual limit

std::string_view verb_of(const Change& change) {
  if (change.kind == Change::Kind::remove) return "delete";
  return change.kind == Change::Kind::move ? "move" : "write";
}

bool is_staged(const Step& step) {
  return step.kind() == Step::Kind::create || step.kind() == Step::Kind::replace;
}

}  // namespace

Result<void> ChangeSet::add(const Change& change, Where where, std::optional<Where> to,
                            std::optional<Where> like, const Leftovers& names) {
  const std::string_view verb = verb_of(change);
  if (change.kind == Change::Kind::directory) {
    Directory& directory =
        *TRY(targets_.find_directory(*where.root, where.path, where.shown, verb));
    if (change.mode) {
      directory.mode = *change.mode;
      directory.exact_mode = true;
    }
    return {};
  }
  Target target = TRY(targets_.find(*where.root, where.path, std::move(where.shown), verb));
  std::optional<Target> destination;
  if (to) destination = TRY(targets_.find(*to->root, to->path, std::move(to->shown), verb));
  std::optional<Model> model;
  if (like) {
    auto file = sys::open_beneath(like->root->directory, like->path, sys::Open::identity);
    if (!file) return sys::to_error(file.error(), "read", like->shown);
    const auto status = sys::status(*file);
    if (!status) return sys::to_error(status.error(), "read", like->shown);
    if (status->kind == sys::FileKind::file) model = Model{std::move(*file), *status};
  }
  steps_.emplace_back(change, std::move(target), std::move(destination), names.new_name());
  models_.push_back(std::move(model));
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
  if (std::ranges::adjacent_find(keys) == keys.end() && steps_.size() < 2) return keys;
  for (const Step& step : steps_) {
    for (const Target* target : {&step.target(), step.to() ? &*step.to() : nullptr}) {
      if (!target || paths.insert(target->path()).second) continue;
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
    const auto next = paths.lower_bound(inside);
    if (next == paths.end() || !next->starts_with(inside)) continue;
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is changed, and so is something in it",
                             escape_for_display(step.target().shown)),
                 "make two calls", "changed_twice"};
  }
  return keys;
}

Result<void> ChangeSet::look() {
  for (Step& step : steps_) TRY(step.look(targets_));
  return {};
}

Result<void> ChangeSet::stage(Leftovers& leftovers) {
  Result<void> staged = stage_all(leftovers);
  if (staged) return {};
  for (Step& step : steps_) step.discard();
  targets_.remove_created();
  return staged;
}

Result<void> ChangeSet::stage_all(Leftovers& leftovers) {
  TRY(targets_.make_missing());
  targets_.for_each(
      [&](Directory& directory) { leftovers.sweep(directory.descriptor, directory.key); });
  const bool alone = std::ranges::count_if(steps_, is_staged) == 1;
  const Durability each = alone ? durability_ : Durability::unsynced;
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step::Like like;
    if (models_[i]) like = {&models_[i]->file, &models_[i]->status};
    TRY(steps_[i].stage(like, each, i < kMaxHeld ? Step::Hold::yes : Step::Hold::no));
  }
  if (alone || durability_ == Durability::unsynced) return {};
  if (const auto synced = sync_staged(); !synced) {
    return sys::to_error(synced.error(), "sync", steps_.front().target().shown);
  }
  return {};
}

// Once for each file system instead of once for each file.
sys::OrErrno<void> ChangeSet::sync_staged() const {
  std::set<std::uint64_t> synced;
  for (const Step& step : steps_) {
    if (!is_staged(step) || !synced.insert(step.new_status().device).second) continue;
    if (const auto done = sys::sync_file_system(step.target().at()); !done) return done;
  }
  return {};
}

Result<void> ChangeSet::perform() {
  for (Step& step : steps_) {
    if (Result<void> done = step.perform(); !done) {
      lost_a_race_ = step.kind() == Step::Kind::create &&
                     done.error().type == "changed_meanwhile" && !step.change().expected;
      return taken_back(std::move(done).error());
    }
  }
  if (durability_ == Durability::unsynced) return {};
  if (const auto synced = targets_.sync(); !synced) {
    return taken_back(sys::to_error(synced.error(), "sync", steps_.front().target().shown));
  }
  return {};
}

Error ChangeSet::taken_back(Error why) {
  std::string kept;
  for (size_t i = steps_.size(); i-- > 0;) {
    if (const auto where = steps_[i].take_back()) kept += (kept.empty() ? "" : "; ") + *where;
  }
  for (Step& step : steps_) step.discard();
  targets_.remove_created();
  if (!kept.empty()) why.hint = why.hint.empty() ? kept : kept + "; " + why.hint;
  return why;
}

void ChangeSet::finish() {
  for (Step& step : steps_) step.discard();
}

}  // namespace helve::workspace
