// The part of search/index_live.h that answers questions.
#include <algorithm>
#include <ranges>

#include "search/index_live.h"

namespace helve::search {

bool LiveIndex::start(const WalkOptions& limits) {
  std::lock_guard lock(mutex_);
  return refresh(limits);
}

std::optional<WalkReport> LiveIndex::visit_files(std::string_view directory,
                                                 const WalkOptions& options,
                                                 const FileVisit& visit) {
  if (is_walking_) return {};
  std::lock_guard lock(mutex_);
  if (!refresh(options) || !watched_.contains(directory)) return {};
  const size_t prefix = directory.empty() ? 0 : directory.size() + 1;
  const auto consider = [&](std::string_view path, const FileStamp& stamp) {
    const std::string_view shown = path.substr(prefix);
    if (options.globs && !options.globs->shows(shown)) return;
    std::int64_t modified_ns = stamp.modified_ns;
    if (stamp == kNeverFresh) {
      const auto now = sys::status_at(root_, path);
      modified_ns = now ? now->modified_ns : 0;
    }
    visit(shown, modified_ns);
  };
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    const std::vector<bool>& known = known_[i];
    const std::vector<PathEnd>& ends = ends_[i];
    const auto [first, end] = segment.below(directory);
    for (std::uint32_t file = first; file < end; ++file) {
      // Most files of a tree are decided here, without a look at their paths.
      if (options.globs && !options.globs->may_end_in(ends[file])) continue;
      if (known[file]) consider(segment.path(file), segment.stamp(file));
    }
  }
  for (const auto& [path, stamp] : part_of(loose_, directory)) consider(path, stamp);
  return report_on(directory);
}

WalkReport LiveIndex::report_on(std::string_view directory) const {
  WalkReport report;
  for (WalkReport::Unreadable each : unreadable_) {
    if (!is_below(directory, each.path)) continue;
    if (!directory.empty()) each.path.erase(0, directory.size() + 1);
    report.unreadable.push_back(std::move(each));
  }
  report.unreadable_count = directory.empty() ? unreadable_count_ : report.unreadable.size();
  return report;
}

Result<std::optional<AllToSearch>> LiveIndex::files(std::string_view directory,
                                                    const Required& required, Together together,
                                                    const Around& around,
                                                    const WalkOptions& options) {
  if (is_walking_) return std::optional<AllToSearch>();
  std::lock_guard lock(mutex_);
  if (!refresh(options) || !watched_.contains(directory)) return std::optional<AllToSearch>();
  std::vector<ToSearch> out;
  const std::optional<Narrowed> narrowed = TRY(Narrowed::make(segments_, required, together));
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    const auto add = [&](std::uint32_t file) {
      if (!known_[i][file] || !is_below(directory, segment.path(file))) return;
      ToSearch next{.path = std::string(segment.path(file))};
      if (narrowed)
        next.look = narrowed->look({static_cast<std::uint32_t>(i), file}, around, next.parts);
      next.stamp = segment.stamp(file);
      out.push_back(std::move(next));
    };
    if (narrowed)
      std::ranges::for_each(narrowed->files(i), add);
    else
      for (std::uint32_t file = 0; file < segment.file_count(); ++file) add(file);
  }
  const size_t from_index = out.size();
  for (const auto& [path, stamp] : part_of(loose_, directory)) out.push_back({.path = path});
  const bool overrides = options.globs && options.glob_use == GlobUse::overriding;
  if (overrides && !add_left_out(directory, *options.globs, out))
    return std::optional<AllToSearch>();
  // Mostly in order: one segment, and a few loose files.
  if (segments_->size() > 1 || out.size() > from_index)
    std::ranges::sort(out, path_less, &ToSearch::path);
  AllToSearch all{
      .files = std::move(out), .report = report_on(directory), .to_update = count_to_update()};
  if (is_small()) {
    all.contents = contents_;
    all.contents_moment = contents_->moment();
  }
  return std::optional(std::move(all));
}

bool LiveIndex::is_small() const {
  std::uint64_t bytes = 0;
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    bytes += segment.text_bytes() + segment.file_count() * Contents::kOverhead;
  }
  return bytes <= Contents::kMostBytes;
}

bool LiveIndex::add_left_out(std::string_view directory, const GlobSet& globs,
                             std::vector<ToSearch>& out) const {
  if (!globs.has_includes()) return true;
  const size_t prefix = directory.empty() ? 0 : directory.size() + 1;
  for (const auto& [path, kind] : part_of(left_out_, directory)) {
    const std::string_view shown = std::string_view(path).substr(prefix);
    if (kind == sys::FileKind::directory) {
      const Candidate candidate(shown, shown.substr(shown.rfind('/') + 1), true);
      if (globs.decide(candidate) == Verdict::matched) return false;
    } else if (globs.shows(shown)) {
      out.push_back({.path = path});
    }
  }
  return true;
}

LiveIndex::Counts LiveIndex::counts() const {
  std::lock_guard lock(mutex_);
  Counts counts{
      .loose = loose_.size(), .to_update = count_to_update(), .watches = directories_.size()};
  for (const std::vector<bool>& known : known_)
    counts.known += static_cast<size_t>(std::ranges::count(known, true));
  return counts;
}

std::vector<std::string> LiveIndex::files_to_update() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> paths;
  for (const auto& [path, stamp] : loose_)
    if (stamp != kNeverFresh) paths.push_back(path);
  return paths;
}

size_t LiveIndex::count_to_update() const {
  return static_cast<size_t>(
      std::ranges::count_if(loose_, [](const auto& file) { return file.second != kNeverFresh; }));
}

std::vector<std::string> LiveIndex::all_files() const {
  std::lock_guard lock(mutex_);
  const auto paths = std::views::keys(loose_);
  std::vector<std::string> all(paths.begin(), paths.end());
  for (size_t i = 0; i < known_.size(); ++i) {
    for (std::uint32_t file = 0; file < known_[i].size(); ++file)
      if (known_[i][file]) all.emplace_back((*segments_)[i].path(file));
  }
  std::ranges::sort(all, path_less);
  return all;
}

}  // namespace helve::search
