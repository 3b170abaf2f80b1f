// Comparison: the files before and after changes. The two trees are told from what is there now by
// taking changes back, and compared name by name; so nothing depends on how the one became the
// other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workspace/past.h"
#include "workspace/past_tree.h"

namespace helve::workspace {

constexpr size_t kMaxShownFiles = 4096;  // of all

class History::Comparison {
 public:
  explicit Comparison(History& history) : history_(history) {}

  Differences run();

 private:
  // What a path held before or after the changes.
  struct Side {
    PastTree::Place place;
    Source truth;  // its source, or what the changes tell about it
    std::optional<sys::FileStatus> status = {};

    bool is_corrected() const { return truth != place.source; }
    bool is_unknown() const { return truth.kind == Source::Kind::unknown; }
    bool is_directory() const { return status && status->kind == sys::FileKind::directory; }
    bool is_tree() const { return !is_unknown() && is_directory(); }
    bool is_leaf() const { return status && !is_tree(); }
  };
  struct Leaf {
    std::string path;
    Side side;
  };
  struct Pair {
    std::string path;
    Side before, after;
  };
  enum class Within : bool { both, one_of_them };
  struct Around {  // a path: the directory that holds it
    const Side* before = nullptr;
    const Side* after = nullptr;
    int depth = 0;
    Within within = Within::both;
  };
  // Something in the tree before that no selected change removed: so it is in the tree after, too.
  struct Held {
    std::string path;                       // before
    std::optional<bool> is_too_large = {};  // a directory, for its files to be shown
  };
  struct Event {  // of a path
    std::int64_t made_ns;
    Changed::What what;
    std::string_view from = {};  // moved: what came here
  };
  using ChangesOf = std::map<std::string, std::vector<Event>, std::less<>>;

  void build_trees();
  void check(const Loaded& loaded);
  void check_left(const std::string& path, const PathState& left);
  Source truth_of(const Source& found, const PathState& left);
  Source restored_from(const Source& found, const PathState& left);
  const std::vector<Source>& kept_before(const Record& undo);
  std::optional<Digest> outline_digest(const Source& kept);
  const Record* find_record(const std::string& id);
  Source corrected(const Source& source, const Side* around, std::string_view name) const;

  Side side_at(const PastTree& tree, const std::string& path, const Side* around) const;
  void look_at(Side& side) const;
  sys::OrErrno<sys::Fd> open(const Source& directory) const;
  struct Parent {
    std::string name;  // in it
    sys::OrErrno<sys::Fd> directory;
  };
  Parent opened_parent(const Source& source) const;
  void add_told(const Side& side, std::set<std::string>& names) const;
  bool add_held(const Side& side, std::set<std::string>& names);
  void compare(const std::string& path, const Around& around);
  Held* find_held(const Source& source);
  bool is_by_selected(const Side& before) const;
  bool is_too_large(const Side& side);
  bool is_large_itself(const Side& side) const;
  bool is_looked_for(const std::string& path) const;

  bool wants(const std::string& path) const;
  std::optional<Content> content_of(const Side& side) const;
  bool is_copy(const std::string& path, const Side& one, const Side& other);
  void note(const std::string& path, std::string text);
  void add(const std::string& path, const Side* before, const Side* after,
           const std::string& from = "");
  void add_move(const Leaf& from, const Leaf& to);
  const ChangesOf& changes_of();
  const Event* last_event(std::string_view path, std::int64_t before_ns);
  bool came_later(const Side& side);
  sys::OrErrno<std::int64_t> birth_of(const Source& source) const;
  void add_moves(std::vector<Leaf>& gone, std::vector<Leaf>& came);
  void add_rewritten();
  void leave_halves_out();
  void add_seams();

  History& history_;
  PastTree before_, after_;
  std::set<const Record*> taken_back_;  // from after_ to before_
  // What bears a name now, or was kept, and is not what the changes left there; or is, and then it
  // is its own truth. What bears a name in a directory has the truth of the directory, unless it
  // has its own: whatever later changes say of it, they were made in that directory.
  std::map<Source, Source> truth_;
  std::map<std::string, Record> older_;  // than those that history_ has
  std::map<const Record*, std::vector<Source>> kept_before_;
  std::map<Source, std::optional<Digest>> outlines_;  // of directories
  ChangesOf changes_of_;                              // a path, newest first
  std::vector<Leaf> gone_, came_;
  std::vector<Pair> changed_;
  std::vector<Leaf> gone_directories_, came_directories_;  // without files
  std::map<Source, Held> held_;
  size_t room_ = kMaxShownFiles;  // for files of directories that were moved
  size_t compared_ = 0;           // paths
  size_t files_seen_ = 0;
  bool is_whole_ = true;
  Differences found_;
};

}  // namespace helve::workspace
