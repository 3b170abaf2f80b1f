#include "search/grep.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "search/contents.h"
#include "search/path_order.h"
#include "sys/clock.h"

namespace helve::search {
namespace {

constexpr size_t kMaxProblems = 100;  // that are named
constexpr size_t kFilesInARow = 16;   // before another thread may take the next of a directory

// What the threads of one search share.
struct Shared {
  const Matcher& matcher;
  const GrepOptions& options;
  std::atomic<size_t> results = 0;  // only counted when the order does not matter
};

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

size_t results_of(const FileMatches& matches, Wanted wanted) {
  return wanted == Wanted::lines ? static_cast<size_t>(matches.matches - matches.skipped) : 1;
}

// How much some files are.
struct Amount {
  size_t results = 0;
  size_t bytes = 0;  // of memory

  void add(const FileMatches& matches, const GrepOptions& options) {
    results += results_of(matches, options.scan.wanted);
    bytes += matches.bytes();
  }
};

// Keeps the first files that together are as much as asked for.
Amount trim(std::vector<FoundFile>& files, const GrepOptions& options) {
  std::ranges::sort(
      files, [](const FoundFile& a, const FoundFile& b) { return path_less(a.path, b.path); });
  Amount have;
  size_t keep = 0;
  for (;
       keep < files.size() && have.results < options.max_results && have.bytes < options.max_bytes;
       ++keep)
    have.add(files[keep].matches, options);
  files.resize(keep);
  return have;
}

// Leaves out the lines past the last result that was asked for and the context after it.
void cut_lines(FileMatches& file, size_t most, size_t after) {
  size_t size = 0;
  std::uint64_t kept = 0;
  std::uint64_t last = 0;  // number of a line that is still shown
  for (; size < file.lines.size(); ++size) {
    const FileMatches::Line& line = file.lines[size];
    if (line.matches > 0 && kept >= most) break;
    kept += line.matches;
    if (line.is_match) last = line.number + after;
    if (kept >= most && line.number > last) break;
  }
  file.lines.resize(size);
  file.kept = kept;
}

class Search final : public Visitor {
 public:
  explicit Search(Shared& shared)
      : shared_(shared), scanner_(shared.matcher, shared.options.scan) {}

  Next visit(const Item& item) override {
    const GrepOptions& options = shared_.options;
    if (item.kind == sys::FileKind::directory && options.page) return enter_for_page(item.path);
    if (item.kind != sys::FileKind::file) return Next::go_on;
    if (options.types &&
        options.types->decide(Candidate(item.path, name_in(item.path), false)) != Verdict::matched)
      return Next::go_on;
    size_t skip = 0;
    if (options.page) {
      const auto on_page = options.page->find(item.path);
      if (on_page == options.page->end()) return Next::go_on;
      skip = on_page->second;
    }
    ++report_.files_wanted;
    std::span<const Part> parts = item.parts;
    FileStamp parts_of = item.parts_of ? *item.parts_of : FileStamp();
    if (options.narrowed) {
      if (look(item, parts_of) == Look::nowhere) return Next::go_on;
      parts = parts_;
    }
    if (item.contents && search_known(item, {skip, parts})) return conclude(item.path);
    const auto file =
        sys::open_beneath(item.directory, item.name, sys::Open::read, sys::Links::refuse);
    if (!file) return problem(item.path, file.error());
    // Read as a whole, it need not be read the next time.
    const FileStamp before = item.contents ? stamp_to_keep(*file) : kNeverFresh;
    if (before != kNeverFresh) parts = {};
    if (options.hard_links == HardLinks::skip || !parts.empty()) {
      const auto status = sys::status(*file);
      if (!status) return problem(item.path, status.error());
      if (options.hard_links == HardLinks::skip && status->links > 1)
        return problem(item.path, std::errc::permission_denied);
      if (parts_of == kNeverFresh || stamp_of(*status) != parts_of)
        parts = {};  // it has changed since the index was asked
    }
    const Next next = search(*file, item.path, skip, parts);
    if (before != kNeverFresh)
      // Some files hold more than they say, and something else each time.
      if (const auto text = scanner_.whole_text(); text && text->size() == before.size)
        item.contents->keep(item.name, before, *text, item.contents_moment);
    return next;
  }

  // Without lines for the first `skip` results.
  Next search(const sys::Fd& file, std::string_view path, size_t skip,
              std::span<const Part> parts = {}) {
    ++report_.files_searched;
    auto failure = scanner_.scan(file, matches_, {.skip = skip, .parts = parts});
    if (failure && failure->file) return problem(path, *failure->file);
    if (failure) note_undecided(path, std::move(*failure->pattern));
    return conclude(path);
  }

  // Of the first file whose search could not be ended.
  std::optional<Error>& error() { return error_; }
  GrepReport& report() { return report_; }

 private:
  // Only where files of the page are.
  Next enter_for_page(std::string_view directory) const {
    const std::string front = std::string(directory) + "/";
    const auto first = shared_.options.page->lower_bound(front);
    const bool is_needed = first != shared_.options.page->end() && first->first.starts_with(front);
    return is_needed ? Next::go_on : Next::skip;
  }

  // Searches what the file held, when it is still the same one. False when that is not known.
  bool search_known(const Item& item, const FileScanner::Wish& wish) {
    const auto status = sys::status_at(item.directory, item.name);
    if (!wish.parts.empty() && (!status || stamp_of(*status) != *item.parts_of)) return false;
    const Contents::Text text =
        status ? item.contents->find(item.name, stamp_of(*status)) : nullptr;
    if (!text) return false;
    ++report_.files_searched;
    auto failure = scanner_.scan(*text, matches_, wish);
    if (failure) note_undecided(item.path, std::move(*failure->pattern));
    return true;
  }

  static FileStamp stamp_to_keep(const sys::Fd& file) {
    const auto status = sys::status(file);
    return status && status->size <= kBuffer
               ? stamp_before_reading(*status, sys::RealClock().unix_ms())
               : kNeverFresh;
  }

  void note_undecided(std::string_view path, Error error) {
    ++report_.undecided_count;
    if (report_.undecided.size() < kMaxProblems) report_.undecided.emplace_back(path);
    if (!error_) error_ = std::move(error);
  }

  // Takes what was found in the file.
  Next conclude(std::string_view path) {
    if (matches_.interrupted) {
      report_.end = shared_.options.scan.stop.stop_requested() ? WalkReport::End::cancelled
                                                               : WalkReport::End::deadline;
    }
    // Who looks for the first match alone does not look what comes after it.
    const bool is_whole = shared_.options.scan.wanted != Wanted::presence;
    if (matches_.binary_at && shared_.options.scan.binary == Binary::skip && is_whole &&
        matches_.matches > 0)
      report_.binaries.emplace_back(path);
    const Next next = matches_.matches > 0 ? found(path) : Next::go_on;
    return report_.end == WalkReport::End::complete ? next : Next::stop;
  }

  // What the index says about the file, while it is still the one that the index knows.
  Look look(const Item& item, FileStamp& parts_of) {
    parts_.clear();
    const auto status = sys::status_at(item.directory, item.name);
    if (!status) return Look::at_all;
    parts_of = stamp_of(*status);
    path_ = shared_.options.below;
    if (!path_.empty()) path_ += '/';
    path_ += item.path;
    const auto known = shared_.options.narrowed->segments().find(path_, stamp_of(*status));
    if (!known) return Look::at_all;
    return shared_.options.narrowed->look(
        *known, {shared_.options.scan.before, shared_.options.scan.after}, parts_);
  }

  Next problem(std::string_view path, std::errc error) {
    // Gone since it was listed, or not a file any more: as if it had never been there.
    const bool is_no_file = error == std::errc::is_a_directory || error == std::errc::invalid_seek;
    if (is_gone(error) || is_no_file) return Next::go_on;
    ++report_.problem_count;
    if (report_.problems.size() < kMaxProblems)
      report_.problems.push_back({std::string(path), error});
    return Next::go_on;
  }

  Next found(std::string_view path) {
    const GrepOptions& options = shared_.options;
    ++report_.files_found;
    report_.matches += matches_.matches;
    const size_t results = results_of(matches_, options.scan.wanted);
    kept_.add(matches_, options);
    report_.files.push_back({std::string(path), std::exchange(matches_, {})});
    if (options.order == Order::none) {
      const size_t all = shared_.results.fetch_add(results, std::memory_order_relaxed) + results;
      return all >= options.max_results || kept_.bytes >= options.max_bytes ? Next::stop
                                                                            : Next::go_on;
    }
    if (kept_.results / 2 > options.max_results || kept_.bytes / 2 > options.max_bytes)
      kept_ = trim(report_.files, options);
    return Next::go_on;
  }

  Shared& shared_;
  FileScanner scanner_;
  FileMatches matches_;
  std::string path_;         // of the file at hand, below the index's root
  std::vector<Part> parts_;  // of it
  GrepReport report_;
  Amount kept_;
  std::optional<Error> error_;
};

void add(GrepReport& all, GrepReport&& part) {
  std::ranges::move(part.files, std::back_inserter(all.files));
  std::ranges::move(part.binaries, std::back_inserter(all.binaries));
  std::ranges::move(part.problems, std::back_inserter(all.problems));
  all.files_found += part.files_found;
  all.matches += part.matches;
  all.files_searched += part.files_searched;
  all.files_wanted += part.files_wanted;
  all.problem_count += part.problem_count;
  std::ranges::move(part.undecided, std::back_inserter(all.undecided));
  all.undecided_count += part.undecided_count;
  if (part.end != WalkReport::End::complete) all.end = part.end;
}

void finish(GrepReport& report, const GrepOptions& options) {
  const size_t most = options.max_results;
  trim(report.files, options);
  if (options.scan.wanted == Wanted::lines && !report.files.empty()) {
    size_t before = 0;
    for (size_t i = 0; i + 1 < report.files.size(); ++i)
      before += results_of(report.files[i].matches, Wanted::lines);
    cut_lines(report.files.back().matches, most - std::min(most, before), options.scan.after);
  }
  std::ranges::sort(report.problems, {}, &GrepReport::Problem::path);
  std::ranges::sort(report.binaries);
  std::ranges::sort(report.undecided);
  if (report.problems.size() > kMaxProblems) report.problems.resize(kMaxProblems);
  if (report.undecided.size() > kMaxProblems) report.undecided.resize(kMaxProblems);
}

Result<GrepReport> grep_once(const Matcher& matcher, GrepOptions options, const FileSource& files,
                             std::string_view path) {
  options.walk.batch = kFilesInARow;
  std::mutex large;
  options.scan.large = &large;
  Shared shared{matcher, options};
  std::vector<std::unique_ptr<Search>> searches;
  auto walked = files(options.walk, [&]() -> Visitor& {
    return *searches.emplace_back(std::make_unique<Search>(shared));
  });
  if (!walked) return sys::to_error(walked.error(), "search", path);
  GrepReport out{.files_seen = walked->files, .end = walked->end};
  out.problem_count = walked->unreadable_count;
  for (WalkReport::Unreadable& unreadable : walked->unreadable)
    out.problems.push_back({std::move(unreadable.path), unreadable.error});
  for (const std::unique_ptr<Search>& search : searches) {
    add(out, std::move(search->report()));
  }
  finish(out, options);
  return out;
}

// Where the results begin that were asked for: the files from there on, and how many results of
// each come before.
Page page_of(const std::vector<FoundFile>& files, size_t skip) {
  Page page;
  for (const FoundFile& file : files) {
    const size_t results = results_of(file.matches, Wanted::lines);
    const size_t before = std::min(skip, results);
    if (before < results) page.emplace(file.path, before);
    skip -= before;
  }
  return page;
}

GrepOptions bounded(GrepOptions options) {
  options.scan.most_kept = std::min(options.scan.most_kept, options.max_results);
  options.scan.most_bytes = options.max_bytes;
  return options;
}

}  // namespace

FileSource walk_of(const sys::Fd& directory) {
  return [&directory](const WalkOptions& options, const std::function<Visitor&()>& visitor) {
    return walk(directory, options, visitor);
  };
}

Result<GrepReport> grep(const Matcher& matcher, const GrepOptions& options, const FileSource& files,
                        std::string_view path) {
  if (options.skip == 0) return grep_once(matcher, bounded(options), files, path);
  // Only when all results are counted is it known which ones come first, and their lines need not
  // be kept for that.
  GrepOptions counting = options;
  counting.scan.most_kept = 0;
  counting.max_results += std::min(options.skip, SIZE_MAX - options.max_results);
  const bool has_lines = options.scan.wanted == Wanted::lines;
  if (const auto end = options.walk.deadline; end && has_lines) {  // some is for what is shown
    const auto now = std::chrono::steady_clock::now();
    counting.walk.deadline = counting.scan.deadline = now + (*end - now) * 2 / 3;
  }
  GrepReport out = TRY(grep_once(matcher, counting, files, path));
  if (!has_lines) {
    const size_t skipped = std::min(options.skip, out.files.size());
    out.files.erase(out.files.begin(), out.files.begin() + static_cast<std::ptrdiff_t>(skipped));
    return out;
  }
  const Page page = page_of(out.files, options.skip);
  GrepOptions showing = bounded(options);
  showing.page = &page;
  GrepReport shown = TRY(grep_once(matcher, showing, files, path));
  out.files = std::move(shown.files);
  if (out.end == WalkReport::End::complete) out.end = shown.end;
  return out;
}

Result<GrepReport> grep_file(const Matcher& matcher, const GrepOptions& options,
                             const sys::Fd& file, std::string_view path) {
  GrepOptions full = bounded(options);
  full.scan.binary = Binary::report;
  Shared shared{matcher, full};
  Search search(shared);
  search.search(file, path, options.skip);
  if (search.error()) return std::move(*search.error());
  GrepReport out;
  add(out, std::move(search.report()));
  finish(out, full);
  return out;
}

}  // namespace helve::search
