#include "sandbox/sockets.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxList = 16u << 20;  // bytes
constexpr size_t kFieldsBeforePath = 7;

// "0000…: 00000002 00000000 00010000 0001 01 12345 /run/x": the rest of the line is the path.
std::string_view path_in(std::string_view line) {
  for (size_t field = 0; field < kFieldsBeforePath; ++field) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    line.remove_prefix(std::min(line.find(' '), line.size()));
  }
  return line.starts_with(" /") ? line.substr(1) : std::string_view();
}

}  // namespace

Result<sys::Fd> open_socket_list() {
  sys::Fd list(open("/proc/self/net/unix", O_RDONLY | O_CLOEXEC));
  if (!list) return failure("read /proc/self/net/unix", errno);
  return list;
}

Result<std::vector<std::string>> socket_paths(const sys::Fd& list) {
  std::string text;
  char buffer[32768];
  for (;;) {
    // By position: several processes read the same open file.
    const ssize_t count = pread(list.get(), buffer, sizeof buffer, static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("read the list of sockets", errno);
    if (count == 0) break;
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxList) return failure("read the list of sockets", E2BIG);
  }
  std::vector<std::string> paths;
  for (const std::string_view line : split(text, '\n')) {
    if (const std::string_view path = path_in(line); !path.empty()) paths.emplace_back(path);
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace helve::sandbox
