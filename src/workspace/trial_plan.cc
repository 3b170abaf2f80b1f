#include "workspace/trial_plan.h"

#include <fmt/format.h>

#include "base/text.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"
#include "workspace/trial_report.h"

namespace helve::workspace {
namespace {

using What = Altered::What;

// What the journal tells it apart by: the content of a file, where a link leads, the outline of a
// directory.
Result<std::string> essence_of(const sys::Fd& directory, std::string_view name, sys::FileKind kind,
                               const std::string& path) {
  sys::OrErrno<std::string> essence = std::string();
  if (kind == sys::FileKind::directory) {
    const auto opened =
        sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
    essence = opened ? outline_of(*opened, kMaxWrite) : std::unexpected(opened.error());
  } else {
    auto content = read_kept(directory, name, kMaxWrite);
    if (content)
      essence = std::move(content->text);
    else
      essence = std::unexpected(content.error());
  }
  if (essence) return std::move(*essence);
  if (essence.error() == std::errc::file_too_large)
    return Error{
        Code::too_large,
        fmt::format("'{}' is larger than {}", escape_for_display(path), human_size(kMaxWrite)),
        "run the command for real", "too_large"};
  return sys::to_error(essence.error(), "read", path);
}

bool is_too_large_to_undo(const sys::Fd& parent, std::string_view name) {
  const auto opened = sys::open_beneath(parent, name, sys::Open::directory, sys::Links::refuse);
  if (!opened) return false;
  size_t entries = 0;
  std::uint64_t bytes = 0;
  bool is_small = true;
  (void)walk_tree(*opened, [&](const TreeEntry& entry) {
    const auto status = sys::status_at(entry.directory, entry.name);
    if (status && status->kind == sys::FileKind::file) bytes += status->size;
    is_small = ++entries <= kMaxMovedEntries && bytes <= kMaxChangeBytes;
    return is_small;
  });
  return !is_small;
}

}  // namespace

Result<BothTrees> open_trees(const TrialLayer& layer) {
  const auto [around, name] = split_name(layer.upper);
  const auto parent = sys::open_directory(around);
  auto upper = parent ? open_layer(*parent, std::string(name))
                      : sys::OrErrno<sys::Fd>(std::unexpected(parent.error()));
  if (!upper) return sys::to_error(upper.error(), "open", layer.upper);
  auto lower = sys::open_directory(layer.root);
  if (!lower) return sys::to_error(lower.error(), "open", layer.root);
  return BothTrees{std::move(*upper), std::move(*lower)};
}

Result<void> TrialPlan::add(const TrialLayer& layer, const BothTrees& trees,
                            const Altered& altered) {
  const std::string path = layer.root + "/" + altered.path;
  if (!protected_part(altered.path).empty()) return {};  // the report told
  if (altered.meanwhile || !is_as_before(altered, trees.lower))
    return Error{Code::conflict,
                 fmt::format("'{}' was changed since the trial", escape_for_display(path)),
                 "run the command again with dry_run=true", "changed_meanwhile"};
  if (!can_be_applied(altered))
    return Error{Code::unsupported,
                 fmt::format("'{}' becomes a {}, which is not applied", escape_for_display(path),
                             name_of(altered.kind)),
                 "run the command for real", "not_applied"};
  if (altered.only_mode && altered.is_directory()) {
    modes.push_back({layer.root, altered.path, altered.mode});
    return {};
  }
  const bool is_file = altered.kind == sys::FileKind::file && altered.kind_before == altered.kind;
  if (altered.what == What::changed && is_file) return add_content(path, trees, altered);
  if (altered.what != What::created)
    changes.push_back({.kind = Change::Kind::remove,
                       .path = path,
                       .expected = altered.was_directory() ? std::nullopt : altered.before,
                       .tree = altered.was_directory(),
                       .makes_way = true});
  return altered.what == What::removed ? Result<void>() : add_copy(path, trees, altered);
}

Result<void> TrialPlan::add_content(const std::string& path, const BothTrees& trees,
                                    const Altered& altered) {
  const auto [directory, name] = split_name(altered.path);
  const auto parent =
      sys::open_beneath(trees.upper, directory, sys::Open::directory, sys::Links::refuse);
  if (!parent) return sys::to_error(parent.error(), "read", path);
  std::string content = TRY(essence_of(*parent, name, altered.kind, path));
  Change write{.path = path, .content = std::move(content), .expected = altered.before};
  write.even_read_only = altered.mode != altered.mode_before;
  if (write.even_read_only) write.mode = altered.mode;
  changes.push_back(std::move(write));
  return {};
}

Result<void> TrialPlan::add_copy(const std::string& path, const BothTrees& trees,
                                 const Altered& altered) {
  const auto [directory, name] = split_name(altered.path);
  auto parent = sys::open_beneath(trees.upper, directory, sys::Open::directory, sys::Links::refuse);
  if (!parent) return sys::to_error(parent.error(), "open", path);
  std::string essence = TRY(essence_of(*parent, name, altered.kind, path));
  if (altered.is_directory() && is_too_large_to_undo(*parent, name))
    too_large_to_undo.push_back(path);
  held_.push_back(std::make_unique<sys::Fd>(std::move(*parent)));
  changes.push_back({.kind = Change::Kind::restore,
                     .path = path,
                     .content = std::move(essence),
                     .on_conflict = OnConflict::error,
                     .kept_in = held_.back().get(),
                     .kept = std::string(name),
                     .kind_kept = altered.kind});
  return {};
}

void TrialPlan::set_modes(const Workspace& files, std::vector<std::string>& notes) const {
  for (const Mode& each : modes) {
    const auto root = sys::open_directory(each.root);
    const auto directory =
        root ? sys::open_beneath(*root, each.path, sys::Open::directory, sys::Links::refuse)
             : sys::OrErrno<sys::Fd>(std::unexpected(root.error()));
    const auto done = directory ? sys::set_mode(*directory, each.mode)
                                : sys::OrErrno<void>(std::unexpected(directory.error()));
    const std::string shown = escape_for_display(files.display(each.root + "/" + each.path));
    notes.push_back(
        done ? fmt::format("the mode of '{}' is {:o} now, which undo leaves", shown, each.mode)
             : fmt::format("the mode of '{}' could not be set", shown));
  }
}

}  // namespace helve::workspace
