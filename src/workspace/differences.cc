// The part of workspace/comparison.h that tells what differs.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "workspace/comparison.h"

namespace helve::workspace {
namespace {

// Bytes of all contents before and after; the last file that is taken in may have more.
constexpr std::uint64_t kMaxShownBytes = 128u << 20;

constexpr std::string_view kNotBefore = "what was there before is not kept any more";
constexpr std::string_view kNotAfter = "what it became is not kept any more";
constexpr std::string_view kNoFile = "left out: large, or no file";

}  // namespace

// A path, or what went together with one.
bool History::Comparison::wants(const std::string& path) const {
  if (history_.wants(path)) return true;
  for (size_t end = path.size(); end != 0; end = path.rfind('/', end - 1)) {
    if (history_.net_.contains(path.substr(0, end))) return true;
  }
  return false;
}

void History::Comparison::note(const std::string& path, std::string text) {
  found_.files.push_back({.path = history_.shown(path), .note = std::move(text)});
}

void History::Comparison::add(const std::string& path, const Side* before, const Side* after,
                              const std::string& from) {
  if (!wants(path) && (from.empty() || !wants(from))) return;
  if (found_.files.size() >= kMaxShownFiles) {
    is_whole_ = false;
    return;
  }
  if (found_.bytes >= kMaxShownBytes) {
    return note(path, fmt::format("left out, more than {} would be compared at once: ask for this "
                                  "path alone",
                                  human_size(kMaxShownBytes)));
  }
  if (before && after && is_copy(path, *before, *after)) return;
  Difference difference{.path = history_.shown(path)};
  if (!from.empty()) difference.renamed_from = history_.shown(from);
  const auto take = [&](const Side* side, std::optional<std::string>& text, std::uint32_t& mode,
                        std::string_view missing) {
    if (!side) return;
    std::optional<Content> content = content_of(*side);
    if (!content) {
      difference.note = side->place.is_inside && !side->is_unknown() ? kNoFile : missing;
      return;
    }
    mode = content->mode;
    found_.bytes += content->text.size();
    text = std::move(content->text);
  };
  take(before, difference.before, difference.old_mode, kNotBefore);
  take(after, difference.after, difference.new_mode, kNotAfter);
  // A file that was replaced keeps its mode, unless a change gave it another: what else it has is
  // none of their doing.
  const auto net = history_.net_.find(path);
  const bool is_one_file = before && after && net != history_.net_.end() &&
                           net->second.only_replaced && before->status->kind == after->status->kind;
  if (is_one_file && difference.after)
    difference.new_mode = net->second.modes
                              ? git_mode(after->status->kind, net->second.modes->after)
                              : difference.old_mode;
  const bool is_same =
      difference.before == difference.after && difference.old_mode == difference.new_mode;
  if (difference.note.empty() && is_same && from.empty()) return;
  found_.files.push_back(std::move(difference));
}

// Whether one is a copy of the other, which the journal made with the directory around it. Of what
// a change wrote itself size and time tell nothing.
bool History::Comparison::is_copy(const std::string& path, const Side& one, const Side& other) {
  const sys::FileStatus &a = *one.status, &b = *other.status;
  return one.place.is_inside && other.place.is_inside && !one.is_unknown() && !other.is_unknown() &&
         a.kind == sys::FileKind::file && b.kind == a.kind && a.size == b.size &&
         a.modified_ns == b.modified_ns && git_mode(a.kind, a.mode) == git_mode(b.kind, b.mode) &&
         !changes_of().contains(path);
}

const History::Comparison::ChangesOf& History::Comparison::changes_of() {
  if (!changes_of_.empty()) return changes_of_;
  for (const Loaded& loaded : history_.all_) {
    const std::int64_t made_ns = loaded.record.made_ns();
    for (const Record::File& file : loaded.record.files) {
      changes_of_[file.path].push_back({made_ns, file.what});
      if (!file.to.empty()) changes_of_[file.to].push_back({made_ns, file.what, file.path});
    }
  }
  return changes_of_;
}

// The newest one before that time.
const History::Comparison::Event* History::Comparison::last_event(std::string_view path,
                                                                  std::int64_t before_ns) {
  const auto changes = changes_of().find(path);
  if (changes == changes_of().end()) return nullptr;
  const auto is_before = [&](const Event& event) { return event.made_ns < before_ns; };
  const auto last = std::ranges::find_if(changes->second, is_before);
  return last != changes->second.end() ? &*last : nullptr;
}

// Whether a file in a directory that was moved is none that was moved with it: the first change of
// it since then tells, or else the time when it was made. It is followed back by the names that it
// bore.
bool History::Comparison::came_later(const Side& side) {
  const Source& truth = side.truth;
  const std::int64_t moved = side.place.moved_ns;
  const bool is_now = truth.kind == Source::Kind::now;
  const bool is_known = is_now || (truth.kind == Source::Kind::kept && truth.path.empty());
  if (!is_known || moved == 0 || (is_now && side.status->changed_ns <= moved)) return false;
  std::string path = is_now ? truth.path : truth.file().path;
  std::optional<Changed::What> first;
  std::int64_t restored = moved;  // when a directory around it was, with all it held
  std::int64_t time = is_now ? std::numeric_limits<std::int64_t>::max() : truth.record->made_ns();
  for (;;) {
    const Event* last = nullptr;
    size_t length = 0;  // of the path that it is about
    for (size_t end = path.size(); end != 0; end = path.rfind('/', end - 1)) {
      const Event* event = last_event(std::string_view(path).substr(0, end), time);
      if (!event || event->made_ns <= (last ? last->made_ns : moved)) continue;
      last = event;
      length = end;
    }
    if (!last) break;
    time = last->made_ns;
    if (last->what == Changed::What::created) restored = std::max(restored, time);
    if (length == path.size() && last->what != Changed::What::moved) first = last->what;
    if (!last->from.empty()) path = std::string(last->from) + path.substr(length);
  }
  if (first) return *first == Changed::What::created;
  const auto birth = birth_of(truth);
  return birth ? *birth > restored : is_now;
}

sys::OrErrno<std::int64_t> History::Comparison::birth_of(const Source& source) const {
  if (source.kind == Source::Kind::kept && source.path.empty()) {
    const auto kept = history_.journal_.find_kept(*source.record, source.index);
    const auto status = kept ? sys::status_at(*kept->directory, kept->name)
                             : std::unexpected(std::errc::no_such_file_or_directory);
    const bool is_itself = status && status->inode == source.file().old.inode;  // and no copy
    if (!is_itself) return std::unexpected(std::errc::no_such_file_or_directory);
    return sys::birth_at(*kept->directory, kept->name);
  }
  const auto [name, directory] = opened_parent(source);
  if (!directory) return std::unexpected(directory.error());
  return sys::birth_at(*directory, name);
}

void History::Comparison::add_move(const Leaf& from, const Leaf& to) {
  if (!wants(from.path) && !wants(to.path)) return;
  const std::string old_name = history_.shown(from.path);
  if (found_.files.size() >= kMaxShownFiles) {
    is_whole_ = false;
  } else if (from.side.is_directory()) {
    const std::string_view why = from.side.is_unknown() ? "; what it held is not known any more"
                                 : is_large_itself(from.side)
                                     ? ", with more files than can be shown"
                                     : "";
    note(to.path, fmt::format("a directory, moved from {}{}", old_name, why));
  } else if (came_later(from.side)) {
    note(to.path, "left out: made or replaced after its directory was moved");
  } else {
    found_.files.push_back({.path = history_.shown(to.path), .renamed_from = old_name});
  }
}

// Takes those out that are the same by another name.
void History::Comparison::add_moves(std::vector<Leaf>& gone, std::vector<Leaf>& came) {
  const auto identity = [](const Leaf& leaf) {
    return leaf.side.is_unknown() ? leaf.side.place.source : leaf.side.truth;
  };
  // A patch that only renames does not say that it was a link, and git then follows it.
  const auto is_followed = [&](const Leaf& leaf) {
    if (leaf.side.status->kind != sys::FileKind::symlink) return false;
    const std::string front = leaf.path + "/";
    return std::ranges::any_of(came, [&](const Leaf& it) { return it.path.starts_with(front); });
  };
  std::map<Source, const Leaf*> by_source;
  for (const Leaf& leaf : gone) {
    if (!is_followed(leaf)) by_source.emplace(identity(leaf), &leaf);
  }
  std::set<std::string> left;
  std::erase_if(came, [&](const Leaf& leaf) {
    const auto same = by_source.extract(identity(leaf));
    if (same.empty()) return false;
    add_move(*same.mapped(), leaf);
    left.insert(same.mapped()->path);
    return true;
  });
  std::erase_if(gone, [&](const Leaf& leaf) { return left.contains(leaf.path); });
}

// What the author of a change meant as a move, although it was written anew.
void History::Comparison::add_rewritten() {
  std::map<std::string, std::string> next;
  for (const Loaded* loaded : history_.selected_) {
    for (const auto& [from, to] : loaded->record.renames) next.emplace(from, to);
  }
  for (const auto& [from, first] : next) {
    std::string to = first;
    for (size_t i = 0; i < next.size() && next.contains(to); ++i) to = next.at(to);
    const auto left = std::ranges::find(gone_, from, &Leaf::path);
    const auto arrived = std::ranges::find(came_, to, &Leaf::path);
    if (left == gone_.end() || arrived == came_.end()) continue;
    const Side &before = left->side, &after = arrived->side;
    if (before.status->kind != sys::FileKind::file || after.status->kind != before.status->kind) {
      continue;
    }
    add(to, &before, &after, from);
    gone_.erase(left);
    came_.erase(arrived);
  }
}

// When not all was compared, the other name of what was moved may be one that was not.
void History::Comparison::leave_halves_out() {
  if (is_whole_) return;
  for (std::vector<Leaf>* gone : {&gone_, &gone_directories_}) {
    std::erase_if(*gone, [&](const Leaf& leaf) { return !is_by_selected(leaf.side); });
  }
  for (std::vector<Leaf>* came : {&came_, &came_directories_}) {
    std::erase_if(*came, [&](const Leaf& leaf) { return find_held(leaf.side.place.source); });
  }
}

void History::Comparison::add_seams() {
  const auto is_tree = [](const PathState& state) {
    return state.record && state.file().kind == sys::FileKind::directory;
  };
  for (const Seam& seam : history_.seams_) {
    if (!history_.net_.contains(seam.path) || is_tree(seam.left) || is_tree(seam.found)) continue;
    if (history_.is_whole(seam)) continue;
    note(seam.path, fmt::format("others changed it after change {}: that is shown, too",
                                escape_for_display(seam.older->id)));
  }
}

Differences History::Comparison::run() {
  for (const Loaded* loaded : history_.selected_) found_.ids.push_back(loaded->record.id);
  build_trees();
  compare("", {});
  add_moves(gone_directories_, came_directories_);
  add_moves(gone_, came_);
  add_rewritten();
  leave_halves_out();
  for (const Leaf& leaf : gone_directories_) {
    if (wants(leaf.path)) note(leaf.path, "an empty directory was deleted");
  }
  for (const Leaf& leaf : came_directories_) {
    if (wants(leaf.path)) note(leaf.path, "an empty directory was restored");
  }
  for (const Pair& pair : changed_) add(pair.path, &pair.before, &pair.after);
  for (const Leaf& leaf : came_) add(leaf.path, nullptr, &leaf.side);
  for (const Leaf& leaf : gone_) add(leaf.path, &leaf.side, nullptr);
  add_seams();
  if (!is_whole_)
    found_.files.push_back(
        {.path = ".", .note = "not all that changed is shown: name a path to see more of it"});
  std::ranges::sort(found_.files, {}, [](const Difference& file) {
    return std::pair<std::string_view, bool>(file.path, file.note.empty());
  });
  return std::move(found_);
}

Result<Differences> History::differences(const Selection& selection) {
  TRY(select(selection, UndoneFiles::count));
  fetch_blobs();
  return Comparison(*this).run();
}

}  // namespace helve::workspace
