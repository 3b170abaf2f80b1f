// Past: one look at the journal of a workspace, on which showing and undoing changes rest.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workspace/net.h"
#include "workspace/workspace.h"

namespace helve::workspace {

// Whether a difference of it can be shown.
inline bool is_text(std::string_view content) { return content.find('\0') == content.npos; }

// One look at the past of a workspace.
class History {
 public:
  explicit History(Workspace& files) : files_(files), journal_(*files.journal_) {}

  // `of_named`: whether a change that is named by its id counts with what was undone of it.
  Result<void> select(const Selection& selection, UndoneFiles of_named);
  Result<Past> past(const PastQuery& query);
  Result<Differences> differences(const Selection& selection);
  Result<Undone> undo(const Selection& selection, Rehearsal rehearsal, const Author& author);

 private:
  struct Now {  // what bears a path
    std::string path = {};
    std::optional<sys::FileStatus> status;
    std::optional<std::string> content;  // of a file that is small enough, or where a link leads
  };
  Now look(const std::string& path) const;
  bool is_as(const Now& now, const PathState& state) const;
  bool was_restored(const Now& now, const Record::File& moved) const;
  // Of a directory; nothing when it has more than `limit` bytes.
  std::optional<std::string> outline_at(const std::string& path, std::uint64_t limit) const;
  Result<std::string> content_of(const PathState& state) const;
  // What a path held after the change `newest`: it may have been moved since, or be kept.
  struct Content {
    std::string text;
    std::uint32_t mode = 0;
  };
  std::optional<Content> content_after(const std::string& path, const PathState& state,
                                       const Record& newest) const;
  std::optional<Content> kept_inside(const Record& record, size_t index,
                                     const std::string& rest) const;
  std::string shown(const std::string& path) const { return files_.display(path); }
  Result<void> limit_to(const std::string& path);
  bool wants(const std::string& path) const;
  bool has_open_file(const Loaded& loaded) const;
  Result<void> keep_wanted();
  Error undone_already(const Record& record) const;
  // What taking net_ back undoes.
  std::vector<Undoing> undoings() const;
  PastFile describe(const Loaded& loaded, size_t i, bool counts_lines);

  void add_difference(const std::string& path, const NetChange& change, Differences& found) const;
  void add_rename(const std::string& from, const PathState& state, Differences& found) const;
  enum class Side : bool { before, after };
  void add_tree(const std::string& path, const sys::Fd& directory, Side side,
                Differences& found) const;
  bool is_rename(const NetChange& change) const;

  Error changed_since(const std::string& path, const NetChange& change, const Now& now) const;
  std::string later_change(const std::string& path) const;
  Result<void> check_room() const;
  Result<void> plan(const std::string& path, const NetChange& change);
  Result<void> plan_kept(const std::string& path, const NetChange& change, const Now& now);
  enum class MakesWay : bool { no, yes };
  void plan_removal(const std::string& path, const Now& now, MakesWay makes_way);
  Result<std::string> essence_of(const PathState& state, const Journal::KeptPlace& place) const;
  std::vector<std::string> made_directories() const;

  Workspace& files_;
  Journal& journal_;
  std::vector<Loaded> all_;              // newest first, as far as it was needed
  std::vector<const Loaded*> selected_;  // newest first
  std::map<std::string, NetChange> net_;
  std::optional<std::string> only_;                     // absolute
  size_t counted_ = 0;                                  // files whose changed lines were counted
  std::set<std::string> sources_;                       // what is there comes back to another path
  std::vector<std::shared_ptr<const sys::Fd>> opened_;  // for changes_
  std::vector<Change> changes_;
  std::vector<Difference> planned_;
};

}  // namespace helve::workspace
