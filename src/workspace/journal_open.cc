// The part of workspace/journal.h about where it lies: made, opened and locked.
#include <fmt/core.h>

#include "base/text.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/id.h"
#include "sys/owner.h"
#include "workspace/journal.h"

namespace helve::workspace {
namespace {

constexpr std::uint32_t kPrivate = 0700;

}  // namespace

Result<void> Journal::prepare() { return open_ ? Result<void>() : open(true); }

bool Journal::exists() { return open_ || open(false).has_value(); }

Result<sys::Fd> Journal::open_part(std::string_view name, bool make) {
  const std::string path = fmt::format("{}/{}", path_, name);
  if (make) {
    const auto made = sys::make_directory_at(directory_, name, kPrivate);
    if (!made && made.error() != std::errc::file_exists)
      return sys::to_error(made.error(), "make the journal", path);
  }
  auto part = sys::open_beneath(directory_, name, sys::Open::directory, sys::Links::refuse);
  if (part) return std::move(*part);
  return sys::to_error(part.error(), "open the journal", path);
}

Result<void> Journal::open(bool make) {
  const std::lock_guard lock(mutex_);
  if (open_) return {};
  if (make) TRY(sys::make_directories(path_, kPrivate));
  auto directory = sys::open_directory(path_);
  if (!directory) return sys::to_error(directory.error(), "open the journal", path_);
  const auto status = sys::status(*directory);
  if (!status) return sys::to_error(status.error(), "open the journal", path_);
  if (status->user != sys::effective_user()) {
    return Error{Code::denied,
                 fmt::format("the journal '{}' belongs to user {}, not to you",
                             escape_for_display(path_), status->user),
                 "change its owner, or choose another state directory", "unsafe_file"};
  }
  if (status->mode & 077) {
    if (const auto set = sys::set_mode(*directory, kPrivate); !set) {
      return sys::to_error(set.error(), "change the mode of", path_);
    }
  }
  directory_ = std::move(*directory);
  pending_ = TRY(open_part("pending", make));
  entries_ = TRY(open_part("entries", make));
  kept_ = TRY(open_part("kept", make));
  objects_ = TRY(open_part("objects", make));
  TRY(open_seed());
  mount_ = sys::mount_of(kept_).value_or(0);
  open_ = true;
  return {};
}

Result<void> Journal::open_seed() {
  const std::string path = path_ + "/seed";
  for (int i = 0; i < 2; ++i) {
    if (const Result<std::string> text = sys::read_file(path, 64); text && text->size() == 17) {
      seed_ = std::stoull("0" + text->substr(0, 16), nullptr, 16);
      return {};
    }
    // Whole or not at all, and whoever comes second takes the one that is there.
    const std::string name = sys::temporary_name();
    auto file = sys::create_new(directory_, name);
    if (!file) return sys::to_error(file.error(), "write", path);
    auto done = sys::write_all(*file, fmt::format("{:016x}\n", sys::random_number()));
    if (done) done = sys::sync_data(*file);
    if (done) done = sys::rename_at(directory_, name, "seed", sys::Rename::no_replace);
    if (!done) (void)sys::remove_file_at(directory_, name);
    if (!done && done.error() != std::errc::file_exists) {
      return sys::to_error(done.error(), "write", path);
    }
  }
  return Error{Code::internal, fmt::format("'{}' is damaged", escape_for_display(path)),
               "remove it; what was kept before can then not be undone"};
}

Result<sys::Fd> Journal::lock(std::string_view name, std::chrono::milliseconds longest) const {
  return sys::lock_file(fmt::format("{}/{}", path_, name), longest);
}

Result<sys::Fd> Journal::lock_records() const {
  constexpr std::chrono::milliseconds kLongest(1000);
  return lock("amend.lock", kLongest);
}

}  // namespace helve::workspace
