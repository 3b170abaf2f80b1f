#include "app/state_files.h"

#include "sys/file_error.h"

namespace helve::app {

Result<std::optional<sys::FileStatus>> state_file(const std::string& path) {
  if (path.empty())
    return Error{Code::not_found, "the state directory is not known", "set HOME or XDG_STATE_HOME"};
  const size_t slash = path.rfind('/');
  const auto directory = sys::open_directory(slash == 0 ? "/" : path.substr(0, slash));
  auto missing = [](std::errc number) { return number == std::errc::no_such_file_or_directory; };
  if (!directory && missing(directory.error())) return std::optional<sys::FileStatus>();
  if (!directory) return sys::to_error(directory.error(), "look for", path);
  const auto status = sys::status_at(*directory, path.substr(slash + 1));
  if (!status && missing(status.error())) return std::optional<sys::FileStatus>();
  if (!status) return sys::to_error(status.error(), "look for", path);
  return std::optional(*status);
}

}  // namespace helve::app
