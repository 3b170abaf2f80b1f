// The part of workspace/workspace.h about what commands changed.
#include "workspace/command_change.h"

#include <algorithm>
#include <map>
#include <set>

#include "sys/process_identity.h"
#include "workspace/git_index.h"
#include "workspace/path.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

using sys::FileKind;
using What = Changed::What;

constexpr size_t kMaxIndex = 64u << 20;        // bytes of git's index
constexpr size_t kMaxDigested = 1u << 20;      // bytes of a file that is read to know it again …
constexpr size_t kMaxAllDigested = 32u << 20;  // … and of all of them

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
  explicit CleanFiles(const CommandChange& change) {
    for (const KnownRepository& repository : change.repositories) read(repository, change);
  }
  struct Blob {
    std::string name, repository;
  };
  const Blob* find(const std::string& path) const {
    const auto found = blobs_.find(path);
    return found == blobs_.end() ? nullptr : &found->second;
  }

 private:
  void read(const KnownRepository& repository, const CommandChange& change) {
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
    for (const auto& [name, entry] : index_entries(whole(*repository.index, kMaxIndex), names)) {
      const CommandFile& file = *wanted.at(name);
      if (entry.tells(file.before->status, status->modified_ns))
        blobs_[file.path] = {entry.blob, repository.directory};
    }
  }

  std::map<std::string, Blob> blobs_;
};

// A file, a link; what else there is, and files with other names, are never written to.
bool can_be_restored(const Found& found) {
  return found.status.kind == FileKind::symlink ||
         (found.status.kind == FileKind::file && found.status.links <= 1);
}

bool is_directory(const std::optional<Found>& found) {
  return found && found->status.kind == FileKind::directory;
}

Version before_of(const CommandFile& file) { return Version::of(file.before->status); }

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
    std::function<std::optional<Digest>(const std::string&, const Found&)> digest;
  };
  CommandRecord(const CommandChange& change, Knowledge knowledge)
      : change_(change), knowledge_(std::move(knowledge)), clean_(change) {
    find_moves();
    for (const CommandFile& file : change.files) add(file);
  }

  Record record;
  std::map<size_t, std::string> kept;  // what files were before, for the journal to keep

 private:
  // A file that has another name now, and is the same otherwise.
  void find_moves() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, const CommandFile*> gone;
    for (const CommandFile& file : change_.files) {
      if (file.before && !file.after && can_be_restored(*file.before))
        gone[{file.before->status.device, file.before->status.inode}] = &file;
    }
    for (const CommandFile& file : change_.files) {
      if (file.before || !file.after || !can_be_restored(*file.after)) continue;
      const auto from = gone.find({file.after->status.device, file.after->status.inode});
      if (from == gone.end()) continue;
      const sys::FileStatus& before = from->second->before->status;
      const bool is_same = Version::of(before).same_content(Version::of(file.after->status)) &&
                           before.mode == file.after->status.mode;
      if (is_same) moved_.emplace(from->second->path, file.path), came_.insert(file.path);
    }
  }

  void add(const CommandFile& file) {
    if (is_directory(file.before) || is_directory(file.after)) return add_directory(file);
    if (!protected_part(file.path).empty()) return lose(file);
    if (came_.contains(file.path)) return;
    if (const auto to = moved_.find(file.path); to != moved_.end()) {
      Record::File& moved =
          record.files.emplace_back(file_of(What::moved, file.path, *file.before));
      moved.to = to->second;
      moved.old = Version::of(file.before->status);
      moved.old_mode = file.before->status.mode;
      return;
    }
    if (file.after && !can_be_restored(*file.after)) return lose(file);
    if (!file.before) return add_new(What::created, file);
    const bool is_replaced = file.after.has_value();
    if (is_replaced && file.after->status.kind != file.before->status.kind) return lose(file);
    // Only its mode is another, which an undo would leave.
    if (is_replaced && Version::of(file.after->status).same_content(before_of(file)))
      return lose(file);
    add_old(file);
  }

  // One that holds something comes and goes with that.
  void add_directory(const CommandFile& file) {
    if (file.before && (file.after || !holds_any(file.path))) return lose(file);
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

  // Replaced or removed, when what was there is known.
  void add_old(const CommandFile& file) {
    const Version before = before_of(file);
    const bool is_link = file.before->status.kind == FileKind::symlink;
    std::optional<std::string> content =
        is_link ? file.before->target : knowledge_.seen(file.path, before);
    const CleanFiles::Blob* const blob = content ? nullptr : clean_.find(file.path);
    if (!content && !blob) return lose(file);
    if (file.after)
      add_new(What::replaced, file);
    else
      record.files.push_back(file_of(What::removed, file.path, *file.before));
    Record::File& added = record.files.back();
    added.old = before;
    added.old_mode = file.before->status.mode;
    if (content) {
      kept.emplace(record.files.size() - 1, std::move(*content));
    } else {
      added.old_blob = blob->name;
      added.repository = blob->repository;
    }
    // An undo leaves the mode of a file that is there.
    if (file.after && file.after->status.mode != file.before->status.mode) lose(file);
  }

  void lose(const CommandFile& file) { record.unknown.push_back(file.path); }

  const CommandChange& change_;
  const Knowledge knowledge_;
  const CleanFiles clean_;
  std::map<std::string, std::string> moved_;
  std::set<std::string> came_;
};

CommandNote Workspace::note_command(const CommandChange& change, const Author& author) {
  CommandNote note;
  size_t budget = kMaxAllDigested;
  const bool is_journaled = journal_ && journal_->prepare().has_value();
  const auto digest = [&](const std::string& path, const Found& found) -> std::optional<Digest> {
    if (!is_journaled) return {};
    if (found.status.kind == FileKind::symlink) return digest_of(found.target, journal_->seed());
    if (found.status.kind == FileKind::directory) return digest_of("", journal_->seed());  // empty
    if (found.status.size > std::min(kMaxDigested, budget)) return {};
    const Result<Snapshot> now = read_whole(path, kMaxDigested);
    if (!now || !now->version.same_content(Version::of(found.status))) return {};
    budget -= now->content.size();
    return digest_of(now->content, journal_->seed());
  };
  const auto seen = [&](const std::string& path, const Version& version) {
    return seen_.content(author.session, path, version);
  };
  CommandRecord command(change, {.seen = seen, .digest = digest});
  Record& record = command.record;
  const bool is_noted = is_journaled && !record.files.empty() &&
                        record.files.size() <= kMaxChanges &&
                        add_to_journal(record, command.kept, author);
  if (is_noted) {
    note.id = record.id;
    for (const std::string& path : record.unknown) note.unknown.push_back(display(path));
  } else {
    for (const CommandFile& file : change.files) note.unknown.push_back(display(file.path));
  }
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
