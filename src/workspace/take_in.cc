#include "workspace/take_in.h"

#include <array>

#include "sys/directory.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr size_t kBuffer = 256 * 1024;

sys::OrErrno<void> copy(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                        const std::string& as, int depth);

sys::OrErrno<void> copy_file(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as, std::uint32_t mode) {
  const auto source = sys::open_beneath(from, name, sys::Open::read, sys::Links::refuse);
  if (!source) return std::unexpected(source.error());
  auto file = sys::create_new(to, as);
  if (!file) return std::unexpected(file.error());
  std::string buffer(kBuffer, 0);
  for (std::uint64_t at = 0;;) {
    const auto got = sys::read_at(*source, buffer, at);
    if (!got) return std::unexpected(got.error());
    if (const auto done = sys::write_all(*file, std::string_view(buffer).substr(0, *got)); !done) {
      return done;
    }
    at += *got;
    if (*got < buffer.size()) break;
  }
  if (const auto done = sys::set_mode(*file, mode); !done) return done;
  return sys::close_file(std::move(*file));
}

sys::OrErrno<void> copy_directory(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                                  const std::string& as, std::uint32_t mode, int depth) {
  if (depth > kMaxTreeDepth) return std::unexpected(std::errc::filename_too_long);
  const auto source = sys::open_beneath(from, name, sys::Open::directory, sys::Links::refuse);
  if (!source) return std::unexpected(source.error());
  if (const auto made = sys::make_directory_at(to, as, 0700); !made) return made;
  const auto target = sys::open_beneath(to, as, sys::Open::directory, sys::Links::refuse);
  if (!target) return std::unexpected(target.error());
  std::vector<std::string> names;
  const auto read = sys::for_each_entry(*source, [&](const sys::DirectoryEntry& entry) {
    names.emplace_back(entry.name);
    return true;
  });
  if (!read) return read;
  for (const std::string& inner : names) {
    if (const auto done = copy(*source, inner, *target, inner, depth + 1); !done) return done;
  }
  return sys::set_mode(*target, mode);
}

sys::OrErrno<void> copy(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                        const std::string& as, int depth) {
  const auto status = sys::status_at(from, name);
  if (!status) return std::unexpected(status.error());
  switch (status->kind) {
    case sys::FileKind::file:
      return copy_file(from, name, to, as, status->mode);
    case sys::FileKind::directory:
      return copy_directory(from, name, to, as, status->mode, depth);
    case sys::FileKind::symlink: {
      const auto target = sys::read_link_at(from, name);
      if (!target) return std::unexpected(target.error());
      return sys::make_link_at(to, as, *target);
    }
    default:
      return {};  // nothing that could be restored
  }
}

}  // namespace

sys::OrErrno<void> copy_into(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as) {
  const std::string part = as + ".part";
  (void)remove_tree_at(to, part);
  auto done = copy(from, name, to, part, 0);
  if (done) done = sys::rename_at(to, part, as, sys::Rename::replace);
  if (!done) (void)remove_tree_at(to, part);
  return done;
}

}  // namespace helve::workspace
