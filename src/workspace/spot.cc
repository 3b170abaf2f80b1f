#include "workspace/spot.h"

#include "workspace/path.h"

namespace helve::workspace {

bool is_absence(std::errc number) {
  return number == std::errc::no_such_file_or_directory || number == std::errc::not_a_directory ||
         number == std::errc::too_many_symbolic_link_levels;  // a directory became a link
}

sys::OrErrno<std::optional<sys::FileStatus>> look_at(const sys::Fd& directory,
                                                     std::string_view name) {
  const auto status = sys::status_at(directory, name);
  if (status) return *status;
  if (is_absence(status.error())) return std::nullopt;
  return std::unexpected(status.error());
}

std::optional<Spot> Spot::find(std::span<const Root> roots, std::string_view path) {
  const auto [directory, name] = split_name(path);
  for (const Root& root : roots) {
    const auto rest = below(root.path, directory);
    if (rest && root.access == Access::writable) {
      return Spot(root, rest->empty() ? "." : *rest, name);
    }
  }
  return {};
}

sys::OrErrno<std::optional<sys::Fd>> Spot::open() const {
  auto opened =
      sys::open_beneath(root_->directory, directory_, sys::Open::directory, sys::Links::refuse);
  if (opened) return std::move(*opened);
  if (is_absence(opened.error())) return std::nullopt;
  return std::unexpected(opened.error());
}

sys::OrErrno<void> remove_empty(std::span<const Root> roots, std::span<const std::string> paths) {
  for (const std::string& path : paths) {
    const auto spot = Spot::find(roots, path);
    if (!spot) continue;
    const auto parent = spot->open();
    if (!parent) return std::unexpected(parent.error());
    if (!*parent) continue;
    const auto removed = sys::remove_directory_at(**parent, spot->name());
    if (removed || is_absence(removed.error())) continue;
    if (removed.error() == std::errc::directory_not_empty) continue;
    if (removed.error() == std::errc::file_exists) continue;  // as some file systems say it
    return removed;
  }
  return {};
}

}  // namespace helve::workspace
