#include "tools/walking.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxNamedUnreadable = 20;

}  // namespace

EntryType type_of(sys::FileKind kind) {
  switch (kind) {
    case sys::FileKind::file:
      return EntryType::file;
    case sys::FileKind::directory:
      return EntryType::directory;
    case sys::FileKind::symlink:
      return EntryType::symlink;
    default:
      return EntryType::other;
  }
}

std::string shown_below(std::string_view directory, std::string_view path) {
  const std::string below = escape_invalid_utf8(path);
  return directory == "." ? below : fmt::format("{}/{}", directory, below);
}

std::vector<std::string> excluding(const std::vector<std::string>& globs) {
  std::vector<std::string> rules;
  for (const std::string& glob : globs)
    rules.push_back(glob.starts_with('!') ? glob.substr(1) : "!" + glob);
  return rules;
}

InRoot root_of(const workspace::Workspace& files, const sys::Fd& directory) {
  const auto path = sys::path_of(directory);
  if (!path) return {};
  for (const workspace::Root& root : files.roots()) {
    if (*path == root.path) return {&root, ""};
    if (path->starts_with(root.path + "/")) return {&root, path->substr(root.path.size() + 1)};
  }
  return {};
}

Result<sys::Fd> open_searched(const workspace::Workspace& files, const std::string& path,
                              const Context& context) {
  Result<sys::Fd> directory = files.open_directory(path);
  if (directory || directory.error().type != "not_directory" || !files.open_file(path))
    return directory;
  return Error{
      Code::invalid_argument,
      fmt::format("'{}' is a file, not a directory", escape_for_display(files.display(path))),
      fmt::format("`{}` shows what it holds", context.other_tool("read")), "not_directory"};
}

Result<search::WalkReport> walk_for(Context& context, const sys::Fd& directory,
                                    std::string_view shown, search::WalkOptions options,
                                    const std::function<search::Visitor&()>& visitor) {
  options.stop = context.stop;
  options.deadline = context.deadline;
  auto report = search::walk(directory, options, visitor);
  if (!report) return sys::to_error(report.error(), "search", shown);
  if (report->end == search::WalkReport::End::cancelled)
    return Error{Code::cancelled, "the call was cancelled"};
  return std::move(*report);
}

void add_notes(const search::WalkReport& report, std::string_view shown,
               std::vector<std::string>& notes) {
  if (report.end == search::WalkReport::End::deadline) {
    notes.push_back(
        fmt::format("the time was over after {} directories: this is not all; ask for a "
                    "smaller directory, or allow more time",
                    report.directories));
  }
  std::vector<std::string> paths;
  for (const auto& each : report.unreadable) {
    paths.push_back(fmt::format("'{}' cannot be read: {}",
                                escape_for_display(shown_below(shown, each.path)),
                                sys::reason_of(each.error)));
  }
  std::ranges::sort(paths);  // threads find them in any order
  const size_t named = std::min(paths.size(), kMaxNamedUnreadable);
  notes.insert(notes.end(), paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(named));
  if (report.unreadable_count > named)
    notes.push_back(fmt::format("{} more cannot be read", report.unreadable_count - named));
}

void add_note_on_escaped(size_t count, std::vector<std::string>& notes) {
  if (count == 0) return;
  notes.push_back(
      fmt::format("{} not UTF-8: \\xNN stands for a byte of it; JSON cannot name it, a shell can",
                  count == 1 ? "one name is" : fmt::format("{} names are", count)));
}

}  // namespace helve::tools
