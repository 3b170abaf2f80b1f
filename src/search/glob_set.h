// GlobSet: rules in an order where the last one that matches decides, as in .gitignore and in a
// list of includes and excludes. Most names are decided by two table lookups, not by trying every
// rule.
//
// A rule without a slash speaks of names at any depth, one with a slash (not at its end) of paths
// from where the set begins; a slash at the end asks for a directory; "!" turns a rule around.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "search/glob.h"

namespace helve::search {

// What is asked about one file or directory, prepared once for all the sets that it is held
// against.
struct Candidate {
  Candidate(std::string_view path, std::string_view name, bool is_directory);

  std::string_view path;  // ends in `name`
  std::string_view name;
  bool is_directory;
  std::uint64_t name_hash;
  std::uint64_t extension_hash;  // of the name from its last dot; 0 without one
};

enum class Verdict : unsigned char { none, matched, negated };

// The last four bytes of a path; zeros before a shorter one.
using PathEnd = std::uint32_t;
inline PathEnd end_of(std::string_view path) {
  PathEnd end = 0;
  const size_t size = std::min(path.size(), sizeof(end));
  std::memcpy(reinterpret_cast<char*>(&end) + sizeof(end) - size, path.data() + path.size() - size,
              size);
  return end;
}

// Immutable, so any thread may use it.
class GlobSet {
 public:
  GlobSet() = default;
  // The content of a file such as .gitignore, by git's rules: comments, trailing spaces, CRLF. A
  // line that is wrong matches nothing.
  static GlobSet from_ignore_file(std::string_view content);
  // What somebody typed. Several rules in a list; "./" before one stands for the place where the
  // set begins. Errors name the pattern.
  static Result<GlobSet> from_patterns(std::span<const std::string> patterns);

  // `base` is where in the candidate's path the set begins.
  Verdict decide(const Candidate& candidate, size_t base = 0) const;

  bool empty() const { return rules_.empty(); }
  // Whether any rule is not turned around: then what matches nothing is not meant.
  bool has_includes() const { return has_includes_; }
  bool has_excludes() const { return has_excludes_; }  // rules that are turned around
  // Whether a walk with this set as its filter shows the file.
  bool shows(std::string_view path) const { return may_end_in(end_of(path)) && decides_for(path); }
  // False when it shows no path that ends so: four bytes decide about most files of a tree.
  bool may_end_in(PathEnd end) const {
    return ends_.empty() || std::ranges::any_of(ends_, [&](const End& each) {
             return (end & each.mask) == each.bytes;
           });
  }
  // False when nothing below this directory can match a rule that is not turned around.
  bool may_match_below(std::string_view directory) const;

 private:
  struct Rule {
    Glob glob;
    bool negated = false;
    bool directories_only = false;
    bool by_name = false;
  };
  // Rules by the hash of what a name must be or end in.
  class Table {
   public:
    void add(std::uint64_t hash, std::uint32_t rule) { entries_.emplace_back(hash, rule); }
    void finish();
    template <class Visit>
    void find(std::uint64_t hash, const Visit& visit) const {
      if (!(filter_ >> (hash & 63) & 1)) return;
      auto entry = std::ranges::lower_bound(entries_, std::pair(hash, std::uint32_t{0}));
      for (; entry != entries_.end() && entry->first == hash; ++entry) visit(entry->second);
    }

   private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> entries_;
    std::uint64_t filter_ = 0;  // a bit for the low bits of each hash
  };

  // The last bytes of whatever a rule matches.
  struct End {
    PathEnd bytes = 0;
    PathEnd mask = 0;  // which of them are given
    bool operator==(const End&) const = default;
  };

  Result<void> add(std::string_view pattern, Syntax syntax);
  Result<void> add_rule(std::string_view pattern, Syntax syntax, bool negated);
  void file_rule(const Rule& rule, std::uint32_t number);
  void find_ends();
  bool decides_for(std::string_view path) const;
  void finish();
  bool applies(const Rule& rule, const Candidate& candidate, std::string_view path) const;

  std::vector<Rule> rules_;
  Table names_, extensions_;
  std::vector<std::uint32_t> others_;
  std::vector<End> ends_;  // of the rules that are not turned around; none: any end may match
  bool has_includes_ = false;
  bool has_excludes_ = false;
};

}  // namespace helve::search
