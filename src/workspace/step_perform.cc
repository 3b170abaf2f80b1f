// The part of workspace/step.h that changes names, and takes that back.
#include <fmt/core.h>

#include <utility>

#include "base/text.h"
#include "sys/id.h"
#include "workspace/step.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr int kMaxTries = 10;

}  // namespace

bool Step::is_ours(const sys::OrErrno<sys::FileStatus>& now) const {
  // What somebody has written into it since is theirs.
  return now && now->same_file(ours_) && Version::of(*now).same_content(Version::of(ours_));
}

sys::OrErrno<void> Step::swap() const {
  return sys::rename_between(aside(), temporary_, target_.at(), target_.name,
                             sys::Rename::exchange);
}

// The name may have changed its time of change; everything else must be as it was looked at.
bool Step::is_old(const sys::OrErrno<sys::FileStatus>& now) const {
  if (!now || now->kind != old_.kind) return false;
  if (old_.kind == sys::FileKind::directory) return now->same_file(old_);
  return Version::of(*now).same_content(Version::of(old_));
}

Result<void> Step::make_way() {
  if (!change_->makes_way) return {};
  Result<void> result = kind_ == Kind::move ? leave() : put_aside();
  (kind_ == Kind::move ? on_the_way_ : done_) = result.has_value();
  return result;
}

// Gives what is moved its temporary name.
Result<void> Step::leave() {
  if (const auto gone = rename_new(target_.at(), target_.name, aside(), temporary_); !gone) {
    return not_moved(gone.error());
  }
  if (is_old(status_aside())) return {};
  Error error = changed_meanwhile();
  if (const auto kept = put_back()) error.hint = *kept;
  return error;
}

Result<void> Step::perform() {
  if (done_) return {};
  Result<void> result;
  switch (kind_) {
    case Kind::create:
      result = become_new();
      break;
    case Kind::replace:
      result = exchange();
      break;
    case Kind::remove:
      result = put_aside();
      break;
    case Kind::move:
      result = move();
      break;
  }
  done_ = result.has_value();
  return result;
}

Result<void> Step::become_new() {
  if (const auto done = rename_new(aside(), temporary_, target_.at(), target_.name); !done) {
    if (done.error() != std::errc::file_exists) return failed(done.error());
    if (change_->on_conflict == OnConflict::overwrite) return changed_meanwhile();
    return refused(Code::conflict, "it exists already", "choose another path", "path_conflict");
  }
  temporary_exists_ = false;
  return {};
}

Result<void> Step::exchange() {
  auto done = swap();
  if (!done && done.error() == std::errc::invalid_argument) {
    if (!is_old(target_.status())) return changed_meanwhile();
    done = exchange_by_links();
  }
  if (!done) {
    failed_across_mounts_ = !is_beside() && done.error() == std::errc::cross_device_link;
    if (done.error() == std::errc::no_such_file_or_directory) return changed_meanwhile();
    return failed(done.error());
  }
  if (is_old(status_aside())) return {};
  Error error = changed_meanwhile();
  if (const auto kept = give_back()) error.hint = *kept;
  return error;
}

// Where files cannot be exchanged: the same in the end, and the name always bears one of the two.
sys::OrErrno<void> Step::exchange_by_links() {
  const std::string second = temporary_ + std::string(kSecondName);
  auto done = sys::link_between(target_.at(), target_.name, aside(), second);
  if (!done) return done;
  done = sys::rename_between(aside(), temporary_, target_.at(), target_.name, sys::Rename::replace);
  if (!done) {
    (void)sys::remove_file_at(aside(), second);
    return done;
  }
  return sys::rename_at(aside(), second, temporary_, sys::Rename::replace);
}

Result<void> Step::put_aside() {
  const auto done =
      sys::rename_between(target_.at(), target_.name, aside(), temporary_, sys::Rename::replace);
  if (!done) {
    const bool across = done.error() == std::errc::cross_device_link;
    failed_across_mounts_ = !is_beside() && across;
    if (across) return crosses(target_);
    if (done.error() == std::errc::no_such_file_or_directory) return changed_meanwhile();
    return failed(done.error());
  }
  temporary_exists_ = true;
  if (is_old(status_aside())) return {};
  Error error = changed_meanwhile();
  if (const auto kept = put_back()) error.hint = *kept;
  return error;
}

Result<void> Step::move() {
  const std::string& name = on_the_way_ ? temporary_ : target_.name;
  if (const auto done = rename_new(target_.at(), name, to_->at(), to_->name); !done) {
    return not_moved(done.error());
  }
  if (is_old(to_->status())) return {};
  // Somebody else's, which is theirs to find where the hint says.
  Error error = changed_meanwhile();
  if (const auto is_now = move_back(*to_, to_->name, name)) error.hint = *is_now;
  left_to_recovery_ = false;
  return error;
}

// Files move only within one file system; and overlay file systems, as containers have them, do not
// move a directory that an image brought along.
Error Step::crosses(const Target& other) const {
  const auto here = sys::mount_of(target_.at()), there = sys::mount_of(other.at());
  if (old_.kind == sys::FileKind::directory && here && there && *here == *there) {
    return refused(Code::unsupported, "this file system does not move such a directory",
                   kind_ == Kind::remove ? "delete what it holds, file by file"
                                         : "move what it holds, file by file",
                   "other_file_system");
  }
  return refused(Code::unsupported,
                 fmt::format("'{}' is on another file system", escape_for_display(other.shown)),
                 "write it there and delete it here", "other_file_system");
}

Error Step::not_moved(std::errc number) const {
  switch (number) {
    case std::errc::file_exists:
    case std::errc::no_such_file_or_directory:
      return changed_meanwhile();
    case std::errc::cross_device_link:
      return crosses(*to_);
    case std::errc::invalid_argument:
      return refused(Code::invalid_argument, "a directory cannot be moved into itself",
                     "choose another path", "move_into_itself");
    default:
      // It may be either end.
      return sys::to_error(number, "move", fmt::format("{}' to '{}", target_.shown, to_->shown));
  }
}

std::optional<std::string> Step::take_back() {
  // What made way comes back when its path is free again.
  if (kind_ == Kind::remove && change_->makes_way) return {};
  if (!std::exchange(done_, false)) return {};
  switch (kind_) {
    case Kind::create:
      if (!is_ours(target_.status())) return {};  // somebody else's by now
      // As it was staged, which tells recovery that it is not made.
      if (rename_new(target_.at(), target_.name, aside(), temporary_)) {
        // Somebody may have been faster than the rename: theirs goes back to its place.
        temporary_exists_ = is_ours(status_aside());
        return temporary_exists_ ? std::nullopt : put_back();
      }
      left_to_recovery_ = is_recorded_;
      return fmt::format("the new '{}' could not be removed again",
                         escape_for_display(target_.shown));
    case Kind::replace:
      return give_back();
    case Kind::remove:
      return put_back();
    case Kind::move:
      break;
  }
  return take_move_back();
}

// What bears the new name by now may be somebody else's.
std::optional<std::string> Step::take_move_back() {
  const std::string& name = on_the_way_ ? temporary_ : target_.name;
  if (is_old(to_->status())) {
    auto is_now = move_back(*to_, to_->name, name);
    if (is_now || is_old(sys::status_at(target_.at(), name))) return is_now;
    // They were faster than the rename: theirs goes back to its place.
    if (!rename_new(target_.at(), name, to_->at(), to_->name)) {
      return fmt::format("what was in '{}' is now '{}'", escape_for_display(to_->shown),
                         escape_for_display(target_.shown));
    }
  }
  on_the_way_ = false;
  return fmt::format("'{}' was not moved back: somebody else has changed or removed '{}' since",
                     escape_for_display(target_.shown), escape_for_display(to_->shown));
}

std::optional<std::string> Step::come_back() {
  if (!change_->makes_way) return {};
  if (kind_ == Kind::remove) {
    return std::exchange(done_, false) ? put_back() : std::nullopt;
  }
  if (!std::exchange(on_the_way_, false)) return {};
  return move_back(target_, temporary_, target_.name);
}

std::optional<std::string> Step::move_back(const Target& from, const std::string& name,
                                           const std::string& as) {
  if (rename_new(from.at(), name, target_.at(), as)) return {};
  on_the_way_ = false;
  left_to_recovery_ = is_recorded_;
  const std::string_view is_now = &from == &target_ ? std::string_view(name) : from.shown;
  return fmt::format("'{}' could not be moved back and is now '{}'",
                     escape_for_display(target_.shown), escape_for_display(is_now));
}

// Exchanges a second time. Another process may replace the file at any moment; its word is the
// last, and nothing that is not ours is removed while it may be the only copy.
std::optional<std::string> Step::give_back() {
  for (int i = 0; i < kMaxTries; ++i) {
    if (!is_ours(target_.status())) {
      // Whoever replaced or removed ours would have done the same to the file that we now hold.
      const auto ours =
          identity_
              ? sys::status(identity_)
              : sys::OrErrno<sys::FileStatus>(std::unexpected(std::errc::bad_file_descriptor));
      if (ours && ours->links == 0) return {};
      break;
    }
    auto done = swap();
    if (!done && done.error() == std::errc::invalid_argument) done = exchange_by_links();
    if (!done) break;
    if (is_ours(status_aside())) return {};
    // Somebody was faster than the exchange: theirs goes back to its place.
    if (!swap()) break;
  }
  return keep();
}

std::optional<std::string> Step::put_back() {
  if (!rename_new(aside(), temporary_, target_.at(), target_.name)) return keep();
  temporary_exists_ = false;
  return {};
}

// Nothing is lost: a record tells the next start where the old file is, and without one it gets a
// name that is not taken for a leftover once this process has ended.
std::string Step::keep() {
  temporary_exists_ = false;
  const auto now = status_aside();
  const bool is_unknown = !now && now.error() != std::errc::no_such_file_or_directory;
  if (is_recorded_ && (is_unknown || is_old(now))) {
    left_to_recovery_ = true;
    return fmt::format("what was in '{}' before is kept, and restored when helve starts again",
                       escape_for_display(target_.shown));
  }
  std::string kept = fmt::format(".helve-kept-{:016x}", sys::random_number());
  if (!sys::rename_between(aside(), temporary_, target_.at(), kept, sys::Rename::replace)) {
    kept = temporary_;
  }
  return fmt::format("what was in '{}' before is kept beside it as '{}'",
                     escape_for_display(target_.shown), kept);
}

void Step::discard() {
  if (!std::exchange(temporary_exists_, false)) return;
  (void)remove_tree_at(aside(), temporary_);
}

}  // namespace helve::workspace
