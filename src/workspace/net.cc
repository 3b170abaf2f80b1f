#include "workspace/net.h"

#include <fmt/core.h>

#include "base/text.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

class Netting {
 public:
  // From the newest change to the oldest. What one change moved or removed left before anything
  // came to its place: so what came goes first, and then the rest comes back.
  void take_back(const Loaded& loaded, UndoneFiles undone) {
    const Record& record = loaded.record;
    const auto is_meant = [&](size_t i) {
      return undone == UndoneFiles::count || !loaded.undone[i];
    };
    lifted_.assign(record.files.size(), {});
    for (size_t i = record.files.size(); i-- > 0;) {
      if (is_meant(i)) take_away(record, i);
    }
    for (size_t i = record.files.size(); i-- > 0;) {
      if (is_meant(i)) bring_back(record, i);
    }
  }

  std::map<std::string, NetChange> changes;
  std::vector<std::string> directories;  // that went elsewhere

 private:
  void take_away(const Record& record, size_t i) {
    const Record::File& file = record.files[i];
    if (file.kind == sys::FileKind::directory) {
      directories.push_back(file.path);
      if (!file.to.empty()) directories.push_back(file.to);
    }
    switch (file.what) {
      case Changed::What::created:
        set(file.path, {}, {.kind = Kind::written, .record = &record, .index = i});
        break;
      case Changed::What::replaced:
        set(file.path, {.kind = Kind::kept, .record = &record, .index = i},
            {.kind = Kind::written, .record = &record, .index = i});
        break;
      case Changed::What::removed:
        break;
      case Changed::What::moved: {
        const auto known = changes.find(file.to);
        lifted_[i] =
            known != changes.end()
                ? known->second.before
                : PathState{.kind = Kind::moved, .record = &record, .index = i, .from = file.to};
        set(file.to, {}, {.kind = Kind::moved, .record = &record, .index = i});
        break;
      }
    }
  }

  void bring_back(const Record& record, size_t i) {
    const Record::File& file = record.files[i];
    if (file.what == Changed::What::removed) {
      set(file.path, {.kind = Kind::kept, .record = &record, .index = i}, {});
    } else if (file.what == Changed::What::moved) {
      set(file.path, std::move(lifted_[i]), {});
    }
  }

  void set(const std::string& path, PathState before, PathState after) {
    const auto [change, is_new] = changes.try_emplace(path);
    change->second.only_replaced &= before.kind == Kind::kept && after.kind == Kind::written;
    change->second.before = std::move(before);
    if (is_new) change->second.after = std::move(after);
  }

  std::vector<PathState> lifted_;  // what each file of the change moved
};

}  // namespace

Result<std::map<std::string, NetChange>> net_of(std::span<const Loaded* const> changes,
                                                UndoneFiles undone) {
  Netting netting;
  for (const Loaded* change : changes) netting.take_back(*change, undone);
  for (const std::string& directory : netting.directories) {
    const std::string inside = directory + "/";
    const auto next = netting.changes.lower_bound(inside);
    if (next == netting.changes.end() || !next->first.starts_with(inside)) continue;
    return Error{Code::unsupported,
                 fmt::format("'{}' was moved or deleted, and '{}' in it was changed by itself",
                             escape_for_display(directory), escape_for_display(next->first)),
                 "go back change by change, the newest first", "directory_in_the_way"};
  }
  return std::move(netting.changes);
}

}  // namespace helve::workspace
