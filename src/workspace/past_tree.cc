#include "workspace/past_tree.h"

#include <fmt/core.h>

namespace helve::workspace {
namespace {

using What = Changed::What;

}  // namespace

PastTree::Place PastTree::at(const std::string& path) const {
  for (size_t end = path.size();; end = path.rfind('/', end - 1)) {
    const auto found = places_.find(path.substr(0, end));
    if (found != places_.end()) {
      Place place = found->second;
      if (end == path.size()) return place;
      place.is_inside = true;
      if (place.source.kind == Source::Kind::nothing) return place;
      const bool is_first = place.source.path.empty();
      place.source.path += path.substr(is_first ? end + 1 : end);
      return place;
    }
    if (end == 0) break;
  }
  return {.source = {.path = path}};
}

std::set<std::string> PastTree::names_in(const std::string& directory) const {
  const std::string front = directory + "/";
  std::set<std::string> names;
  for (auto it = places_.lower_bound(front); it != places_.end() && it->first.starts_with(front);
       ++it) {
    const size_t end = it->first.find('/', front.size());
    names.insert(it->first.substr(front.size(), end - front.size()));
  }
  return names;
}

PastTree::Places PastTree::take(const std::string& path) {
  Places taken;
  taken[""] = at(path);
  places_.erase(path);
  const std::string front = path + "/";
  auto it = places_.lower_bound(front);
  while (it != places_.end() && it->first.starts_with(front)) {
    taken[it->first.substr(path.size())] = std::move(it->second);
    it = places_.erase(it);
  }
  return taken;
}

void PastTree::put(const std::string& path, Source source) {
  (void)take(path);
  places_[path] = {.source = std::move(source), .is_inside = false};
}

// What the change moved or removed left before anything came to its place: so what came goes first,
// and then the rest comes back.
void PastTree::take_back(const Loaded& loaded, UndoneFiles undone) {
  const Record& record = loaded.record;
  const auto is_meant = [&](size_t i) { return undone == UndoneFiles::count || !loaded.undone[i]; };
  std::vector<Places> moved(record.files.size());
  for (size_t i = record.files.size(); i-- > 0;) {
    const Record::File& file = record.files[i];
    if (!is_meant(i) || file.what == What::removed) continue;
    const std::string& path = file.what == What::moved ? file.to : file.path;
    if (file.what == What::moved) moved[i] = take(path);
    const bool is_replaced = file.what == What::replaced;
    put(path, {.kind = is_replaced ? Source::Kind::kept : Source::Kind::nothing,
               .path = is_replaced ? "" : path,
               .record = &record,
               .index = i});
  }
  for (size_t i = record.files.size(); i-- > 0;) {
    const Record::File& file = record.files[i];
    if (!is_meant(i)) continue;
    if (file.what == What::removed) {
      put(file.path, {.kind = Source::Kind::kept, .record = &record, .index = i});
    } else if (file.what == What::moved) {
      (void)take(file.path);
      const bool is_directory = file.kind == sys::FileKind::directory;
      for (auto& [rest, place] : moved[i]) {
        if (rest.empty()) place.is_inside = false;
        if (is_directory) place.moved_ns = record.made_ns();
        places_[file.path + rest] = std::move(place);
      }
    }
  }
}

}  // namespace helve::workspace
