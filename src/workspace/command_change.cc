// The part of workspace/workspace.h about what commands changed.
#include "workspace/command_change.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "sys/process_identity.h"
#include "workspace/command_moves.h"
#include "workspace/git_blobs.h"
#include "workspace/git_index.h"
#include "workspace/path.h"
#include "workspace/tree.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

using sys::FileKind;
using What = Changed::What;

constexpr size_t kMaxIndex = 64u << 20;        // bytes of git's index
constexpr size_t kMaxDigested = 1u << 20;      // bytes of a file that is read to know it again …
constexpr size_t kMaxAllDigested = 32u << 20;  // … and of all of them
constexpr size_t kMaxOutline = 16u << 20;      // bytes of what tells a new directory apart

std::string whole(const sys::Fd& file, size_t limit) {
  const auto status = sys::status(file);
  if (!status || status->size > limit) return {};
  std::string text(status->size, '\0');
  const auto read = sys::read_at(file, text, 0);
  text.resize(read.value_or(0));
  return text;
}

// Which of these files git knew to be unchanged, by their blobs.
class CleanFiles {
 public:
  CleanFiles(const CommandChange& change, const sys::Writable& writable) {
    for (const KnownRepository& repository : change.repositories)
      read(repository, change, writable);
  }
  struct Blob {
    std::string name, repository;
  };
  const Blob* find(const std::string& path) const {
    const auto found = blobs_.find(path);
    return found == blobs_.end() ? nullptr : &found->second;
  }

 private:
  void read(const KnownRepository& repository, const CommandChange& change,
            const sys::Writable& writable) {
    std::map<std::string, const CommandFile*> wanted;
    std::set<std::string> names;
    for (const CommandFile& file : change.files) {
      const auto name = below(repository.top, file.path);
      if (!file.before || file.before->status.kind != FileKind::file || !name) continue;
      wanted[std::string(*name)] = &file;
      names.emplace(*name);
    }
    if (wanted.empty() || !repository.index) return;
    const auto status = sys::status(*repository.index);
    if (!status) return;
    std::vector<std::pair<const CommandFile*, std::string>> clean;
    std::vector<std::string> blobs;
    for (const auto& [name, entry] : index_entries(whole(*repository.index, kMaxIndex), names)) {
      const CommandFile* const file = wanted.at(name);
      if (!entry.tells(file->before->status, status->modified_ns)) continue;
      clean.emplace_back(file, entry.blob);
      blobs.push_back(entry.blob);
    }
    if (clean.empty()) return;
    // Filters and line ends make something else of what git keeps: undo would find out, but whoever
    // is told now that it takes the change back should not be surprised then.
    const Result<BlobSizes> sizes = blob_sizes(repository.directory, blobs, writable);
    if (!sizes) return;
    for (const auto& [file, blob] : clean) {
      const auto size = sizes->find(blob);
      if (size != sizes->end() && size->second == file->before->status.size)
        blobs_[file->path] = {blob, repository.directory};
    }
  }

  std::map<std::string, Blob> blobs_;
};

bool is_directory(const std::optional<Found>& found) {
  return found && found->status.kind == FileKind::directory;
}

Version before_of(const CommandFile& file) { return Version::of(file.before->status); }

// A directory that a command made, as far as it can be taken away as a whole.
struct NewDirectory {
  std::optional<Digest> outline = {};
  std::string protected_path = {};  // in it, what file tools do not touch
};

NewDirectory new_directory(const sys::Fd& directory, std::uint64_t seed) {
  NewDirectory made;
  size_t entries = 0;
  std::uint64_t bytes = 0;
  bool is_small = true;
  const auto walked = walk_tree(directory, [&](const TreeEntry& entry) {
    if (made.protected_path.empty() && !protected_part(entry.name).empty())
      made.protected_path = entry.path;
    const auto status = sys::status_at(entry.directory, entry.name);
    const std::uint64_t size = status && status->kind == FileKind::file ? status->size : 0;
    is_small = status && ++entries <= kMaxMovedEntries && (bytes += size) <= kMaxChangeBytes;
    return is_small;
  });
  if (!walked || !is_small) return made;
  if (const auto outline = outline_of(directory, kMaxOutline))
    made.outline = digest_of(*outline, seed);
  return made;
}

bool holds_one_of(const std::set<std::string>& paths, const std::string& directory) {
  const auto next = paths.lower_bound(directory + "/");
  return next != paths.end() && next->starts_with(directory + "/");
}

// Whether git would give the content this name.
bool is_blob(std::string_view name, std::string_view content) {
  std::string object = "blob " + std::to_string(content.size());
  object.append(1, '\0').append(content);
  constexpr size_t kSha1 = 40;
  return name == (name.size() == kSha1 ? sha1_hex(object) : sha256_hex(object));
}

Record::File file_of(What what, const std::string& path, const Found& shown) {
  return {.what = what, .kind = shown.status.kind, .path = path};
}

}  // namespace

// Puts one change together.
class CommandRecord {
 public:
  // What a session has seen, by path and version; how a file is read to be known again.
  struct Knowledge {
    std::function<std::optional<std::string>(const std::string&, const Version&)> seen;
    std::function<std::optional<std::string>(const std::string&, const Found&)> content;
    std::function<std::optional<Digest>(const std::string&, const Found&)> digest;
    std::function<NewDirectory(const std::string&)> directory;
    std::function<std::optional<std::int64_t>(const std::string&)> born_ns;
  };
  CommandRecord(const CommandChange& change, Knowledge knowledge, const sys::Writable& writable)
      : change_(change),
        knowledge_(std::move(knowledge)),
        clean_(change, writable),
        moves_(change.files, find_wholes(),
               {[this](const CommandFile& file) { return is_known(file); }, knowledge_.born_ns}) {
    for (const CommandFile& file : change.files) add(file);
  }

  Record record;
  std::map<size_t, std::string> kept;  // what files were before, for the journal to keep
  std::set<std::string> same;          // that only have another time, or were written as they were

 private:
  // New directories that could stand for all they hold: one took the place of a file, or holds what
  // the witness leaves out and file tools do not touch; all of them where there are more files than
  // one change may have.
  std::set<std::string> find_wholes() {
    const bool is_crowded = change_.files.size() > kMaxChanges;
    std::set<std::string> wholes, plain;
    for (const CommandFile& file : change_.files) {
      const bool is_new = is_directory(file.after) && !is_directory(file.before);
      if (!is_new || is_inside(plain, file.path) || !protected_part(file.path).empty()) continue;
      NewDirectory made = knowledge_.directory(file.path);
      const bool holds_others = holds_one_of(change_.others, file.path);
      if (holds_others) made.outline.reset();
      const bool is_needed = is_crowded || file.before || !made.protected_path.empty();
      if (made.outline && is_needed) wholes.insert(file.path);
      // With somebody's file in it, those within are looked at one by one.
      if (!file.before && made.protected_path.empty() && !(is_crowded && holds_others))
        plain.insert(file.path);
      directories_.emplace(file.path, std::move(made));
    }
    return wholes;
  }

  void add(const CommandFile& file) {
    if (is_inside(moves_.wholes(), file.path)) return;
    if (const auto made = directories_.find(file.path); made != directories_.end()) {
      if (moves_.wholes().contains(file.path)) return add_whole(file, made->second);
      if (!made->second.protected_path.empty())
        record.unknown.push_back(file.path + "/" + made->second.protected_path);
    }
    if (moves_.stays(file.path)) return lose(file);
    if (is_directory(file.before) || is_directory(file.after)) return add_directory(file);
    if (!protected_part(file.path).empty()) return lose(file);
    const std::string* const target = moves_.target(file.path);
    if (target) add_moved(file, *target);
    if (moves_.is_target(file.path)) {
      if (file.before && !target) add_old(file, What::removed);
      return;
    }
    if (target) {
      if (file.after) add_new(What::created, file);
      return;
    }
    const bool is_replaced = file.before && file.after;
    const bool is_same =
        is_replaced && Version::of(file.after->status).same_content(before_of(file));
    // Another name for it came or went.
    if (is_same && file.after->status.mode == file.before->status.mode &&
        file.after->status.links != file.before->status.links)
      return;
    if (is_replaced && !is_same && holds_the_same(file)) {
      same.insert(file.path);
      return;
    }
    if (file.after && !can_be_restored(*file.after)) return lose(file);
    if (!file.before) return add_new(What::created, file);
    // Only its mode is another, which an undo would leave.
    if (is_same || !is_known(file)) return lose(file);
    const bool is_another = is_replaced && file.after->status.kind != file.before->status.kind;
    add_old(file, is_replaced && !is_another ? What::replaced : What::removed);
    if (is_another) add_new(What::created, file);
  }

  void add_moved(const CommandFile& file, const std::string& to) {
    Record::File& moved = record.files.emplace_back(file_of(What::moved, file.path, *file.before));
    moved.to = to;
    moved.old = before_of(file);
    moved.old_mode = file.before->status.mode;
  }

  // As far as its old content is known, and it is not too large to be read.
  bool holds_the_same(const CommandFile& file) const {
    const sys::FileStatus &before = file.before->status, &after = file.after->status;
    if (before.kind != after.kind || before.mode != after.mode || before.size != after.size)
      return false;
    if (before.kind == FileKind::symlink) return file.before->target == file.after->target;
    if (before.kind != FileKind::file) return false;
    const std::optional<std::string> old = knowledge_.seen(file.path, before_of(file));
    const CleanFiles::Blob* const blob = old ? nullptr : clean_.find(file.path);
    if (!old && !blob) return false;
    const std::optional<std::string> now = knowledge_.content(file.path, *file.after);
    return now && (old ? *old == *now : is_blob(blob->name, *now));
  }

  void add_whole(const CommandFile& file, const NewDirectory& made) {
    if (const std::string* const target = moves_.target(file.path))
      add_moved(file, *target);
    else if (file.before)
      add_old(file, What::removed);
    Record::File& created =
        record.files.emplace_back(file_of(What::created, file.path, *file.after));
    created.staged = Version::of(file.after->status);
    created.new_digest = made.outline;
  }

  // One that holds something comes and goes with that.
  void add_directory(const CommandFile& file) {
    if (!protected_part(file.path).empty()) return lose(file);
    if (file.before && !holds_any(file.path)) return lose(file);
    if (file.before && file.after) {
      // What stands in its place now goes, so that what it held can come back.
      const bool makes_way = !is_directory(file.after) && can_be_restored(*file.after);
      return makes_way ? add_new(What::created, file) : lose(file);
    }
    if (file.before) return;
    if (holds_any(file.path)) return record.made.push_back(file.path);
    add_new(What::created, file);
  }
  bool holds_any(const std::string& directory) const {
    const auto inside =
        std::ranges::lower_bound(change_.files, directory + "/", {}, &CommandFile::path);
    return inside != change_.files.end() && inside->path.starts_with(directory + "/");
  }

  void add_new(What what, const CommandFile& file) {
    Record::File& created = record.files.emplace_back(file_of(what, file.path, *file.after));
    created.staged = Version::of(file.after->status);
    created.new_digest = knowledge_.digest(file.path, *file.after);
  }

  bool is_known(const CommandFile& file) const {
    if (!file.before || !protected_part(file.path).empty()) return false;
    return file.before->status.kind == FileKind::symlink || clean_.find(file.path) ||
           knowledge_.seen(file.path, before_of(file));
  }

  // Replaced or removed; what was there is known.
  void add_old(const CommandFile& file, What what) {
    const Version before = before_of(file);
    const bool is_link = file.before->status.kind == FileKind::symlink;
    std::optional<std::string> content =
        is_link ? file.before->target : knowledge_.seen(file.path, before);
    const CleanFiles::Blob* const blob = content ? nullptr : clean_.find(file.path);
    if (what == What::replaced)
      add_new(what, file);
    else
      record.files.push_back(file_of(what, file.path, *file.before));
    Record::File& added = record.files.back();
    added.old = before;
    added.old_mode = file.before->status.mode;
    if (what == What::replaced && file.after->status.mode != added.old_mode)
      added.new_mode = file.after->status.mode;
    if (content) {
      kept.emplace(record.files.size() - 1, std::move(*content));
    } else {
      added.old_blob = blob->name;
      added.repository = blob->repository;
    }
  }

  void lose(const CommandFile& file) { record.unknown.push_back(file.path); }

  const CommandChange& change_;
  const Knowledge knowledge_;
  const CleanFiles clean_;
  std::map<std::string, NewDirectory> directories_;  // that came, but for those in plain ones
  const CommandMoves moves_;
};

CommandNote Workspace::note_command(const CommandChange& change, const Author& author) {
  CommandNote note;
  size_t budget = kMaxAllDigested;
  const bool is_journaled = journal_ && journal_->prepare().has_value();
  const auto content = [&](const std::string& path,
                           const Found& found) -> std::optional<std::string> {
    if (found.status.size > std::min(kMaxDigested, budget)) return {};
    Result<Snapshot> now = read_whole(path, kMaxDigested);
    if (!now || !now->version.same_content(Version::of(found.status))) return {};
    budget -= now->content.size();
    return std::move(now->content);
  };
  const auto digest = [&](const std::string& path, const Found& found) -> std::optional<Digest> {
    if (!is_journaled) return {};
    if (found.status.kind == FileKind::symlink) return digest_of(found.target, journal_->seed());
    if (found.status.kind == FileKind::directory) return digest_of("", journal_->seed());  // empty
    const std::optional<std::string> now = content(path, found);
    return now ? std::optional(digest_of(*now, journal_->seed())) : std::nullopt;
  };
  const auto seen = [&](const std::string& path, const Version& version) {
    return seen_.content(author.session, path, version);
  };
  const auto directory = [&](const std::string& path) {
    const Result<sys::Fd> opened = open_directory(path);
    return is_journaled && opened ? new_directory(*opened, journal_->seed()) : NewDirectory();
  };
  const auto born_ns = [&](const std::string& path) -> std::optional<std::int64_t> {
    const auto [parent, name] = split_name(path);
    const Result<sys::Fd> opened = open_directory(parent);
    const auto born = opened ? sys::birth_at(*opened, name) : std::unexpected(std::errc());
    return born ? std::optional(*born) : std::nullopt;
  };
  CommandRecord command(change,
                        {.seen = seen,
                         .content = content,
                         .digest = digest,
                         .directory = directory,
                         .born_ns = born_ns},
                        root_paths());
  Record& record = command.record;
  if (!is_journaled)
    note.lost_because = "changes are not journaled";
  else if (record.files.empty())
    note.lost_because = "what was there before is not known";
  else if (record.files.size() > kMaxChanges)
    note.lost_because = fmt::format("more than {} files changed", kMaxChanges);
  else if (!add_to_journal(record, command.kept, author))
    note.lost_because = "the journal could not be written";
  if (note.lost_because.empty()) {
    note.id = record.id;
    for (const std::string& path : record.unknown) note.unknown.push_back(display(path));
  } else {
    for (const CommandFile& file : change.files)
      if (!command.same.contains(file.path)) note.unknown.push_back(display(file.path));
  }
  note.same = std::move(command.same);
  return note;
}

bool Workspace::add_to_journal(Record& record, const std::map<size_t, std::string>& kept,
                               const Author& author) {
  record.tool = author.tool;
  record.call_id = author.call_id;
  record.session = author.session;
  record.owner = leftovers_.identity();
  record.machine = sys::machine_identity();
  journal_->name(record);
  for (const auto& [index, content] : kept) {
    if (!journal_->keep(record, index, content)) return false;
  }
  const auto synced =
      durability_ == Durability::synced ? Journal::Synced::yes : Journal::Synced::no;
  if (!journal_->add(record, synced)) return false;
  tidy_now_and_then();
  return true;
}

}  // namespace helve::workspace
