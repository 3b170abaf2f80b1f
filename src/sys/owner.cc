#include "sys/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace helve::sys {
namespace {

constexpr std::uint32_t kGroupWrites = 0020;
constexpr std::uint32_t kWorldWrites = 0002;

}  // namespace

std::uint32_t effective_user() { return geteuid(); }
std::uint32_t effective_group() { return getegid(); }

std::optional<Error> open_to_others(std::string_view path, const FileStatus& status,
                                    Writers writers, std::uint32_t user) {
  const std::string name = escape_for_display(path);
  const std::string chmod = "chmod go-w " + shell_quoted(path);
  auto refused = [](std::string message, std::string hint) {
    return Error{Code::denied, std::move(message), std::move(hint), "unsafe_file"};
  };
  if (status.user != user && status.user != 0) {
    return refused(fmt::format("'{}' belongs to user {}, not to you", name, status.user),
                   "read it; if you trust it, put a copy of your own in its place");
  }
  if (status.mode & kWorldWrites) {
    return refused(fmt::format("'{}' can be written by everybody", name), chmod);
  }
  if (writers == Writers::owner && (status.mode & kGroupWrites)) {
    return refused(fmt::format("'{}' can be written by its group", name), chmod);
  }
  return std::nullopt;
}

}  // namespace helve::sys
