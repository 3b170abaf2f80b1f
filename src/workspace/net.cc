#include "workspace/net.h"

#include <fmt/core.h>

#include <ranges>

#include "workspace/path.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;
using What = Changed::What;

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
    for (size_t i = record.files.size(); i-- > 0;) {
      if (is_meant(i) && is_directory(record.files[i])) note_directory(record, i);
    }
  }

  std::optional<Entangled> entangled() const {
    for (const std::string& directory : directories_) {
      const auto next = changes.lower_bound(directory + "/");
      if (next != changes.end() && next->first.starts_with(directory + "/")) {
        return Entangled{directory, next->first};
      }
    }
    return {};
  }

  NetChanges changes;
  std::vector<Seam> seams;

 private:
  struct Lifted {
    PathState itself;
    std::map<std::string, PathState> inside = {};  // by the path below the directory
  };
  struct Part {  // of a change
    const Record* record;
    size_t index;
  };

  static bool is_directory(const Record::File& file) {
    return file.kind == sys::FileKind::directory;
  }

  void note_directory(const Record& record, size_t i) {
    const Record::File& file = record.files[i];
    directories_.push_back(file.path);
    if (!file.to.empty()) directories_.push_back(file.to);
    if (file.what == What::moved || file.what == What::removed) leaving_.push_back({&record, i});
  }

  // What others made of it in between stays theirs.
  static void add_mode(const Record::File& file, NetChange& change) {
    if (!change.modes)
      change.modes = {file.old_mode, *file.new_mode};
    else if (change.modes->before == *file.new_mode)
      change.modes->before = file.old_mode;
  }

  void take_away(const Record& record, size_t i) {
    const Record::File& file = record.files[i];
    switch (file.what) {
      case What::created:
        set(record, file.path, {}, {.kind = Kind::written, .record = &record, .index = i});
        if (is_directory(file)) (void)lift(file.path);
        break;
      case What::replaced:
        set(record, file.path, {.kind = Kind::kept, .record = &record, .index = i},
            {.kind = Kind::written, .record = &record, .index = i});
        if (file.new_mode) add_mode(file, changes[file.path]);
        break;
      case What::removed:
        break;
      case What::moved: {
        const auto known = changes.find(file.to);
        lifted_[i].itself =
            known != changes.end() ? known->second.before : in_the_end(file.to, {&record, i});
        set(record, file.to, {}, {.kind = Kind::moved, .record = &record, .index = i});
        if (is_directory(file)) lifted_[i].inside = lift(file.to);
        break;
      }
    }
  }

  void bring_back(const Record& record, size_t i) {
    const Record::File& file = record.files[i];
    if (file.what == What::removed) {
      set(record, file.path, {.kind = Kind::kept, .record = &record, .index = i}, {});
      if (!is_directory(file)) return;
      each_inside(file.path, [&](std::string_view rest, PathState& before) {
        before = {.kind = Kind::kept, .record = &record, .index = i, .inside = std::string(rest)};
      });
    } else if (file.what == What::moved) {
      set(record, file.path, std::move(lifted_[i].itself), {});
      if (!is_directory(file)) return;
      each_inside(file.path,
                  [](std::string_view, PathState& before) { before = {.kind = Kind::unknown}; });
      for (auto& [rest, before] : lifted_[i].inside) {
        changes[fmt::format("{}/{}", file.path, rest)].before = std::move(before);
      }
    }
  }

  template <typename Use>
  void each_inside(const std::string& directory, const Use& use) {
    const std::string front = directory + "/";
    for (auto it = changes.lower_bound(front); it != changes.end() && it->first.starts_with(front);
         ++it) {
      use(std::string_view(it->first).substr(front.size()), it->second.before);
    }
  }

  // Before its directory came nothing was there.
  std::map<std::string, PathState> lift(const std::string& directory) {
    std::map<std::string, PathState> inside;
    each_inside(directory, [&](std::string_view rest, PathState& before) {
      inside.emplace(rest, std::exchange(before, {}));
    });
    return inside;
  }

  // What bears the path after the change, which the others do not mention: by which name it ends
  // when directories around it are moved, or where it is kept when one is removed.
  PathState in_the_end(const std::string& path, Part teller) const {
    PathState state{
        .kind = Kind::moved, .record = teller.record, .index = teller.index, .from = path};
    for (const Part& leaving : leaving_ | std::views::reverse) {
      const Record::File& directory = leaving.record->files[leaving.index];
      const auto rest = below(directory.path, state.from);
      if (!rest || rest->empty()) continue;
      if (directory.what == What::removed) {
        return {.kind = Kind::kept,
                .record = leaving.record,
                .index = leaving.index,
                .inside = std::string(*rest)};
      }
      state.from = fmt::format("{}/{}", directory.to, *rest);
    }
    return state;
  }

  void set(const Record& record, const std::string& path, PathState before, PathState after) {
    const auto [change, is_new] = changes.try_emplace(path);
    const PathState& found = change->second.before;
    if (!is_new && (found.kind != Kind::absent || after.kind != Kind::absent)) {
      seams.push_back({path, after, found, &record});
    }
    change->second.only_replaced &= before.kind == Kind::kept && after.kind == Kind::written;
    change->second.before = std::move(before);
    const PathState end = in_the_end(path, {after.record, after.index});
    if (end.kind == Kind::moved && end.from == path) {
      if (is_new) change->second.after = std::move(after);
    } else if (end.kind == Kind::moved) {
      changes.try_emplace(end.from, NetChange{.after = std::move(after)});
    }
  }

  std::vector<Lifted> lifted_;            // what each file of the change moved
  std::vector<Part> leaving_;             // directories that went elsewhere, the newest first
  std::vector<std::string> directories_;  // that came or went
};

}  // namespace

Net net_of(std::span<const Loaded* const> changes, UndoneFiles undone) {
  Netting netting;
  for (const Loaded* change : changes) netting.take_back(*change, undone);
  std::optional<Entangled> entangled = netting.entangled();
  return {std::move(netting.changes), std::move(entangled), std::move(netting.seams)};
}

}  // namespace helve::workspace
