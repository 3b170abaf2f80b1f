// PastTree: what bore each path at a time past, told from what is there now by taking changes back,
// the newest first. It knows names only, and looks at nothing; each file of a change costs one or
// two entries, whatever a directory holds.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workspace/loader.h"
#include "workspace/net.h"

namespace helve::workspace {

// Where something is that bore a path.
struct Source {
  enum class Kind : unsigned char {
    now,      // it bears `path` now
    kept,     // it is what file `index` of `record` was before, or `path` in that directory
    nothing,  // file `index` of `record` had not come to `path` yet
    unknown,  // not what file `index` of `record` left there, and nowhere else either
  } kind = Kind::now;
  std::string path = {};
  const Record* record = nullptr;
  size_t index = 0;

  const Record::File& file() const { return record->files[index]; }
  auto operator<=>(const Source&) const = default;
};

class PastTree {
 public:
  struct Place {
    Source source;
    bool is_inside = true;      // of a directory about which something is known, or of none
    std::int64_t moved_ns = 0;  // when it went elsewhere with a directory; 0: it did not
  };
  using Places = std::map<std::string, Place>;

  Place at(const std::string& path) const;
  // Those about which something is known by itself.
  const Places& places() const { return places_; }
  // Names in the directory below which something was taken back; "" is that of all paths.
  std::set<std::string> names_in(const std::string& directory) const;

  void take_back(const Loaded& loaded, UndoneFiles undone);

 private:
  void put(const std::string& path, Source source);
  // Takes out what is known of the path and what is in it, by the path below it.
  Places take(const std::string& path);

  Places places_;
};

}  // namespace helve::workspace
