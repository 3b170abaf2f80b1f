#include "workspace/replace.h"

#include <fmt/core.h>

#include <optional>

#include "base/text.h"

namespace helve::workspace {
namespace {

constexpr int kMaxTries = 10;

// What bears the name now. The descriptor keeps the inode from being used again, so that it can be
// told from another.
struct Existing {
  sys::Fd identity;
  sys::FileStatus status;
};

Error refused(const Target& target, Code code, std::string_view why, std::string_view hint,
              std::string_view type) {
  return {code, fmt::format("cannot write '{}': {}", escape_for_display(target.shown), why),
          std::string(hint), std::string(type)};
}

Error changed_meanwhile(const Target& target) {
  return refused(target, Code::conflict, "it changed while it was being written",
                 "read it again, then write", "changed_meanwhile");
}

Error failed(const Target& target, std::errc number) {
  return sys::to_error(number, "write", target.shown);
}

Result<void> check_existing(const Target& target, const Existing& existing,
                            OnConflict on_conflict) {
  const sys::FileStatus& status = existing.status;
  switch (status.kind) {
    case sys::FileKind::file:
      break;
    case sys::FileKind::directory:
      return refused(target, Code::invalid_argument, "it is a directory", "name a file in it",
                     "is_directory");
    case sys::FileKind::symlink: {
      const auto link = sys::read_link_at(target.directory, target.name);
      return refused(target, Code::denied,
                     "it is a symbolic link, and links are not written through",
                     link ? fmt::format("it leads to '{}': write there if that is meant",
                                        escape_for_display(*link))
                          : "write to the file that it leads to",
                     "symlink");
    }
    default:
      return refused(target, Code::unsupported,
                     fmt::format("it is a {}", sys::name_of(status.kind)),
                     "only regular files are written", "not_a_file");
  }
  if (on_conflict == OnConflict::error) {
    return refused(target, Code::conflict, "it exists already",
                   "choose another path, or pass on_conflict=overwrite", "path_conflict");
  }
  if (status.links > 1) {
    return refused(target, Code::denied,
                   fmt::format("the file has {} names (hard links), perhaps outside the workspace",
                               status.links),
                   "remove it first to write a file of its own", "hard_link");
  }
  if (const auto may = sys::may_write(existing.identity); !may) return failed(target, may.error());
  return {};
}

Result<std::optional<Existing>> look(const Target& target, OnConflict on_conflict) {
  auto identity = sys::open_beneath(target.directory, target.name, sys::Open::identity);
  if (!identity) {
    if (identity.error() == std::errc::no_such_file_or_directory) return std::optional<Existing>();
    return failed(target, identity.error());
  }
  const auto status = sys::status(*identity);
  if (!status) return failed(target, status.error());
  Existing existing{std::move(*identity), *status};
  TRY(check_existing(target, existing, on_conflict));
  return std::optional<Existing>(std::move(existing));
}

// The temporary file beside the target. Whatever bears its name in the end is removed, unless it is
// not known.
class Staged {
 public:
  Staged(const Target& target, std::string name) : target_(target), name_(std::move(name)) {}
  ~Staged() {
    if (exists_) (void)sys::remove_file_at(target_.directory, name_);
  }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  sys::OrErrno<void> fill(std::string_view content, const Existing* like, Durability durability);
  Result<void> become_new(OnConflict on_conflict, Durability durability);
  Result<void> exchange_with(const Existing& existing, Durability durability);

 private:
  Result<void> replace_without_exchange(const Existing& existing, Durability durability);
  Error give_back(Error why);
  bool names_our_file(std::string_view name) const {
    const auto now = sys::status_at(target_.directory, name);
    return now && now->same_file(ours_);
  }
  sys::OrErrno<void> sync(Durability durability) const {
    if (durability == Durability::unsynced) return {};
    return sys::sync_directory(target_.directory);
  }

  const Target& target_;
  std::string name_;
  bool exists_ = false;
  sys::Fd identity_;  // of our file, under whatever name
  sys::FileStatus ours_;
};

sys::OrErrno<void> Staged::fill(std::string_view content, const Existing* like,
                                Durability durability) {
  auto file = sys::create_new(target_.directory, name_);
  if (!file) return std::unexpected(file.error());
  exists_ = true;
  auto identity = sys::open_beneath(target_.directory, name_, sys::Open::identity);
  if (!identity) return std::unexpected(identity.error());
  identity_ = std::move(*identity);
  const auto status = sys::status(*file);
  if (!status) return std::unexpected(status.error());
  ours_ = *status;
  auto done = sys::write_all(*file, content);
  if (done) {
    done = like ? sys::copy_attributes(like->identity, like->status, *file)
                : sys::set_default_mode(*file);
  }
  if (done && durability == Durability::synced) done = sys::sync_data(*file);
  if (done) done = sys::close_file(std::move(*file));
  return done;
}

Result<void> Staged::become_new(OnConflict on_conflict, Durability durability) {
  auto done = sys::rename_at(target_.directory, name_, target_.name, sys::Rename::no_replace);
  if (!done && done.error() == std::errc::invalid_argument) {
    // A file system without this kind of rename: the look just before is the best there is.
    done = sys::status_at(target_.directory, target_.name)
               ? sys::OrErrno<void>(std::unexpected(std::errc::file_exists))
               : sys::rename_at(target_.directory, name_, target_.name, sys::Rename::replace);
  }
  if (!done) {
    if (done.error() != std::errc::file_exists) return failed(target_, done.error());
    if (on_conflict == OnConflict::overwrite) return changed_meanwhile(target_);
    return refused(target_, Code::conflict, "it exists already",
                   "choose another path, or pass on_conflict=overwrite", "path_conflict");
  }
  exists_ = false;
  if (const auto synced = sync(durability); !synced) {
    if (names_our_file(target_.name)) (void)sys::remove_file_at(target_.directory, target_.name);
    return failed(target_, synced.error());
  }
  return {};
}

Result<void> Staged::exchange_with(const Existing& existing, Durability durability) {
  const auto done = sys::rename_at(target_.directory, name_, target_.name, sys::Rename::exchange);
  if (!done) {
    if (done.error() == std::errc::invalid_argument) {
      return replace_without_exchange(existing, durability);
    }
    if (done.error() == std::errc::no_such_file_or_directory) return changed_meanwhile(target_);
    return failed(target_, done.error());
  }
  const auto old = sys::status_at(target_.directory, name_);
  if (!old || !old->same_file(existing.status)) return give_back(changed_meanwhile(target_));
  if (const auto synced = sync(durability); !synced) {
    return give_back(failed(target_, synced.error()));
  }
  return {};  // the old file now bears the temporary name and is removed
}

// Exchanges a second time. Another process may replace the file at any moment; its word is the
// last, and nothing that is not ours is removed while it may be the only copy.
Error Staged::give_back(Error why) {
  for (int i = 0; i < kMaxTries; ++i) {
    if (!names_our_file(target_.name)) {
      // Whoever replaced or removed ours would have done the same to the file that we now hold.
      const auto ours = sys::status(identity_);
      if (ours && ours->links == 0) return why;
      break;
    }
    if (!sys::rename_at(target_.directory, name_, target_.name, sys::Rename::exchange)) break;
    if (names_our_file(name_)) return why;
    // Somebody was faster than the exchange: theirs goes back to its place.
    if (!sys::rename_at(target_.directory, name_, target_.name, sys::Rename::exchange)) break;
  }
  exists_ = false;
  // Under a name that is not taken for a leftover once this process has ended.
  const std::string kept = ".helve-kept-" + name_.substr(name_.find_last_of("-.") + 1);
  if (sys::rename_at(target_.directory, name_, kept, sys::Rename::replace)) name_ = kept;
  why.hint = fmt::format("what was there before is kept beside it as '{}'", name_);
  return why;
}

Result<void> Staged::replace_without_exchange(const Existing& existing, Durability durability) {
  const auto now = sys::status_at(target_.directory, target_.name);
  if (!now || !now->same_file(existing.status)) return changed_meanwhile(target_);
  const auto done = sys::rename_at(target_.directory, name_, target_.name, sys::Rename::replace);
  if (!done) return failed(target_, done.error());
  exists_ = false;
  if (const auto synced = sync(durability); !synced) return failed(target_, synced.error());
  return {};
}

}  // namespace

Result<Written> replace(const Target& target, std::string_view content, OnConflict on_conflict,
                        Durability durability, std::string temporary_name) {
  const std::optional<Existing> existing = TRY(look(target, on_conflict));
  Staged staged(target, std::move(temporary_name));
  const Existing* like = existing ? &*existing : nullptr;
  if (const auto filled = staged.fill(content, like, durability); !filled) {
    return failed(target, filled.error());
  }
  if (existing) {
    TRY(staged.exchange_with(*existing, durability));
  } else {
    TRY(staged.become_new(on_conflict, durability));
  }
  return Written{.created = !existing};
}

}  // namespace helve::workspace
