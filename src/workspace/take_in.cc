#include "workspace/take_in.h"

#include <array>

#include "sys/directory.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr size_t kBuffer = 256 * 1024;
constexpr std::string_view kPart = ".part";

sys::OrErrno<void> copy(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                        const std::string& as, int depth);

sys::OrErrno<void> copy_file(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as, const sys::FileStatus& status) {
  const auto source = open_to_copy(from, name, status);
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
  if (const auto done = sys::copy_attributes(*source, status, *file); !done) return done;
  return sys::close_file(std::move(*file));
}

sys::OrErrno<void> copy_directory(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                                  const std::string& as, const sys::FileStatus& status, int depth) {
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
  // Last, since the mode may forbid to make anything in it.
  return sys::copy_attributes(*source, status, *target);
}

sys::OrErrno<void> copy(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                        const std::string& as, int depth) {
  const auto status = sys::status_at(from, name);
  if (!status) return std::unexpected(status.error());
  sys::OrErrno<void> done;
  switch (status->kind) {
    case sys::FileKind::file:
      done = copy_file(from, name, to, as, *status);
      break;
    case sys::FileKind::directory:
      done = copy_directory(from, name, to, as, *status, depth);
      break;
    case sys::FileKind::symlink: {
      const auto target = sys::read_link_at(from, name);
      if (!target) return std::unexpected(target.error());
      done = sys::make_link_at(to, as, *target);
      if (done) sys::copy_link_owner(*status, to, as);
      break;
    }
    case sys::FileKind::fifo:
      done = sys::make_fifo_at(to, as, status->mode);
      break;
    default:
      return {};  // nothing that could be restored
  }
  if (done) (void)sys::set_modified_at(to, as, status->modified_ns);
  return done;
}

}  // namespace

// The owner may allow it for a moment.
sys::OrErrno<sys::Fd> open_to_copy(const sys::Fd& from, std::string_view name,
                                   const sys::FileStatus& status) {
  constexpr std::uint32_t kReadable = 0400;
  auto source = sys::open_beneath(from, name, sys::Open::read, sys::Links::refuse);
  if (source || source.error() != std::errc::permission_denied) return source;
  const auto identity = sys::open_beneath(from, name, sys::Open::identity, sys::Links::refuse);
  if (!identity || !sys::set_mode(*identity, status.mode | kReadable)) return source;
  source = sys::open_beneath(from, name, sys::Open::read, sys::Links::refuse);
  (void)sys::set_mode(*identity, status.mode);
  return source;
}

sys::OrErrno<FileContent> read_kept(const sys::Fd& directory, std::string_view path,
                                    std::uint64_t limit) {
  const auto [inner, name] = split_name(path);
  const auto opened = sys::open_beneath(directory, inner, sys::Open::directory, sys::Links::refuse);
  if (!opened) return std::unexpected(opened.error());
  const auto status = sys::status_at(*opened, name);
  if (!status) return std::unexpected(status.error());
  FileContent content{.mode = status->mode, .kind = status->kind};
  if (status->kind == sys::FileKind::symlink) {
    auto target = sys::read_link_at(*opened, name);
    if (!target) return std::unexpected(target.error());
    content.text = std::move(*target);
    return content;
  }
  if (status->kind != sys::FileKind::file) return std::unexpected(std::errc::invalid_argument);
  if (status->size > limit) return std::unexpected(std::errc::file_too_large);
  const auto file = open_to_copy(*opened, name, *status);
  if (!file) return std::unexpected(file.error());
  content.text.resize(status->size);
  const auto got = sys::read_at(*file, content.text, 0);
  if (!got) return std::unexpected(got.error());
  if (*got != content.text.size()) return std::unexpected(std::errc::io_error);
  return content;
}

bool is_part(std::string_view name) { return name.ends_with(kPart); }

sys::OrErrno<void> copy_tree(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as) {
  return copy(from, name, to, as, 0);
}

sys::OrErrno<void> copy_into(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as) {
  const std::string part = as + std::string(kPart);
  (void)remove_tree_at(to, part);
  auto done = copy(from, name, to, part, 0);
  if (done) done = sys::rename_at(to, part, as, sys::Rename::replace);
  if (!done) (void)remove_tree_at(to, part);
  return done;
}

}  // namespace helve::workspace
