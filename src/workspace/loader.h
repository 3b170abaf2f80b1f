// Loader: the changes of a journal, newest first, with what of each was undone since.
// LoadedChanges: those that were looked at so far.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workspace/journal.h"

namespace helve::workspace {

struct Loaded {
  Record record;
  std::vector<bool> undone = {};  // each of its files
  // Nothing of it is left, and whoever looks has said that an older one is meant.
  bool is_passed_over = false;

  bool is_undone() const { return std::ranges::find(undone, false) == undone.end(); }
  bool is_partly_undone() const {
    return !is_undone() && std::ranges::find(undone, true) != undone.end();
  }
  // Whether a plain undo may take it back, at least in part. An undo itself is only undone by name.
  bool is_open() const { return record.undoes.empty() && !is_undone() && !is_passed_over; }
};

class Loader {
 public:
  explicit Loader(Journal& journal);
  // Nothing after the oldest.
  std::optional<Loaded> next();

 private:
  struct Undo {
    std::vector<std::string> paths;  // none: all
    std::set<std::string> except;    // where the undo was undone itself
  };
  bool is_undone(const Record& record, const Record::File& file) const;
  void note(const Loaded& undo);

  Journal& journal_;
  std::vector<std::string> names_;
  size_t at_ = 0;
  std::map<std::string, std::vector<Undo>> undone_;  // by id; whatever undoes a change is newer
};

class LoadedChanges {
 public:
  explicit LoadedChanges(Journal& journal) : loader_(journal) {}
  // The newest is 0; nothing after the oldest. What was loaded stays where it is.
  const Loaded* at(size_t index);
  const std::deque<Loaded>& so_far() const { return all_; }
  void pass_over(std::string_view id);

 private:
  Loader loader_;
  std::deque<Loaded> all_;
};

}  // namespace helve::workspace
