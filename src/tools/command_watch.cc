#include "tools/command_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "process/commands.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

using search::Sighting;

constexpr size_t kMaxListed = 200;  // in the value
constexpr size_t kMaxShown = 20;    // in the text
constexpr size_t kMaxNamed = 5;     // that undo leaves, in the text
// Entries of ignored directories that are looked at for each millisecond that the command ran: some
// percents of its time.
constexpr size_t kIgnoredPerMs = 20;

// Whose change it is nobody knows when another command ran at the same time; nor can a directory
// that holds such a one be taken away.
bool is_certain(const Sighting& sighting, const std::set<std::string>& shared) {
  if (shared.contains(sighting.path)) return false;
  const auto inside = shared.lower_bound(sighting.path + "/");
  return inside == shared.end() || !inside->starts_with(sighting.path + "/");
}

std::set<std::string> shared_paths(const search::Testimony& told) {
  std::set<std::string> shared;
  for (const Sighting& each : told.changes) {
    if (each.is_shared) shared.insert(each.path);
  }
  return shared;
}

workspace::CommandChange command_change(const search::Testimony& told,
                                        const std::set<std::string>& shared) {
  const auto found = [](const std::optional<search::Sight>& sight) {
    return sight ? std::optional(workspace::Found{sight->status, sight->target}) : std::nullopt;
  };
  workspace::CommandChange change;
  for (const Sighting& each : told.changes) {
    if (is_certain(each, shared))
      change.files.push_back({each.path, found(each.before), found(each.after)});
  }
  for (const search::RepositoryBefore& each : told.repositories)
    change.repositories.push_back({each.repository.top, each.repository.directory, each.index});
  return change;
}

std::string ignored_in_words(const std::vector<search::IgnoredSighting>& ignored,
                             const workspace::Workspace& files) {
  std::string out;
  size_t shown = 0;
  for (const search::IgnoredSighting& each : ignored) {
    if (shown++ == kMaxShown) break;
    out +=
        fmt::format("{}{}", out.empty() ? "" : ", ", escape_for_display(files.display(each.path)));
    if (each.is_directory)
      out += fmt::format("/ ({}{} file{})", each.or_more ? "at least " : "", each.files,
                         each.files == 1 ? "" : "s");
  }
  if (ignored.size() > kMaxShown) out += fmt::format(" and {} more", ignored.size() - kMaxShown);
  return out;
}

std::string about_shared(const std::set<std::string>& shared, const workspace::Workspace& files) {
  std::string names;
  size_t named = 0;
  for (const std::string& path : shared) {
    if (named++ == kMaxNamed) break;
    names +=
        fmt::format("{}{}", names.empty() ? "" : ", ", escape_for_display(files.display(path)));
  }
  if (shared.size() > kMaxNamed) names += fmt::format(" and {} more", shared.size() - kMaxNamed);
  return fmt::format(
      "another command ran at the same time: which of them changed {} is not known, and undo "
      "leaves "
      "it",
      names);
}

void add_notes(const search::Testimony& told, const workspace::Workspace& files,
               std::vector<std::string>& notes) {
  if (told.head_moved || told.index_changed)
    notes.push_back(fmt::format("git: {}{}{}", told.head_moved ? "HEAD moved" : "",
                                told.head_moved && told.index_changed ? ", " : "",
                                told.index_changed ? "index changed" : ""));
  if (!told.ignored.empty())
    notes.push_back("ignored files changed, too: " + ignored_in_words(told.ignored, files));
}

}  // namespace

CommandWatch::CommandWatch(Context& context, sandbox::Level level)
    : context_(context), began_(std::chrono::steady_clock::now()) {
  const bool can_change = !context.only_reads && level != sandbox::Level::read_only;
  if (!context.witness || !context.files || !can_change) return;
  moment_ = context.files->moment();
  watch_ = context.witness->begin();
  too_many_ = !watch_ && context.witness->must_tell_too_many();
}

CommandChanges CommandWatch::end() {
  CommandChanges changes;
  if (too_many_)
    changes.notes.push_back(
        fmt::format("what commands change is not told here: there are more than {} files",
                    search::Witness::kMaxEntries));
  if (!watch_) return changes;
  workspace::Workspace& files = *context_.files;
  const auto ran = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_);
  const size_t allowance = std::min<size_t>(kIgnoredPerMs * static_cast<size_t>(ran.count()),
                                            search::Witness::kMaxEntries);
  search::Testimony told = context_.witness->end(watch_, allowance);
  // What tools changed meanwhile is theirs.
  std::set<std::string> theirs = files.changed_since(moment_);
  if (!theirs.empty())
    std::erase_if(told.changes, [&](const Sighting& each) { return theirs.contains(each.path); });
  const std::set<std::string> shared = shared_paths(told);
  workspace::CommandChange change = command_change(told, shared);
  change.others = std::move(theirs);
  workspace::CommandNote note{.lost_because = "who changed it is not known"};
  if (!change.files.empty()) note = files.note_command(change, author_of(context_));
  std::erase_if(told.changes, [&](const Sighting& each) { return note.same.contains(each.path); });
  add_notes(told, files, changes.notes);
  changes.files = changed_files(told.changes, files);
  if (changes.files->empty()) {
    changes.files.reset();
    return changes;
  }
  if (!shared.empty()) changes.notes.push_back(about_shared(shared, files));
  if (!note.id.empty()) changes.change = std::move(note.id);
  changes.lost_because = std::move(note.lost_because);
  for (const Sighting& each : told.changes)
    if (!is_certain(each, shared)) note.unknown.push_back(files.display(each.path));
  if (!note.unknown.empty()) {
    if (note.unknown.size() > kMaxListed) note.unknown.resize(kMaxListed);
    changes.beyond_undo = std::move(note.unknown);
  }
  if (changes.files->size() > kMaxListed) {
    changes.notes.push_back(fmt::format("{} paths changed; the first {} are listed",
                                        changes.files->size(), kMaxListed));
    changes.files->resize(kMaxListed);
  }
  return changes;
}

std::string changes_line(const std::vector<ChangedFile>& files, std::string_view lost_because,
                         const std::vector<std::string>& beyond_undo) {
  std::string out = "changed: ";
  for (size_t i = 0; i < std::min(files.size(), kMaxShown); ++i)
    out += (i == 0 ? "" : ", ") + short_text(files[i]);
  if (files.size() > kMaxShown) out += fmt::format(" and {} more", files.size() - kMaxShown);
  if (!lost_because.empty()) return out + fmt::format(" ({}: undo restores nothing)", lost_because);
  if (beyond_undo.empty()) return out + " (undo takes it back)";
  out += " (undo takes it back but for ";
  for (size_t i = 0; i < std::min(beyond_undo.size(), kMaxNamed); ++i)
    out += (i == 0 ? "" : ", ") + escape_for_display(beyond_undo[i]);
  if (beyond_undo.size() > kMaxNamed)
    out += fmt::format(" and {} more", beyond_undo.size() - kMaxNamed);
  return out + ")";
}

}  // namespace helve::tools
