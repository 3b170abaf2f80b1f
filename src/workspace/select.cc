// The part of workspace/past.h that decides which changes, and which of their files, are meant.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "workspace/past.h"
#include "workspace/path.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

Error none_open(const Selection& selection, bool others_have) {
  const std::string where =
      selection.path.empty() ? "" : fmt::format(" at '{}'", escape_for_display(selection.path));
  Error error{Code::not_found, fmt::format("there is no change{} that is not undone yet", where),
              "changes lists all of them", "nothing_to_undo"};
  if (!selection.session.empty()) {
    error.message = fmt::format("session '{}' changed nothing{} that is not undone yet",
                                escape_for_display(selection.session), where);
  } else if (others_have) {
    error.message = fmt::format("this session changed nothing{} that is not undone yet", where);
    error.hint = "others did: changes lists them, and their ids can be given";
  }
  return error;
}

}  // namespace

Result<void> History::limit_to(const std::string& path) {
  if (path.empty()) return {};
  const auto place = files_.locate(path);
  if (!place) return place.error();
  only_ = tidy(fmt::format("{}/{}", place->root->path, place->path));
  return {};
}

bool History::wants(const std::string& path) const {
  return !only_ || below(*only_, path).has_value();
}

bool History::has_open_file(const Loaded& loaded) const {
  if (!loaded.is_open()) return false;
  for (size_t i = 0; i < loaded.undone.size(); ++i) {
    const Record::File& file = loaded.record.files[i];
    if (!loaded.undone[i] && (wants(file.path) || (!file.to.empty() && wants(file.to)))) {
      return true;
    }
  }
  return false;
}

Result<void> History::select(const Selection& selection, UndoneFiles of_named) {
  TRY(limit_to(selection.path));
  std::string id, since;
  if (!selection.id.empty()) id = TRY(journal_.whole_id(selection.id));
  if (!selection.since.empty()) since = TRY(journal_.whole_id(selection.since));
  const bool newest_only = id.empty() && since.empty() && selection.session.empty();
  std::vector<size_t> chosen;
  std::optional<size_t> newest_own, newest_any;
  bool has_own = false;
  for (size_t i = 0; const Loaded* loaded = loaded_.at(i); ++i) {
    const Record& record = loaded->record;
    if (!since.empty() && record.id == since) break;
    const bool is_own = record.session == selection.own_session;
    has_own |= is_own;
    if (has_open_file(*loaded)) {
      if (is_own && !newest_own) newest_own = i;
      if (!newest_any) newest_any = i;
    }
    const bool is_chosen =
        !id.empty()      ? record.id == id
        : !since.empty() ? true
                         : loaded->is_open() && !newest_only && record.session == selection.session;
    if (is_chosen) chosen.push_back(i);
    if ((is_chosen && !id.empty()) || (newest_only && newest_own)) break;
  }
  if (newest_only) {
    const bool any = selection.any && !has_own;
    if (const auto newest = any ? newest_any : newest_own) chosen.push_back(*newest);
  }
  for (const size_t i : chosen) selected_.push_back(&all_[i]);
  if (selected_.empty()) return none_open(selection, newest_any.has_value());
  if (of_named == UndoneFiles::are_skipped && !id.empty() && selected_[0]->is_undone()) {
    return undone_already(selected_[0]->record);
  }
  const bool is_named = !id.empty() || !since.empty();
  undone_ = is_named ? of_named : UndoneFiles::are_skipped;
  Net net = net_of(selected_, undone_);
  net_ = std::move(net.changes);
  entangled_ = std::move(net.entangled);
  seams_ = std::move(net.seams);
  return keep_wanted();
}

Error History::undone_already(const Record& record) const {
  Error error{Code::not_found,
              fmt::format("change '{}' is undone already", escape_for_display(record.id)),
              "changes lists all of them", "nothing_to_undo"};
  for (const Loaded& later : all_) {
    const bool undid = std::ranges::any_of(later.record.undoes,
                                           [&](const Undoing& one) { return one.id == record.id; });
    if (!undid || later.is_undone()) continue;
    error.hint = fmt::format("undo {} brings it back", escape_for_display(later.record.id));
    break;
  }
  return error;
}

// The ends of each move: one is not taken back without the other.
std::vector<Record::Rename> History::moves() const {
  std::vector<Record::Rename> moves;
  for (const auto& [path, change] : net_) {
    if (change.before.kind == Kind::moved) moves.push_back({path, change.before.from});
  }
  for (const Loaded* loaded : selected_) {
    const Record& record = loaded->record;
    moves.insert(moves.end(), record.renames.begin(), record.renames.end());
    moves.insert(moves.end(), record.handed_on.begin(), record.handed_on.end());
    for (const Record::File& file : record.files) {
      if (!file.to.empty()) moves.push_back({file.path, file.to});
    }
  }
  return moves;
}

Result<void> History::keep_wanted() {
  // A move is wanted when one of its ends is; and then what took the place that it left.
  std::multimap<std::string, std::string> other_ends;
  std::set<std::string> wanted;
  std::vector<std::string> open;
  const auto want = [&](const std::string& path) {
    if (wanted.insert(path).second) open.push_back(path);
  };
  for (const auto& [path, change] : net_) {
    if (wants(path)) want(path);
  }
  for (const auto& [from, to] : moves()) {
    other_ends.emplace(from, to);
    other_ends.emplace(to, from);
    if (wants(from) || wants(to)) want(from);
  }
  while (!open.empty()) {
    const std::string path = std::move(open.back());
    open.pop_back();
    const auto [begin, end] = other_ends.equal_range(path);
    for (auto it = begin; it != end; ++it) want(it->second);
  }
  std::erase_if(net_, [&](const auto& entry) { return !wanted.contains(entry.first); });
  if (!net_.empty()) return {};
  return Error{Code::not_found,
               fmt::format("'{}' is not among what was changed", escape_for_display(shown(*only_))),
               "changes lists the files of each change", "nothing_to_undo"};
}

std::vector<Undoing> History::undoings() const {
  std::vector<Undoing> undoings;
  for (const Loaded* loaded : selected_) {
    Undoing undoing{.id = loaded->record.id};
    bool is_whole = true;
    for (size_t i = 0; i < loaded->undone.size(); ++i) {
      const Record::File& file = loaded->record.files[i];
      if (loaded->undone[i] || !net_.contains(file.path) || left_.contains(file.path)) {
        is_whole = false;
        continue;
      }
      undoing.paths.push_back(file.path);
      if (!file.to.empty()) undoing.paths.push_back(file.to);
    }
    if (undoing.paths.empty()) continue;
    if (is_whole) undoing.paths.clear();
    undoings.push_back(std::move(undoing));
  }
  return undoings;
}

}  // namespace helve::workspace
