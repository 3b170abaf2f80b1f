// grep: a pattern in many files, in parallel, with the answer in the order of paths. Every thread
// keeps what it finds to itself, so threads meet only at the end; no more is kept than is asked
// for, and the rest is counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/glob_set.h"
#include "search/index_narrow.h"
#include "search/matcher.h"
#include "search/scan.h"
#include "search/walk.h"

namespace helve::search {

enum class Order : unsigned char {
  path,  // as a sorted walk would give them; everything is searched, so that the totals are exact
  none,  // as they come, and no more than asked for is searched
};

// Whether files with several names are searched: one of the names may lie elsewhere.
enum class HardLinks : unsigned char { search, skip };

// Files to search, and how many results of each are skipped.
using Page = std::map<std::string, size_t, std::less<>>;

struct GrepOptions {
  ScanOptions scan;
  WalkOptions walk;
  // Names of files that are searched; null: all. As well as the globs of the walk.
  const GlobSet* types = nullptr;
  const Page* page = nullptr;  // null: all files
  HardLinks hard_links = HardLinks::search;
  // What an index says about files that a walk comes across, by their paths below its root; null:
  // nothing. The searched directory lies at `below` there.
  const Narrowed* narrowed = nullptr;
  std::string below = {};
  Order order = Order::path;
  // Matching lines; where no lines are wanted, files.
  size_t max_results = SIZE_MAX;
  // Memory for lines. When the results that come first have used it up no more are kept, only
  // counted.
  size_t max_bytes = SIZE_MAX;
  size_t skip = 0;  // of the first ones, before max_results begins to count; in the order of paths
};

struct FoundFile {
  std::string path;  // below the searched directory
  FileMatches matches;
};

struct GrepReport {
  struct Problem {
    std::string path;
    std::errc error;
  };

  std::vector<FoundFile> files;   // with what was kept
  std::uint64_t files_found = 0;  // with a match
  std::uint64_t matches = 0;      // in all of them
  std::uint64_t files_seen = 0;   // in the directories that were read
  std::uint64_t files_searched = 0;
  std::uint64_t files_wanted = 0;  // that the globs and types let through, searched or not
  std::vector<Problem> problems;  // files and directories that could not be read, the first ones …
  std::uint64_t problem_count = 0;  // … of so many
  // Files with a line on which the pattern takes too many steps, searched up to there.
  std::vector<std::string> undecided;  // the first ones …
  std::uint64_t undecided_count = 0;   // … of so many
  // Those that matched before a NUL byte and were not searched beyond it, in order.
  std::vector<std::string> binaries;
  WalkReport::End end = WalkReport::End::complete;
};

// Whoever knows which files may match calls the visitors with them: a walk, or an index. It must
// heed the options as `walk` does.
using FileSource = std::function<sys::OrErrno<WalkReport>(
    const WalkOptions& options, const std::function<Visitor&()>& visitor)>;
FileSource walk_of(const sys::Fd& directory);  // borrows the directory

// Fails when the directory cannot be read (`path` names it).
Result<GrepReport> grep(const Matcher& matcher, const GrepOptions& options, const FileSource& files,
                        std::string_view path);

// The one file that somebody named. Fails when the pattern takes too many steps.
Result<GrepReport> grep_file(const Matcher& matcher, const GrepOptions& options,
                             const sys::Fd& file, std::string_view path);

}  // namespace helve::search
