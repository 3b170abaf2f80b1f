// Past: one look at the journal of a workspace, on which showing and undoing changes rest.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workspace/net.h"
#include "workspace/rebuilt.h"
#include "workspace/workspace.h"

namespace helve::workspace {

// Of which a difference can be shown; nothing when it is no text.
std::optional<std::string> text_of(std::string content);

// As git has it: only whether a file is a link, and whether it can be executed.
inline std::uint32_t git_mode(sys::FileKind kind, std::uint32_t mode) {
  if (kind == sys::FileKind::symlink) return 0120000;
  return (mode & 0100) != 0 ? 0100755 : 0100644;
}

// One look at the past of a workspace.
class History {
 public:
  // The changes must outlive it, and may be used again.
  History(Workspace& files, LoadedChanges& changes)
      : files_(files), journal_(*files.journal_), loaded_(changes), all_(changes.so_far()) {}

  // `of_named`: whether a change that is named by its id counts with what was undone of it.
  Result<void> select(const Selection& selection, UndoneFiles of_named);
  Result<Past> past(const PastQuery& query);
  Result<Differences> differences(const Selection& selection);
  // `passed_over`: they are undone with it, since everything is already as it was before them.
  Result<Undone> undo(const Selection& selection, Rehearsal rehearsal, const Author& author,
                      const std::vector<Undoing>& passed_over);
  // After undo() failed: what it may pass over.
  const std::vector<Undoing>& needless() const { return needless_; }

 private:
  struct Now {  // what bears a path
    std::string path = {};
    std::optional<sys::FileStatus> status;
    std::optional<std::string> content;  // of a file that is small enough, or where a link leads
    std::optional<Error> unknown = {};   // why it cannot be said
    std::optional<std::int64_t> born_ns = {};  // a directory, where the file system knows
  };
  Now look(const std::string& path) const;
  bool is_as(const Now& now, const PathState& state) const;
  // Whether it is what was moved, and as it was then but for its name.
  static bool is_unchanged(const Now& now, const PathState& moved);
  bool was_restored(const Now& now, const PathState& moved) const;
  bool is_made_anew(const Now& now, const PathState& moved) const;
  // What a newer change found, as if it were there now.
  Now found_by(const Seam& seam) const;
  // Whether nobody changed the path between the two changes.
  bool is_whole(const Seam& seam) const;
  static bool is_mode_whole(const Seam& seam);
  // Of a directory; nothing when it has more than `limit` bytes.
  std::optional<std::string> outline_at(const std::string& path, std::uint64_t limit) const;
  Result<std::string> content_of(const PathState& state) const;
  // What a path held after the change `newest`: it may have been moved since, or be kept.
  struct Content {
    std::string text;
    std::uint32_t mode = 0;  // git's
  };
  std::optional<Content> content_after(const std::string& path, const PathState& state,
                                       const Record& newest) const;
  std::optional<Content> kept_inside(const Record& record, size_t index,
                                     const std::string& rest) const;
  std::string shown(const std::string& path) const { return files_.display(path); }
  Result<void> limit_to(const std::string& path);
  bool wants(const std::string& path) const;
  bool has_open_file(const Loaded& loaded) const;
  std::vector<Record::Rename> moves() const;
  Result<void> keep_wanted();
  Error undone_already(const Record& record) const;
  // What taking net_ back undoes.
  std::vector<Undoing> undoings() const;
  std::vector<PastFile> describe(const Loaded& loaded);
  PastFile describe(const Loaded& loaded, size_t i) const;
  // Counts the lines that differ, when both texts are known.
  struct Sides {
    std::optional<size_t> before, after;  // files of the change
  };
  void count_lines_of(const Record& record, const Sides& sides, PastFile& past);
  class Comparison;  // of the files before and after the selected changes

  Error as_before(const Selection& selection, std::vector<Undoing> undoes);
  Error changed_since(const std::string& path, const NetChange& change, const Now& now) const;
  std::string later_change(const std::string& path) const;
  std::string removal_around(const std::string& path) const;
  std::string later_undo(const Now& now) const;
  void note_later_changes();
  bool is_below_another(const std::string& path, const Now& now);
  Result<void> check_seams() const;
  bool is_made(const Now& now) const;
  Result<void> check_room() const;
  void fetch_blobs();
  void name_unknown(std::vector<std::string>& notes) const;
  Result<void> plan(const std::string& path, const NetChange& change);
  // Of a file that still has the mode which the changes gave it, and which was another before.
  static std::optional<std::uint32_t> mode_to_restore(const NetChange& change, const Now& now);
  Result<void> plan_kept(const std::string& path, const NetChange& change, const Now& now);
  enum class MakesWay : bool { no, yes };
  void plan_removal(const std::string& path, const Now& now, MakesWay makes_way);
  Result<void> rebuild_directories();
  Result<void> rebuild(const Rebuilt& rebuilt, const std::string& directory, Change& change) const;
  Result<std::string> essence_of(const PathState& state, const Journal::KeptPlace& place) const;
  std::vector<std::string> made_directories() const;

  Workspace& files_;
  Journal& journal_;
  LoadedChanges& loaded_;
  const std::deque<Loaded>& all_;        // newest first, as far as they were needed
  std::vector<const Loaded*> selected_;  // newest first
  NetChanges net_;
  std::optional<Entangled> entangled_;
  std::vector<Seam> seams_;
  UndoneFiles undone_ = UndoneFiles::are_skipped;  // of the selected changes
  std::optional<std::string> only_;                // absolute
  std::vector<Undoing> needless_;
  std::map<std::string, std::string> blobs_;  // contents out of git, by name
  size_t counted_ = 0;                        // files whose changed lines were counted
  // Who changed a path after the oldest selected change, and is none of them; newest first.
  struct Later {
    const Record* record;
    size_t index;
    bool is_above;  // no selected one came after it
  };
  std::map<std::string, std::vector<Later>> later_;
  std::vector<Undoing> taken_back_;                     // of later changes, by others
  std::set<std::string> left_;                          // to a later change, which took them back
  std::set<std::string> sources_;                       // what is there comes back to another path
  std::vector<std::shared_ptr<const sys::Fd>> opened_;  // for changes_
  std::vector<Change> changes_;
  std::vector<std::string> cleared_;  // what changes_ remove and is no directory
  std::deque<Rebuilt> rebuilt_;       // for changes_
  std::vector<Difference> planned_;
};

}  // namespace helve::workspace
