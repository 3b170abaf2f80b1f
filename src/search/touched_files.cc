#include "search/touched_files.h"

#include <string>
#include <vector>

#include "sys/directory.h"

namespace helve::search {
namespace {

constexpr int kMaxDepth = 200;

size_t count(const sys::Fd& directory, std::int64_t since_ns, size_t& allowance, int depth) {
  size_t files = 0;
  std::vector<std::string> inner;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (allowance == 0) return false;
    --allowance;
    const auto status = sys::status_at(directory, entry.name);
    if (status && status->kind == sys::FileKind::directory)
      inner.emplace_back(entry.name);
    else if (status && status->changed_ns >= since_ns)
      ++files;
    return true;
  });
  if (depth == kMaxDepth) return files;
  for (const std::string& name : inner) {
    if (allowance == 0) break;
    const auto opened =
        sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
    if (opened) files += count(*opened, since_ns, allowance, depth + 1);
  }
  return files;
}

}  // namespace

size_t count_touched(const sys::Fd& directory, std::int64_t since_ns, size_t& allowance) {
  return count(directory, since_ns, allowance, 0);
}

}  // namespace helve::search
