#include "workspace/real_path.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sys/file_at.h"
#include "workspace/path.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxLinks = 40;  // as many as the kernel follows

}  // namespace

std::string real_path(std::string path) {
  for (size_t i = 0; i < kMaxLinks; ++i) {
    path = tidy(path);
    size_t end = path.size();
    auto directory = sys::open_directory(path);
    while (!directory && end > 0) {
      end = path.rfind('/', end - 1);
      directory = sys::open_directory(end == 0 ? "/" : std::string_view(path).substr(0, end));
    }
    const auto real = directory ? sys::path_of(*directory)
                                : sys::OrErrno<std::string>(std::unexpected(directory.error()));
    if (!real) return path;
    std::string_view rest = std::string_view(path).substr(end);
    const std::string_view name = next_part(rest);
    if (name.empty()) return *real;
    const auto link = sys::read_link_at(*directory, name);
    const std::string front = *real == "/" ? "" : *real;
    if (!link) return fmt::format("{}/{}{}", front, name, rest);
    path = fmt::format("{}/{}{}", link->starts_with('/') ? "" : front, *link, rest);
  }
  return path;
}

std::vector<std::string> links_on_the_way(std::string_view path) {
  std::vector<std::string> links;
  std::string rest(path), front;  // the front has no links any more
  while (links.size() < kMaxLinks) {
    std::string_view after = rest;
    const std::string name(next_part(after));
    if (name.empty()) break;
    rest = std::string(after);
    if (name == "..") {
      front.resize(front.empty() ? 0 : front.rfind('/'));
      continue;
    }
    const auto directory = sys::open_directory(front.empty() ? "/" : front);
    if (!directory) break;
    const auto target = sys::read_link_at(*directory, name);
    if (!target) {
      front.append("/") += name;
      continue;
    }
    links.push_back(fmt::format("{}/{}", front, name));
    if (target->starts_with('/')) front.clear();
    rest = fmt::format("{}/{}", *target, rest);
  }
  return links;
}

bool leads_through(std::string_view path, std::string_view link) {
  return std::ranges::count(links_on_the_way(path), link) > 0;
}

bool holds(std::string_view directory, std::string_view path) {
  while (true) {
    const std::string_view expected = next_part(directory);
    if (expected.empty()) return true;
    if (!equals_ignoring_case(next_part(path), expected)) return false;
  }
}

}  // namespace helve::workspace
