#include "workspace/net.h"

#include <fmt/core.h>

#include "base/text.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

class Netting {
 public:
  // From the last file of the newest change to the first of the oldest.
  void take_back(const Record& record) {
    for (size_t i = record.files.size(); i-- > 0;) take_back(record, i);
  }

  std::map<std::string, NetChange> changes;
  std::vector<std::string> directories;  // that went elsewhere

 private:
  void take_back(const Record& record, size_t i) {
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
        set(file.path, {.kind = Kind::kept, .record = &record, .index = i}, {});
        break;
      case Changed::What::moved: {
        PathState there{.kind = Kind::moved, .record = &record, .index = i, .from = file.to};
        if (const auto known = changes.find(file.to); known != changes.end()) {
          there = known->second.before;
        }
        set(file.to, {}, {.kind = Kind::moved, .record = &record, .index = i});
        set(file.path, std::move(there), {});
        break;
      }
    }
  }

  void set(const std::string& path, PathState before, PathState after) {
    const auto [change, is_new] = changes.try_emplace(path);
    change->second.before = std::move(before);
    if (is_new) change->second.after = std::move(after);
  }
};

}  // namespace

Result<std::map<std::string, NetChange>> net_of(std::span<const Record* const> records) {
  Netting netting;
  for (const Record* record : records) netting.take_back(*record);
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
