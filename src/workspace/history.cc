#include "workspace/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/diff.h"
#include "base/text.h"
#include "workspace/past.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;
using What = Changed::What;

constexpr size_t kMaxCounted = 1u << 20;  // bytes of a text whose changed lines are counted
constexpr size_t kMaxCountedFiles = 500;  // of one list
constexpr size_t kMaxLoaded = 10'000;     // changes that are looked at

// Its name and what changes with it may be others.
bool is_unchanged(const sys::FileStatus& now, const Version& old) {
  if (now.kind == sys::FileKind::directory) return now.inode == old.inode;
  return now.size == old.size && now.modified_ns == old.modified_ns;
}

// Loads newest first and knows which are undone: whatever undoes a change is newer.
class Loader {
 public:
  explicit Loader(Journal& journal) : journal_(journal), names_(journal.names()) {
    names_.resize(std::min(names_.size(), kMaxLoaded));
  }
  struct Loaded {
    Record record;
    bool undone = false;
  };
  // Nothing after the oldest.
  std::optional<Loaded> next() {
    while (at_ < names_.size()) {
      std::optional<Record> record = journal_.load_name(names_[at_++]);
      if (!record) continue;  // tidied away meanwhile
      const bool undone = undone_.contains(record->id);
      if (!undone) undone_.insert(record->undoes.begin(), record->undoes.end());
      return Loaded{std::move(*record), undone};
    }
    return {};
  }

 private:
  Journal& journal_;
  std::vector<std::string> names_;
  size_t at_ = 0;
  std::set<std::string> undone_;
};

}  // namespace

Result<void> History::select(const Selection& selection) {
  Loader loader(journal_);
  std::vector<bool> chosen;
  bool has_own = false;
  const bool newest_only =
      selection.id.empty() && selection.session.empty() && selection.since.empty();
  std::optional<size_t> newest_own, newest_any;
  bool found = selection.id.empty() && selection.since.empty();
  while (auto loaded = loader.next()) {
    Record& record = loaded->record;
    const bool open = !loaded->undone && record.undoes.empty();
    bool choose = false;
    if (!selection.id.empty()) choose = record.id == selection.id;
    if (!selection.session.empty()) choose = open && record.session == selection.session;
    if (!selection.since.empty()) {
      if (record.id == selection.since) {
        found = true;
        break;
      }
      choose = true;
    }
    const bool own = record.session == selection.own_session;
    has_own |= own;
    if (open && own && !newest_own) newest_own = all_.size();
    if (open && !newest_any) newest_any = all_.size();
    all_.push_back(std::move(record));
    chosen.push_back(choose);
    if (choose && !selection.id.empty()) {
      found = true;
      break;
    }
    if (newest_only && newest_own) break;
  }
  if (!found) {
    return Error{
        Code::not_found,
        fmt::format("there is no change '{}'", escape_for_display(selection.id + selection.since)),
        "changes lists them", "no_such_change"};
  }
  if (newest_only) {
    const auto newest = newest_own || has_own || !selection.any ? newest_own : newest_any;
    if (newest) selected_.push_back(&all_[*newest]);
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    if (chosen[i]) selected_.push_back(&all_[i]);
  }
  if (selected_.empty()) {
    return Error{Code::not_found,
                 selection.session.empty()
                     ? "there is no change that is not undone yet"
                     : fmt::format("session '{}' changed nothing that is not undone yet",
                                   escape_for_display(selection.session)),
                 "changes lists all of them", "nothing_to_undo"};
  }
  net_ = TRY(net_of(selected_));
  if (!selection.path.empty()) {
    const auto place = files_.locate(selection.path);
    if (!place) return place.error();
    only_ = tidy(fmt::format("{}/{}", place->root->path, place->path));
  }
  return keep_wanted();
}

Result<void> History::keep_wanted() {
  const size_t before = net_.size();
  // A move is wanted when one of its ends is.
  std::erase_if(net_, [&](const auto& entry) {
    const PathState& before = entry.second.before;
    return !wants(entry.first) && !(before.kind == Kind::moved && wants(before.from));
  });
  is_partial_ = net_.size() != before;
  if (!net_.empty()) return {};
  return Error{Code::not_found,
               fmt::format("'{}' is not among what was changed", escape_for_display(shown(*only_))),
               "changes lists the files of each change", "nothing_to_undo"};
}

bool History::wants(const std::string& path) const {
  return !only_ || below(*only_, path).has_value();
}

History::Now History::look(const std::string& path) const {
  const auto place = files_.locate(path);
  if (!place) return {};
  const auto [directory, name] = split_name(place->path);
  const auto opened = sys::open_beneath(place->root->directory, directory, sys::Open::directory,
                                        sys::Links::refuse);
  if (!opened) return {};
  const auto status = sys::status_at(*opened, name);
  if (!status) return {};
  Now now{.path = path, .status = *status};
  if (status->kind == sys::FileKind::symlink) {
    if (const auto target = sys::read_link_at(*opened, name)) now.content = *target;
  } else if (status->kind == sys::FileKind::file) {
    if (auto whole = files_.read_whole(path)) now.content = std::move(whole->content);
  }
  return now;
}

bool History::is_as(const Now& now, const PathState& state) const {
  switch (state.kind) {
    case Kind::absent:
      return !now.status;
    case Kind::written: {
      const std::optional<Digest>& digest = state.file().new_digest;
      if (!now.status || now.status->kind != state.file().kind || !digest) return false;
      const bool is_directory = now.status->kind == sys::FileKind::directory;
      const auto essence = is_directory ? outline_at(now.path, digest->size) : now.content;
      return essence && digest_of(*essence, journal_.seed()) == *digest;
    }
    case Kind::moved:
      return now.status && now.status->kind == state.file().kind &&
             (is_unchanged(*now.status, state.file().old) || was_restored(now, state.file()));
    case Kind::kept: {
      if (!now.content || now.status->kind != state.file().kind) return false;
      const auto content = content_of(state);
      return content && *content == *now.content;
    }
  }
  return false;
}

std::optional<std::string> History::outline_at(const std::string& path, std::uint64_t limit) const {
  const auto place = files_.locate(path);
  if (!place) return {};
  const auto directory = sys::open_beneath(place->root->directory, place->path,
                                           sys::Open::directory, sys::Links::refuse);
  if (!directory) return {};
  auto outline = outline_of(*directory, limit);
  return outline ? std::optional(std::move(*outline)) : std::nullopt;
}

// Whether it is what `moved` moved, although another file: a later change replaced or removed that,
// and was undone.
bool History::was_restored(const Now& now, const Record::File& moved) const {
  for (const Record& record : all_) {
    for (size_t i = 0; i < record.files.size(); ++i) {
      const Record::File& file = record.files[i];
      const bool kept = file.what == What::replaced || file.what == What::removed;
      if (!kept || file.kind != moved.kind || file.old.inode != moved.old.inode) continue;
      const PathState state{.kind = Kind::kept, .record = &record, .index = i};
      if (file.kind != sys::FileKind::directory) {
        const auto content = content_of(state);
        if (content && now.content == *content) return true;
        continue;
      }
      const auto place = journal_.find_kept(record, i);
      if (!place) continue;
      const auto outline = essence_of(state, *place);
      if (outline && outline_at(now.path, outline->size()) == *outline) return true;
    }
  }
  return false;
}

Result<std::string> History::content_of(const PathState& state) const {
  return journal_.old_content(*state.record, state.index, kMaxKeptFile);
}

// What the file was after the changes: as it is now, or as the next change found it.
std::optional<std::string> History::content_after(const std::string& path, const PathState& state,
                                                  const Record& newest) const {
  const Now now = look(path);
  if (is_as(now, state)) return now.content;
  for (size_t i = all_.size(); i-- > 0;) {
    if (all_[i].time_ns <= newest.time_ns) continue;
    for (size_t f = 0; f < all_[i].files.size(); ++f) {
      const Record::File& file = all_[i].files[f];
      if (file.path != path || file.what == What::created || file.what == What::moved) continue;
      const auto content = journal_.old_content(all_[i], f, kMaxKeptFile);
      return content ? std::optional(*content) : std::nullopt;
    }
  }
  return {};
}

PastFile History::describe(const Record& record, size_t i, bool counts_lines) {
  const Record::File& file = record.files[i];
  PastFile past{.what = file.what,
                .path = shown(file.path),
                .to = file.to.empty() ? "" : shown(file.to),
                .is_directory = file.kind == sys::FileKind::directory};
  if (past.is_directory || file.what == What::moved || file.old.size > kMaxCounted) return past;
  if (!counts_lines) return past;
  ++counted_;
  std::string before, after;
  if (file.what != What::created) {
    auto content = journal_.old_content(record, i, kMaxCounted);
    if (!content || !is_text(*content)) return past;
    before = std::move(*content);
  }
  if (file.what != What::removed) {
    if (!file.new_digest || file.new_digest->size > kMaxCounted) return past;
    auto content =
        content_after(file.path, {.kind = Kind::written, .record = &record, .index = i}, record);
    if (!content || !is_text(*content)) return past;
    after = std::move(*content);
  }
  const LineCounts counts = count_changes(diff_lines(before, after));
  past.added = counts.added;
  past.removed = counts.removed;
  return past;
}

Past History::past(const PastQuery& query) {
  if (!query.path.empty()) {
    if (const auto place = files_.locate(query.path)) {
      only_ = tidy(fmt::format("{}/{}", place->root->path, place->path));
    }
  }
  Past past{.changes = {}};
  Loader loader(journal_);
  std::vector<std::pair<size_t, bool>> chosen;
  while (auto loaded = loader.next()) {
    const Record& record = loaded->record;
    const bool fits = (query.session.empty() || record.session == query.session) &&
                      std::ranges::any_of(record.files, [&](const Record::File& file) {
                        return wants(file.path) || (!file.to.empty() && wants(file.to));
                      });
    if (fits && chosen.size() == query.limit) {
      past.more = true;
      break;
    }
    if (fits) chosen.emplace_back(all_.size(), loaded->undone);
    all_.push_back(std::move(loaded->record));
  }
  for (const auto& [index, undone] : chosen) {
    const Record& record = all_[index];
    PastChange change{.id = record.id,
                      .tool = record.tool,
                      .session = record.session,
                      .time_ms = record.time_ms(),
                      .undone = undone,
                      .undoes = record.undoes};
    for (size_t i = 0; i < record.files.size(); ++i) {
      change.files.push_back(describe(record, i, counted_ < kMaxCountedFiles));
    }
    past.changes.push_back(std::move(change));
  }
  return past;
}

Result<Differences> History::differences(const Selection& selection) {
  TRY(select(selection));
  Differences found;
  for (const Record* record : selected_) found.ids.push_back(record->id);
  for (const auto& [path, change] : net_) {
    Difference difference{.path = shown(path)};
    if (change.before.kind == Kind::kept) {
      if (change.before.file().kind == sys::FileKind::directory) {
        difference.note = "a directory was deleted";
      } else if (auto content = content_of(change.before)) {
        difference.before = std::move(*content);
      } else {
        difference.note = "what was there before is not kept any more";
      }
    } else if (change.before.kind == Kind::moved) {
      difference.note = fmt::format("moved to {}", shown(change.before.from));
    }
    if (change.after.kind == Kind::written) {
      difference.after = content_after(path, change.after, *selected_.front());
      if (!difference.after) difference.note = "what it became is not kept any more";
    } else if (change.after.kind == Kind::moved) {
      difference.note = fmt::format("moved from {}", shown(change.after.file().path));
    }
    if (difference.note.empty() && difference.before == difference.after) continue;
    found.files.push_back(std::move(difference));
  }
  return found;
}

namespace {

Error no_journal() {
  return {Code::unsupported, "no journal of changes is kept here",
          "it needs a state directory, and the journal must not be switched off", "no_journal"};
}

}  // namespace

Result<Past> Workspace::past(const PastQuery& query) {
  if (!journal_) return no_journal();
  return History(*this).past(query);
}

Result<Differences> Workspace::differences(const Selection& selection) {
  if (!journal_) return no_journal();
  return History(*this).differences(selection);
}

Result<Undone> Workspace::undo(const Selection& selection, Rehearsal rehearsal,
                               const Author& author) {
  if (!journal_) return no_journal();
  return History(*this).undo(selection, rehearsal, author);
}

}  // namespace helve::workspace
