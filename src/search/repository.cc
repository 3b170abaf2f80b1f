#include "search/repository.h"

#include "base/text.h"
#include "sys/file.h"
#include "sys/file_at.h"

namespace helve::search {
namespace {

constexpr std::string_view kLeadsTo = "gitdir: ";
constexpr size_t kMaxPointer = 8192;  // bytes of a file that leads to the repository

// A worktree and a submodule have a file that names the directory.
std::string led_to(const std::string& top, const std::string& pointer) {
  const Result<std::string> text = sys::read_file(pointer, kMaxPointer);
  if (!text || !text->starts_with(kLeadsTo)) return {};
  const std::string path(trim(std::string_view(*text).substr(kLeadsTo.size())));
  if (path.empty()) return {};
  return path.starts_with('/') ? path : top + "/" + path;
}

}  // namespace

std::optional<Repository> repository_of(std::string_view absolute_directory) {
  std::string top(absolute_directory);
  while (top.size() > 1) {
    const std::string git = top + "/.git";
    if (const auto status = sys::status_of(git)) {
      const bool is_directory = status->kind == sys::FileKind::directory;
      std::string directory = is_directory ? git : led_to(top, git);
      if (!directory.empty()) return Repository{std::move(top), std::move(directory)};
    }
    top.resize(top.rfind('/'));
  }
  return {};
}

}  // namespace helve::search
