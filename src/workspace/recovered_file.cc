#include "workspace/recovered_file.h"

#include <fmt/core.h>

#include "base/text.h"
#include "sys/id.h"
#include "workspace/step.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using What = Changed::What;

constexpr std::string_view kSomebodyElse = "somebody else has changed it since";
constexpr std::string_view kNoDirectory = "its directory is gone, or a link now";

}  // namespace

sys::OrErrno<RecoveredFile::Seen> RecoveredFile::look() const {
  Seen seen;
  auto directory = spot_.open();
  if (!directory) return std::unexpected(directory.error());
  seen.directory = std::move(*directory);
  const auto note = [](auto& place, const auto& found) -> std::optional<std::errc> {
    if (!found) return found.error();
    place = *found;
    return {};
  };
  std::optional<std::errc> failed;
  if (seen.directory) failed = note(seen.here, look_at(*seen.directory, spot_.name()));
  const bool has_aside = !file_.temporary.empty() && (!file_.beside || seen.directory);
  if (!failed && has_aside) failed = note(seen.aside, look_at(aside(seen), file_.temporary));
  if (!failed && to_) {
    const auto other = to_->open();
    if (!other) return std::unexpected(other.error());
    if (*other) failed = note(seen.there, look_at(**other, to_->name()));
  }
  if (failed) return std::unexpected(*failed);
  return seen;
}

// Devices may be numbered anew after a restart. Somebody who has the file open may still have
// written to it, so neither size nor time count.
bool RecoveredFile::is_old(const std::optional<sys::FileStatus>& status) const {
  return file_.what != What::created && status && status->kind == file_.kind &&
         status->inode == file_.old.inode;
}

// Under a name that everybody may use, where an inode may be another file's by now.
bool RecoveredFile::is_moved(const std::optional<sys::FileStatus>& status) const {
  if (!is_old(status)) return false;
  return file_.kind == sys::FileKind::directory ||
         (status->size == file_.old.size && status->modified_ns == file_.old.modified_ns);
}

bool RecoveredFile::is_staged(const std::optional<sys::FileStatus>& status) const {
  return file_.staged && status && status->kind == file_.kind &&
         status->inode == file_.staged->inode;
}

// An inode may be used again by another file.
bool RecoveredFile::is_as_staged(const sys::Fd& directory, const std::string& name,
                                 const std::optional<sys::FileStatus>& status) const {
  if (!is_staged(status) || status->modified_ns != file_.staged->modified_ns) return false;
  if (status->kind != sys::FileKind::directory) return status->size == file_.staged->size;
  const auto opened = sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
  if (!opened || !file_.new_digest) return false;
  const auto outline = outline_of(*opened, file_.new_digest->size);
  return outline && digest_of(*outline, journal_.seed()) == *file_.new_digest;
}

bool RecoveredFile::may_be_elsewhere(const Seen& seen) const {
  return file_.what != What::created && file_.beside && !file_.temporary.empty() && !seen.directory;
}

sys::OrErrno<bool> RecoveredFile::is_put_aside() const {
  const auto seen = look();
  if (!seen) return std::unexpected(seen.error());
  return is_old(seen->aside);
}

sys::OrErrno<std::int64_t> RecoveredFile::put_aside_ns() const {
  const auto seen = look();
  if (!seen) return std::unexpected(seen.error());
  if (file_.what != What::removed || !is_old(seen->aside)) {
    return std::unexpected(std::errc::no_such_file_or_directory);
  }
  return seen->aside->changed_ns;
}

sys::OrErrno<RecoveredFile::Progress> RecoveredFile::progress() {
  if (const auto mended = mend_links(); !mended) return std::unexpected(mended.error());
  const auto seen = look();
  if (!seen) return std::unexpected(seen.error());
  return progress_of(*seen);
}

RecoveredFile::Progress RecoveredFile::progress_of(const Seen& seen) const {
  switch (file_.what) {
    case What::created:
      if (is_staged(seen.aside)) return Progress::not_done;
      if (seen.directory && is_as_staged(*seen.directory, spot_.name(), seen.here)) {
        return Progress::done;
      }
      break;
    case What::replaced:
      if (is_old(seen.aside)) return Progress::done;
      if (is_staged(seen.aside) || is_old(seen.here)) return Progress::not_done;
      break;
    case What::removed:
      if (is_old(seen.aside)) return Progress::done;
      if (is_old(seen.here)) return Progress::not_done;
      break;
    case What::moved:
      // First, since another name of the file may have been where it is moved to.
      if (is_old(seen.here) || is_old(seen.aside)) return Progress::not_done;
      if (is_moved(seen.there)) return Progress::done;
      break;
  }
  return Progress::unknown;
}

// An exchange by links that was interrupted.
sys::OrErrno<void> RecoveredFile::mend_links() const {
  if (file_.what != What::replaced) return {};
  const auto seen = look();
  if (!seen) return std::unexpected(seen.error());
  if (file_.beside && !seen->directory) return {};
  const std::string second = file_.temporary + std::string(kSecondName);
  const auto old = look_at(aside(*seen), second);
  if (!old) return std::unexpected(old.error());
  if (!is_old(*old)) return {};
  if (is_old(seen->here)) return sys::remove_file_at(aside(*seen), second);
  return sys::rename_at(aside(*seen), second, file_.temporary, sys::Rename::replace);
}

TakenBack RecoveredFile::take_away() {
  const auto seen = look();
  if (!seen) return later(seen.error(), "look at");
  switch (file_.what) {
    case What::created:
      return unmake(*seen);
    case What::replaced:
      return exchange_back(*seen);
    case What::removed:
      return {};
    case What::moved:
      break;
  }
  return move_back(*seen);
}

// A new file gets its staged name again.
TakenBack RecoveredFile::unmake(const Seen& seen) const {
  if (!seen.here || is_staged(seen.aside)) return {};
  TakenBack stays{.problem = "it is new, and stays since somebody else has changed it"};
  if (!is_as_staged(*seen.directory, spot_.name(), seen.here)) return stays;
  const auto done = rename_new(*seen.directory, spot_.name(), *seen.directory, file_.temporary);
  if (!done) return later(done.error(), "remove");
  const auto now = look_at(*seen.directory, file_.temporary);
  if (now && is_staged(*now)) return {};
  // Somebody was faster.
  (void)rename_new(*seen.directory, file_.temporary, *seen.directory, spot_.name());
  return stays;
}

TakenBack RecoveredFile::exchange_back(const Seen& seen) const {
  if (may_be_elsewhere(seen)) return keep(seen, std::string(kNoDirectory));
  if (!is_old(seen.aside)) {
    if (is_staged(seen.aside) || is_old(seen.here)) return {};
    if (seen.aside) return keep(seen, "it cannot be told what was done");
    return {.problem = "somebody else has removed what was there before"};
  }
  if (!seen.directory) return keep(seen, std::string(kNoDirectory));
  if (!seen.here) return put_back(seen, aside(seen), file_.temporary, spot_.name());
  if (!is_as_staged(*seen.directory, spot_.name(), seen.here)) {
    return keep(seen, std::string(kSomebodyElse));
  }
  const auto exchange = [&](sys::Rename how) {
    return sys::rename_between(aside(seen), file_.temporary, *seen.directory, spot_.name(), how);
  };
  auto done = exchange(sys::Rename::exchange);
  if (!done && done.error() == std::errc::invalid_argument) {
    done = exchange(sys::Rename::replace);
    if (done) return {};
  }
  if (!done) return later(done.error(), "restore");
  const auto now = look_at(aside(seen), file_.temporary);
  if (!now || is_staged(*now)) return {};
  // Somebody was faster.
  if (!exchange(sys::Rename::exchange)) return later(std::errc::io_error, "restore");
  return keep(seen, std::string(kSomebodyElse));
}

TakenBack RecoveredFile::move_back(const Seen& seen) const {
  if (is_old(seen.here) || is_old(seen.aside)) return {};
  if (may_be_elsewhere(seen) && !is_moved(seen.there)) return keep(seen, std::string(kNoDirectory));
  if (!is_moved(seen.there)) return {.problem = "somebody else has changed or removed it since"};
  if (!seen.directory) return keep(seen, std::string(kNoDirectory));
  const auto other = to_->open();
  if (!other || !*other) return later(other ? std::errc::io_error : other.error(), "look at");
  const bool is_direct = file_.temporary.empty();
  return put_back(seen, **other, to_->name(), is_direct ? spot_.name() : file_.temporary);
}

TakenBack RecoveredFile::bring_back() {
  if (is_stageable() || file_.temporary.empty()) return {};
  const auto seen = look();
  if (!seen) return later(seen.error(), "look at");
  // Nothing else ever bears that name, whatever its inode is in a tree that was copied.
  if (seen->aside) {
    if (!seen->directory) return keep(*seen, std::string(kNoDirectory));
    return put_back(*seen, aside(*seen), file_.temporary, spot_.name());
  }
  // What was moved has been spoken of.
  if (file_.what == What::moved || is_old(seen->here)) return {};
  if (may_be_elsewhere(*seen)) return keep(*seen, std::string(kNoDirectory));
  return {.problem = "somebody else has changed or removed it since"};
}

TakenBack RecoveredFile::discard() {
  if (!is_stageable()) return {};
  const auto seen = look();
  if (!seen) return later(seen.error(), "look at");
  if (!seen->aside || is_old(seen->aside)) return {};
  const bool is_ours = !file_.staged || is_as_staged(aside(*seen), file_.temporary, seen->aside);
  if (!is_ours) return keep(*seen, std::string(kSomebodyElse));
  const auto removed = remove_tree_at(aside(*seen), file_.temporary);
  if (!removed) return later(removed.error(), "remove what was staged for");
  return {};
}

sys::OrErrno<void> RecoveredFile::take_in() {
  if (!file_.beside || file_.what == What::created || file_.what == What::moved) return {};
  const auto seen = look();
  if (!seen) return std::unexpected(seen.error());
  const auto kept = look_at(journal_.kept(), kept_name_);
  if (!kept) return std::unexpected(kept.error());
  const bool is_needed = file_.undoable && !*kept;
  if (!seen->directory && is_needed) return std::unexpected(std::errc::no_such_file_or_directory);
  if (!is_old(seen->aside)) return {};
  if (is_needed) {
    const auto copied = copy_into(aside(*seen), file_.temporary, journal_.kept(), kept_name_);
    if (!copied) return copied;
  }
  return remove_tree_at(aside(*seen), file_.temporary);
}

TakenBack RecoveredFile::put_back(const Seen& seen, const sys::Fd& from, const std::string& name,
                                  const std::string& as) const {
  const auto done = rename_new(from, name, *seen.directory, as);
  if (done) return {};
  if (done.error() != std::errc::file_exists) return later(done.error(), "restore");
  if (is_moved(seen.there)) {
    return {.problem = fmt::format("somebody else has made another; it is now '{}'",
                                   escape_for_display(file_.to))};
  }
  return keep(seen, "somebody else has made another");
}

// Nothing that may be the only copy is removed: it gets a name beside the file, or stays.
TakenBack RecoveredFile::keep(const Seen& seen, std::string why) const {
  if (may_be_elsewhere(seen)) {
    why += fmt::format(
        "; what was there before went with it as '{}', or is restored when it is "
        "back",
        file_.temporary);
    return {.problem = std::move(why), .again = true, .elsewhere = true};
  }
  if (file_.what == What::moved && is_moved(seen.there)) {
    why += fmt::format("; it is now '{}'", escape_for_display(file_.to));
    return {.problem = std::move(why)};
  }
  const std::string kept = fmt::format(".helve-kept-{:016x}", sys::random_number());
  if (seen.directory && rename_new(aside(seen), file_.temporary, *seen.directory, kept)) {
    why += fmt::format("; what was put aside for it is beside it as '{}'", kept);
    return {.problem = std::move(why)};
  }
  const auto place = sys::path_of(aside(seen));
  why += fmt::format("; what was put aside for it is '{}/{}', and the next start tries again",
                     place ? escape_for_display(*place) : "kept", file_.temporary);
  return {.problem = std::move(why), .again = true};
}

TakenBack RecoveredFile::later(std::errc number, std::string_view action) const {
  return {
      .problem = sys::to_error(number, action, file_.path).message + "; the next start tries again",
      .again = true};
}

}  // namespace helve::workspace
