#include "workspace/command_moves.h"

#include <algorithm>

#include "workspace/path.h"

namespace helve::workspace {
namespace {

using sys::FileKind;

bool is_directory(const std::optional<Found>& found) {
  return found && found->status.kind == FileKind::directory;
}

}  // namespace

bool can_be_restored(const Found& found) {
  return found.status.kind == FileKind::symlink ||
         (found.status.kind == FileKind::file && found.status.links <= 1);
}

bool is_inside(const std::set<std::string>& directories, const std::string& path) {
  if (directories.empty()) return false;
  for (size_t end = path.rfind('/'); end != 0 && end != path.npos; end = path.rfind('/', end - 1))
    if (directories.contains(path.substr(0, end))) return true;
  return false;
}

CommandMoves::CommandMoves(const std::vector<CommandFile>& files, std::set<std::string> wholes,
                           Knowledge knowledge)
    : files_(files), knowledge_(std::move(knowledge)), wholes_(std::move(wholes)) {
  const auto inode = [](const Found& found) {
    return Inode(found.status.device, found.status.inode);
  };
  for (const CommandFile& file : files_) {
    const bool has_left = file.before && !is_directory(file.before) &&
                          (!file.after || inode(*file.before) != inode(*file.after));
    if (has_left) left_.emplace(inode(*file.before), &file);
  }
  for (const CommandFile& file : files_) {
    const CommandFile* const from = origin_of(file);
    if (!from) continue;
    heirs_.emplace(inode(*file.after), &file);
    if (!can_hold(*from, file)) continue;
    origins_[file.path] = from;
    targets_[from->path] = &file;
  }
  for (const CommandFile& file : files_) begin(file);
  settle();
}

const std::string* CommandMoves::target(const std::string& path) const {
  const auto found = targets_.find(path);
  return found == targets_.end() ? nullptr : &found->second->path;
}

const CommandFile* CommandMoves::find(const std::string& path) const {
  const auto found = std::ranges::lower_bound(files_, path, {}, &CommandFile::path);
  return found != files_.end() && found->path == path ? &*found : nullptr;
}

// The inode of a file that is gone is soon given to another, which is younger.
const CommandFile* CommandMoves::origin_of(const CommandFile& file) const {
  if (!file.after || is_directory(file.after)) return nullptr;
  const auto from = left_.find({file.after->status.device, file.after->status.inode});
  if (from == left_.end() || from->second == &file) return nullptr;
  const auto born = knowledge_.born_ns(file.path);
  const bool is_new = born && *born > from->second->before->status.changed_ns;
  return is_new ? nullptr : from->second;
}

// Whether `to` is what `from` was, as it was, as far as the two alone tell.
bool CommandMoves::can_hold(const CommandFile& from, const CommandFile& to) const {
  const sys::FileStatus &before = from.before->status, &after = to.after->status;
  return can_be_restored(*from.before) && can_be_restored(*to.after) &&
         Version::of(before).same_content(Version::of(after)) && before.mode == after.mode &&
         !is_directory(to.before) && protected_part(from.path).empty() &&
         protected_part(to.path).empty();
}

// What the file alone, and what came to it, tell.
void CommandMoves::begin(const CommandFile& file) {
  const CommandFile* const from = origin_of(file);
  const bool is_move = origins_.contains(file.path);
  const bool is_all_that_is_left = from && !knowledge_.is_known(*from);
  if (is_all_that_is_left && !is_move) stay(file);
  if (is_all_that_is_left) keep_around(file);
  if (is_move && is_inside(wholes_, file.path)) drop(file);  // it goes with the directory
  const bool has_been_replaced =
      is_move && file.before && !targets_.contains(file.path) && !knowledge_.is_known(file);
  if (has_been_replaced) drop(file);
  if (!file.before || !file.after) return;
  if (is_directory(file.after)) {
    const bool comes_back = targets_.contains(file.path) || knowledge_.is_known(file);
    if (!is_directory(file.before) && !(wholes_.contains(file.path) && comes_back)) stay(file);
  } else if (!can_be_restored(*file.after)) {
    stay(file);
  }
}

void CommandMoves::stay(const CommandFile& file) {
  if (!staying_.insert(file.path).second) return;
  stayed_.push_back(&file);
  drop(file);
}

void CommandMoves::drop(const CommandFile& to) {
  const auto move = origins_.find(to.path);
  if (move == origins_.end()) return;
  const CommandFile* const from = move->second;
  origins_.erase(move);
  targets_.erase(from->path);
  dropped_.push_back(from);
  if (!knowledge_.is_known(*from)) stay(to);
}

// What took its place did so for good, unless it is brought back in another way.
void CommandMoves::settle_dropped(const CommandFile& from) {
  if (knowledge_.is_known(from)) return;
  drop(from);
  if (wholes_.contains(from.path)) stay(from);
}

// No directory around it can go as a whole.
void CommandMoves::keep_around(const CommandFile& file) {
  for (size_t end = file.path.rfind('/'); end != 0; end = file.path.rfind('/', end - 1)) {
    const std::string around = file.path.substr(0, end);
    if (wholes_.erase(around) == 0) continue;
    if (const CommandFile* const directory = find(around); directory->before) stay(*directory);
  }
}

// Its name is taken: neither what bore it comes back, nor what the directory of that name held.
void CommandMoves::settle_stayed(const CommandFile& file) {
  wholes_.erase(file.path);
  keep_around(file);
  if (is_directory(file.before)) {
    const std::string front = file.path + "/";
    for (auto inner = std::ranges::lower_bound(files_, front, {}, &CommandFile::path);
         inner != files_.end() && inner->path.starts_with(front); ++inner)
      stay(*inner);
  } else if (file.before) {
    const auto heir = heirs_.find({file.before->status.device, file.before->status.inode});
    if (heir != heirs_.end()) stay(*heir->second);
  }
}

void CommandMoves::settle() {
  while (!stayed_.empty() || !dropped_.empty()) {
    auto& open = stayed_.empty() ? dropped_ : stayed_;
    const CommandFile& file = *open.back();
    open.pop_back();
    if (&open == &stayed_)
      settle_stayed(file);
    else
      settle_dropped(file);
  }
}

}  // namespace helve::workspace
