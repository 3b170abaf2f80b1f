#include "workspace/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/diff.h"
#include "base/encoding.h"
#include "base/text.h"
#include "workspace/git_blobs.h"
#include "workspace/past.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;
using What = Changed::What;

constexpr size_t kMaxCounted = 1u << 20;  // bytes of a text whose changed lines are counted
constexpr size_t kMaxPassedOver = 5000;   // changes of which an undo finds nothing
constexpr size_t kMaxCountedFiles = 500;  // of one list

}  // namespace

History::Now History::look(const std::string& path) const {
  const auto failed = [&](std::errc number) {
    const bool is_absent =
        number == std::errc::no_such_file_or_directory || number == std::errc::not_a_directory;
    return is_absent ? Now() : Now{.unknown = sys::to_error(number, "look at", path)};
  };
  const auto place = files_.locate(path);
  if (!place) {
    return {.unknown = Error{Code::denied,
                             fmt::format("'{}' is outside the workspace of this start",
                                         escape_for_display(path)),
                             "start helve with its root (--add-dir), or name one path to undo",
                             "outside_workspace"}};
  }
  const auto [directory, name] = split_name(place->path);
  const auto opened = sys::open_beneath(place->root->directory, directory, sys::Open::directory,
                                        sys::Links::refuse);
  if (!opened) return failed(opened.error());
  const auto status = sys::status_at(*opened, name);
  if (!status) return failed(status.error());
  Now now{.path = path, .status = *status};
  if (status->kind == sys::FileKind::symlink) {
    if (const auto target = sys::read_link_at(*opened, name)) now.content = *target;
  } else if (status->kind == sys::FileKind::file) {
    if (auto whole = files_.read_whole(path)) now.content = std::move(whole->content);
  } else if (status->kind == sys::FileKind::directory) {
    if (const auto born = sys::birth_at(*opened, name)) now.born_ns = *born;
  }
  return now;
}

// The inode of a directory that is gone is soon given to another, which is younger than the change.
bool History::is_unchanged(const Now& now, const PathState& moved) {
  const Version& old = moved.file().old;
  if (now.status->kind == sys::FileKind::directory) {
    return now.status->inode == old.inode &&
           (!now.born_ns || *now.born_ns <= moved.record->made_ns());
  }
  return now.status->size == old.size && now.status->modified_ns == old.modified_ns;
}

bool History::is_as(const Now& now, const PathState& state) const {
  switch (state.kind) {
    case Kind::absent:
      return !now.status;
    case Kind::written: {
      const std::optional<Digest>& digest = state.file().new_digest;
      if (!now.status || now.status->kind != state.file().kind) return false;
      // A large file of a command was not read.
      if (!digest) return state.file().staged && Version::of(*now.status).is(*state.file().staged);
      const bool is_directory = now.status->kind == sys::FileKind::directory;
      const auto essence = is_directory ? outline_at(now.path, digest->size) : now.content;
      return essence && digest_of(*essence, journal_.seed()) == *digest;
    }
    case Kind::moved:
      return now.status && now.status->kind == state.file().kind &&
             (is_unchanged(now, state) || was_restored(now, state));
    case Kind::kept: {
      if (!now.content || now.status->kind != state.file().kind) return false;
      const auto content = content_of(state);
      return content && *content == *now.content;
    }
    case Kind::unknown:
      return false;
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

// Whether it is what was moved, although another file: a later change replaced or removed that,
// perhaps with a directory around it, and was undone.
bool History::was_restored(const Now& now, const PathState& state) const {
  const Record::File& moved = state.file();
  if (moved.kind == sys::FileKind::directory) return is_made_anew(now, state);
  const auto was_it = [&](const Record::File& file) {
    const bool kept = file.what == What::replaced || file.what == What::removed;
    const bool same = file.old.inode == moved.old.inode ||
                      (file.path == now.path && file.old.size == moved.old.size &&
                       file.old.modified_ns == moved.old.modified_ns);
    return kept && same && file.kind == moved.kind;
  };
  for (const Loaded& loaded : all_) {
    const Record& record = loaded.record;
    for (size_t i = 0; i < record.files.size(); ++i) {
      if (!loaded.undone[i] || !was_it(record.files[i])) continue;
      const auto content = content_of({.kind = Kind::kept, .record = &record, .index = i});
      if (content && now.content == *content) return true;
    }
  }
  return false;
}

History::Now History::found_by(const Seam& seam) const {
  const PathState& found = seam.found;
  const bool is_kept = found.kind == Kind::kept;
  if (!is_kept && found.kind != Kind::moved) return {.path = seam.path};
  const Record::File& file = found.file();
  Now now{.path = seam.path,
          .status = sys::FileStatus{.kind = file.kind,
                                    .size = file.old.size,
                                    .inode = file.old.inode,
                                    .modified_ns = file.old.modified_ns}};
  if (file.kind == sys::FileKind::directory) return now;
  if (is_kept) {
    if (auto content = content_of(found)) now.content = std::move(*content);
  } else if (Now there = look(found.from); there.status && is_unchanged(there, found)) {
    now.content = std::move(there.content);
  }
  return now;
}

bool History::is_whole(const Seam& seam) const {
  const auto& [path, left, found, older] = seam;
  // Those in a directory that came or went: undo refuses them anyway.
  if (found.kind == Kind::unknown || !found.inside.empty()) return true;
  if (left.kind == Kind::written && found.kind != Kind::absent) {
    // Without a look at contents.
    const Record::File &was = left.file(), &is = found.file();
    if (was.staged && was.kind == is.kind && is.old.same_content(*was.staged)) return true;
    if (was.new_digest && found.kind == Kind::kept && is.old_digest == was.new_digest) return true;
  }
  // Files that came from one archive have the same time, and often the same size.
  if (left.kind == Kind::moved && found.kind != Kind::absent &&
      left.file().old.inode != found.file().old.inode) {
    return left.file().kind == found.file().kind && was_restored(found_by(seam), left);
  }
  return is_as(found_by(seam), left);
}

Result<std::string> History::content_of(const PathState& state) const {
  if (const auto blob = blobs_.find(state.file().old_blob); blob != blobs_.end())
    return checked_blob(state.file(), blob->second);
  if (!state.file().old_digest && !state.file().old_blob.empty())
    return read_blob(state.file(), files_.root_paths());
  return journal_.old_content(*state.record, state.index, kMaxKeptFile);
}

namespace {

// Which file of the change took away what bore the path, or a directory around it.
std::optional<size_t> leaver(const Record& record, const std::string& path) {
  for (size_t i = 0; i < record.files.size(); ++i) {
    const Record::File& file = record.files[i];
    if (file.what == What::created) continue;
    if (file.path == path) return i;
    if (file.kind == sys::FileKind::directory && below(file.path, path)) return i;
  }
  return {};
}

std::string join(const std::string& directory, const std::string& rest) {
  return rest.empty() ? directory : fmt::format("{}/{}", directory, rest);
}

// The inode of the directory that the change, an undo of `removal`, made where that removed one.
std::optional<std::uint64_t> made_again(const Record& undo, const Record& removal,
                                        const std::string& path) {
  if (std::ranges::find(undo.undoes, removal.id, &Undoing::id) == undo.undoes.end()) return {};
  for (const Record::File& file : undo.files) {
    const bool is_it = file.what == What::created && file.path == path && file.staged;
    if (is_it && file.kind == sys::FileKind::directory) return file.staged->inode;
  }
  return {};
}

}  // namespace

// Follows the directory from where it was moved to. It is known by its inode, or by that of a
// directory around it once an undo has made that anew with all it held.
bool History::is_made_anew(const Now& now, const PathState& moved) const {
  std::string at = moved.file().to, inside;
  std::uint64_t inode = moved.file().old.inode;  // of the directory that holds it as `inside`
  bool is_another = false;                       // made by an undo
  const Record* removal = nullptr;
  std::string removed;  // by that, and it held the directory as `inside`
  const auto is_now = [&] {
    if (!inside.empty() || at != now.path) return false;
    return is_another ? inode == now.status->inode : is_unchanged(now, moved);
  };
  for (size_t i = all_.size(); i-- > 0;) {
    const Record& later = all_[i].record;
    if (later.time_ns <= moved.record->time_ns) continue;
    if (removal) {
      const auto made = made_again(later, *removal, removed);
      if (!made) continue;
      inode = *made;
      is_another = true;
      removal = nullptr;
      continue;
    }
    const auto index = leaver(later, at);
    if (!index) continue;
    if (is_now()) return true;
    const Record::File& file = later.files[*index];
    const std::string rest(*below(file.path, at));
    if (rest.size() == inside.size() && file.old.inode != inode) return false;
    if (rest.size() < inside.size() || file.what != What::moved) {
      inside = rest;
      inode = file.old.inode;
    }
    if (file.what == What::moved) {
      at = join(file.to, rest);
    } else {
      removal = &later;
      removed = file.path;
    }
  }
  if (removal || at != now.path) return false;
  if (inside.empty()) return is_now();
  at.resize(at.size() - inside.size() - 1);
  const Now around = look(at);
  return around.status && around.status->inode == inode;
}

std::optional<History::Content> History::content_after(const std::string& path,
                                                       const PathState& state,
                                                       const Record& newest) const {
  std::string at = path;
  for (size_t i = all_.size(); i-- > 0;) {
    const Record& later = all_[i].record;
    if (later.time_ns <= newest.time_ns) continue;
    const auto index = leaver(later, at);
    if (!index) continue;
    const Record::File& file = later.files[*index];
    const std::string rest(*below(file.path, at));
    if (file.what != What::moved) {
      auto content = kept_inside(later, *index, rest);
      const bool is_it =
          content && state.file().new_digest == digest_of(content->text, journal_.seed());
      return is_it ? std::move(content) : std::nullopt;
    }
    at = join(file.to, rest);
  }
  const Now now = look(at);
  if (!now.content || !is_as(now, state)) return {};
  return Content{*now.content, git_mode(now.status->kind, now.status->mode)};
}

std::optional<History::Content> History::kept_inside(const Record& record, size_t index,
                                                     const std::string& rest) const {
  const Record::File& file = record.files[index];
  if (rest.empty()) {
    auto content = content_of({.kind = Kind::kept, .record = &record, .index = index});
    return content ? std::optional(Content{std::move(*content), git_mode(file.kind, file.old_mode)})
                   : std::nullopt;
  }
  const auto place = journal_.find_kept(record, index);
  if (!place) return {};
  auto content =
      read_kept(*place->directory, fmt::format("{}/{}", place->name, rest), kMaxKeptFile);
  if (!content) return {};
  return Content{std::move(content->text), git_mode(content->kind, content->mode)};
}

std::optional<std::string> text_of(std::string content) {
  // Lines are lines in all encodings but the wide ones, which have NUL bytes.
  if (content.find('\0') == content.npos) return content;
  std::optional<Readable> decoded = readable(content);
  return decoded ? std::optional(std::move(decoded->text)) : std::nullopt;
}

PastFile History::describe(const Loaded& loaded, size_t i) const {
  const Record::File& file = loaded.record.files[i];
  return {.what = file.what,
          .path = shown(file.path),
          .to = file.to.empty() ? "" : shown(file.to),
          .is_directory = file.kind == sys::FileKind::directory,
          .undone = loaded.undone[i]};
}

void History::count_lines_of(const Record& record, const Sides& sides, PastFile& past) {
  if (counted_ >= kMaxCountedFiles) return;
  std::optional<std::string> before = "", after = "";
  if (sides.before) {
    const Record::File& file = record.files[*sides.before];
    if (file.old.size > kMaxCounted || !file.old_blob.empty()) return;
    auto content = journal_.old_content(record, *sides.before, kMaxCounted);
    before = content ? text_of(std::move(*content)) : std::nullopt;
  }
  if (sides.after) {
    const Record::File& file = record.files[*sides.after];
    if (!file.new_digest || file.new_digest->size > kMaxCounted) return;
    const PathState state{.kind = Kind::written, .record = &record, .index = *sides.after};
    auto content = content_after(file.path, state, record);
    after = content ? text_of(std::move(content->text)) : std::nullopt;
  }
  ++counted_;
  if (!before || !after) return;
  const LineCounts counts = count_changes(diff_lines(*before, *after));
  past.added = counts.added;
  past.removed = counts.removed;
}

std::vector<PastFile> History::describe(const Loaded& loaded) {
  const Record& record = loaded.record;
  std::map<size_t, size_t> old_name;  // of what was written by another name
  std::set<size_t> renamed;
  for (const auto& [from, to] : record.renames) {
    const auto index = [&](const std::string& path, What what) {
      const auto is_it = [&](const Record::File& file) {
        return file.path == path && file.what == what;
      };
      return static_cast<size_t>(std::ranges::find_if(record.files, is_it) - record.files.begin());
    };
    const size_t gone = index(from, What::removed), came = index(to, What::created);
    if (std::max(gone, came) == record.files.size() || loaded.undone[gone] != loaded.undone[came])
      continue;
    old_name[came] = gone;
    renamed.insert(gone);
  }
  std::vector<PastFile> files;
  for (size_t i = 0; i < record.files.size(); ++i) {
    if (renamed.contains(i)) continue;
    const What what = record.files[i].what;
    PastFile past = describe(loaded, i);
    Sides sides;
    if (what == What::replaced || what == What::removed) sides.before = i;
    if (what == What::replaced || what == What::created) sides.after = i;
    if (const auto old = old_name.find(i); old != old_name.end()) {
      sides.before = old->second;
      past.what = What::moved;
      past.to = std::exchange(past.path, shown(record.files[old->second].path));
    }
    if (!past.is_directory && (sides.before || sides.after)) count_lines_of(record, sides, past);
    files.push_back(std::move(past));
  }
  return files;
}

Result<Past> History::past(const PastQuery& query) {
  TRY(limit_to(query.path));
  Past past{.changes = {}};
  std::vector<size_t> chosen;
  for (size_t i = 0; const Loaded* loaded = loaded_.at(i); ++i) {
    const Record& record = loaded->record;
    const bool fits = (query.session.empty() || record.session == query.session) &&
                      std::ranges::any_of(record.files, [&](const Record::File& file) {
                        return wants(file.path) || (!file.to.empty() && wants(file.to));
                      });
    if (fits && chosen.size() == query.limit) {
      past.more = true;
      break;
    }
    if (fits) chosen.push_back(i);
  }
  for (const size_t index : chosen) {
    const Loaded& loaded = all_[index];
    const Record& record = loaded.record;
    PastChange change{.id = record.id,
                      .tool = record.tool,
                      .session = record.session,
                      .time_ms = record.time_ms(),
                      .undone = loaded.is_undone(),
                      .partly_undone = loaded.is_partly_undone()};
    for (const Undoing& undoing : record.undoes) change.undoes.push_back(undoing.id);
    change.files = describe(loaded);
    past.changes.push_back(std::move(change));
  }
  return past;
}

namespace {

Error no_journal() {
  return {Code::unsupported, "no journal of changes is kept here",
          "it needs a state directory, and the journal must not be switched off", "no_journal"};
}

}  // namespace

Result<Past> Workspace::past(const PastQuery& query) {
  if (!journal_) return no_journal();
  LoadedChanges changes(*journal_);
  return History(*this, changes).past(query);
}

Result<Differences> Workspace::differences(const Selection& selection) {
  if (!journal_) return no_journal();
  LoadedChanges changes(*journal_);
  return History(*this, changes).differences(selection);
}

Result<Undone> Workspace::undo(const Selection& selection, Rehearsal rehearsal,
                               const Author& author) {
  if (!journal_) return no_journal();
  LoadedChanges changes(*journal_);
  std::vector<Undoing> passed_over;
  std::optional<Error> first;
  for (;;) {
    History history(*this, changes);
    Result<Undone> undone = history.undo(selection, rehearsal, author, passed_over);
    if (undone) return undone;
    if (!first) first = undone.error();
    const std::vector<Undoing>& needless = history.needless();
    if (needless.empty()) {
      return undone.error().type == first->type ? *first : std::move(undone).error();
    }
    if (passed_over.size() >= kMaxPassedOver) {
      first->message = fmt::format("of the newest {} changes nothing is left", passed_over.size());
      return *first;
    }
    passed_over.insert(passed_over.end(), needless.begin(), needless.end());
    for (const Undoing& one : needless) changes.pass_over(one.id);
  }
}

}  // namespace helve::workspace
