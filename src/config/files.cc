#include "config/files.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml.h"
#include "sys/file_at.h"

namespace helve::config {
namespace {

Error link_error(const std::string& path, std::string hint) {
  return Error{Code::denied, fmt::format("'{}' is a symbolic link", escape_for_display(path)),
               std::move(hint), "symbolic_link"};
}

Result<std::string> read_all(const sys::Fd& file, const sys::FileStatus& status,
                             const std::string& path, size_t limit) {
  const std::string name = escape_for_display(path);
  if (status.kind != sys::FileKind::file) {
    return Error{Code::unsupported,
                 fmt::format("'{}' is a {}, not a file", name, sys::name_of(status.kind)),
                 "put a regular file there, or nothing", "not_a_file"};
  }
  // One byte more than stated shows a file that grew meanwhile.
  std::string content(std::min<std::uint64_t>(status.size, limit) + 1, 0);
  const auto count = sys::read_at(file, content, 0);
  if (!count) return sys::to_error(count.error(), "read", path);
  if (*count > limit) {
    return Error{Code::too_large, fmt::format("'{}' is larger than {}", name, human_size(limit)),
                 "", "file_too_large"};
  }
  if (*count == content.size()) {
    return Error{Code::conflict, fmt::format("'{}' changed while it was read", name), "try again",
                 "file_changed"};
  }
  content.resize(*count);
  return content;
}

bool is_missing(std::errc code) {
  return code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory;
}

Error read_error(std::errc code, const std::string& path) {
  Error error = sys::to_error(code, "read", path);
  if (code == std::errc::permission_denied) {
    error.hint = fmt::format("chmod u+r '{}', or move it away", escape_for_display(path));
  }
  return error;
}

}  // namespace

Result<std::optional<std::string>> read_own_file(const std::string& path, size_t limit,
                                                 sys::Writers writers) {
  const size_t slash = path.rfind('/');
  const std::string parent = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  const auto directory = sys::open_directory(parent);
  if (!directory && is_missing(directory.error())) return std::nullopt;
  if (!directory) return read_error(directory.error(), parent);
  const auto file = sys::open_beneath(*directory, name, sys::Open::read, sys::Links::refuse);
  if (!file && is_missing(file.error())) return std::nullopt;
  if (!file && file.error() == std::errc::too_many_symbolic_link_levels) {
    return link_error(path, "put the file itself there instead of the link");
  }
  if (!file) return read_error(file.error(), path);
  const auto status = sys::status(*file);
  if (!status) return sys::to_error(status.error(), "read", path);
  if (auto refusal = sys::open_to_others(path, *status, writers, sys::effective_user())) {
    return *refusal;
  }
  return TRY(read_all(*file, *status, path, limit));
}

Result<std::optional<WorkspaceFile>> read_workspace_file(const std::string& workspace) {
  const auto directory = sys::open_directory(workspace);
  if (!directory && is_missing(directory.error())) return std::nullopt;
  if (!directory) return read_error(directory.error(), workspace);
  const auto file =
      sys::open_beneath(*directory, kWorkspaceConfig, sys::Open::read, sys::Links::refuse);
  if (!file && is_missing(file.error())) return std::nullopt;
  const std::string near = workspace + "/" + kWorkspaceConfig;
  if (!file && file.error() == std::errc::too_many_symbolic_link_levels) {
    return link_error(near, "a workspace's config must be a file of its own");
  }
  if (!file) return read_error(file.error(), near);
  const auto place = sys::path_of(*directory);
  if (!place) return sys::to_error(place.error(), "find", workspace);
  const std::string path = (*place == "/" ? "" : *place) + "/" + kWorkspaceConfig;
  const auto status = sys::status(*file);
  if (!status) return sys::to_error(status.error(), "read", path);
  std::string content = TRY(read_all(*file, *status, path, kMaxYamlBytes));
  return WorkspaceFile{path, std::move(content)};
}

}  // namespace helve::config
