#include "guidance/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sys/directory.h"
#include "sys/owner.h"

namespace helve::guidance {
namespace {

constexpr size_t kLongestChar = 4;  // bytes

Result<sys::Fd> open_own(const std::string& directory, const std::string& path, sys::Open how) {
  const std::string shown = directory + "/" + path;
  const auto top = sys::open_directory(directory);
  if (!top) return sys::to_error(top.error(), "open", directory);
  auto opened = sys::open_beneath(*top, path, how);
  if (!opened) return sys::to_error(opened.error(), "open", shown);
  const auto status = sys::status(*opened);
  if (!status) return sys::to_error(status.error(), "read", shown);
  if (auto refusal =
          sys::open_to_others(shown, *status, sys::Writers::owner_and_group, sys::effective_user()))
    return *refusal;
  if (how == sys::Open::read && status->kind != sys::FileKind::file)
    return Error{Code::unsupported, "'" + escape_for_display(shown) + "' is not a file"};
  return std::move(*opened);
}

std::string with_plain_endings(std::string_view text) {
  std::string out;
  for (size_t end; (end = text.find("\r\n")) != text.npos; text.remove_prefix(end + 1))
    out.append(text.substr(0, end));
  return out.append(text);
}

// What the workspace says of a missing file helps a model; here most are missing, and nobody asks.
bool is_missing(const workspace::Workspace& files, const std::string& path) {
  const auto found = sys::open_beneath(files.roots().front().directory, path, sys::Open::identity);
  return !found && found.error() == std::errc::no_such_file_or_directory;
}

}  // namespace

Source workspace_source(const workspace::Workspace& files) {
  return {.shown_above = "",
          .open_file = [&files](const std::string& path) -> Result<sys::Fd> {
            if (is_missing(files, path)) return Error{Code::not_found, path};
            return TRY(files.open_file(path)).file;
          },
          .open_directory = [&files](const std::string& path) -> Result<sys::Fd> {
            if (is_missing(files, path)) return Error{Code::not_found, path};
            return files.open_directory(path);
          }};
}

Source own_source(const std::string& directory) {
  return {.shown_above = escape_for_display(directory) + "/",
          .open_file =
              [&directory](const std::string& path) {
                return open_own(directory, path, sys::Open::read);
              },
          .open_directory =
              [&directory](const std::string& path) {
                return open_own(directory, path, sys::Open::directory);
              }};
}

Result<std::optional<Excerpt>> read_excerpt(const Source& source, const std::string& path,
                                            size_t bytes) {
  const Result<sys::Fd> file = source.open_file(path);
  if (!file && file.error().code == Code::not_found) return std::nullopt;
  if (!file) return file.error();
  Excerpt excerpt{.path = source.shown_above + escape_for_display(path), .text = {}};
  const auto status = sys::status(*file);
  if (!status) return sys::to_error(status.error(), "read", excerpt.path);
  excerpt.size = status->size;
  std::string raw(std::min<std::uint64_t>(bytes + kLongestChar, status->size), '\0');
  const auto count = sys::read_at(*file, raw, 0);
  if (!count) return sys::to_error(count.error(), "read", excerpt.path);
  raw.resize(*count);
  std::string_view text = raw;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  excerpt.text = escape_lines_for_display(with_plain_endings(cut_utf8(text, bytes)));
  excerpt.is_cut = text.size() > bytes || excerpt.text.size() > bytes;
  excerpt.text.resize(cut_utf8(excerpt.text, bytes).size());
  return excerpt;
}

Result<std::string> read_whole(const Source& source, const std::string& path, size_t limit) {
  const sys::Fd file = TRY(source.open_file(path));
  const std::string shown = source.shown_above + escape_for_display(path);
  const auto status = sys::status(file);
  if (!status) return sys::to_error(status.error(), "read", shown);
  if (status->size > limit)
    return Error{Code::too_large, fmt::format("'{}' has {}, the limit is {}", shown,
                                              human_size(status->size), human_size(limit))};
  std::string text(status->size, '\0');
  const auto count = sys::read_at(file, text, 0);
  if (!count) return sys::to_error(count.error(), "read", shown);
  text.resize(*count);
  return text;
}

std::string Names::note(std::string_view directory) const {
  return fmt::format("not all of '{}' was looked at: it has more than {} entries", directory,
                     kMaxEntries);
}

Result<Names> names_in(const Source& source, const std::string& path, std::string_view ending,
                       size_t most) {
  Names found;
  const Result<sys::Fd> directory = source.open_directory(path);
  if (!directory && directory.error().code == Code::not_found) return found;
  if (!directory) return directory.error();
  size_t entries = 0;
  const auto listed = sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
    found.is_cut = entries++ == most;
    if (!found.is_cut && !entry.name.starts_with('.') && entry.name.ends_with(ending))
      found.names.emplace_back(entry.name);
    return !found.is_cut;
  });
  if (!listed)
    return sys::to_error(listed.error(), "list", source.shown_above + escape_for_display(path));
  std::ranges::sort(found.names);
  return found;
}

}  // namespace helve::guidance
