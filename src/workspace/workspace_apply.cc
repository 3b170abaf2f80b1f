// The part of workspace/workspace.h that changes files.
#include <fmt/core.h>

#include "base/text.h"
#include "workspace/apply.h"
#include "workspace/path.h"
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
  return set.add(change, std::move(at), std::move(to), std::move(like), leftovers_);
}

Result<void> Workspace::attempt(ChangeSet& set, std::span<const Change> changes) {
  for (const Change& change : changes) {
    if (Result<void> added = add(set, change); !added) return with_roots(std::move(added).error());
  }
  const Locks::Held held = locks_.acquire(TRY(set.keys()));
  TRY(set.look());
  TRY(set.stage(leftovers_));
  TRY(set.perform());
  set.finish();
  return {};
}

// A session knows what it wrote.
void Workspace::note_written(const Applied& applied, ChangeSet& set, std::string_view session) {
  for (size_t i = 0; i < applied.files.size(); ++i) {
    const Changed& file = applied.files[i];
    const Change& change = set.steps()[i].change();
    if (file.what == Changed::What::removed || file.what == Changed::What::moved) {
      seen_.forget(session, file.path);
    } else if (change.kind == Change::Kind::write) {
      seen_.note(session, file.path, file.version, change.content);
    }
  }
}

Result<Applied> Workspace::apply(std::span<const Change> changes, const Author& author) {
  TRY(check_size(changes));
  for (int i = 1;; ++i) {
    ChangeSet set({durability_, protected_directories_});
    if (Result<void> done = attempt(set, changes); !done) {
      if (set.lost_a_race() && i < kMaxAttempts) continue;
      return std::move(done).error();
    }
    Applied applied;
    for (const Step& step : set.steps()) applied.files.push_back(changed_by(step));
    note_written(applied, set, author.session);
    return applied;
  }
}

}  // namespace helve::workspace
