#include "search/index.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/quick_hash.h"
#include "sys/directory.h"
#include "sys/file.h"

namespace helve::search {
namespace {

constexpr std::string_view kSuffix = ".segment";
constexpr const char* kLock = "lock";
constexpr const char* kRoot = "root";  // the path of the tree, for people
constexpr size_t kMaxRootPath = 8192;
constexpr auto kLongestWait = std::chrono::milliseconds(100);

std::optional<std::uint64_t> number_of(std::string_view name) {
  if (!name.ends_with(kSuffix)) return {};
  name.remove_suffix(kSuffix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

// The names of the segments, the oldest first.
std::vector<std::string> segment_names(const sys::Fd& directory) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (const auto number = number_of(entry.name)) found.emplace_back(*number, entry.name);
    return true;
  });
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (auto& [number, name] : found) names.push_back(std::move(name));
  return names;
}

// What builders left that were killed. The lock is held, so none is at work.
void remove_leftovers(const sys::Fd& directory) {
  std::vector<std::string> names;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!number_of(entry.name) && entry.name != kLock && entry.name != kRoot)
      names.emplace_back(entry.name);
    return true;
  });
  for (const std::string& name : names) (void)sys::remove_file_at(directory, name);
}

// Indexes of trees that are gone, beside this one.
void remove_orphans(const std::string& directory) {
  const std::string all = directory.substr(0, directory.rfind('/'));
  const auto opened = sys::open_directory(all);
  if (!opened) return;
  std::vector<std::string> names;
  (void)sys::for_each_entry(*opened, [&](const sys::DirectoryEntry& entry) {
    if (entry.kind == sys::FileKind::directory) names.emplace_back(entry.name);
    return true;
  });
  for (const std::string& name : names) {
    const std::string path = all + "/" + name;
    const Result<std::string> root = sys::read_file(path + "/" + kRoot, kMaxRootPath);
    if (!root || root->empty()) continue;
    if (sys::status_of(root->substr(0, root->size() - 1))) continue;
    const Result<sys::Fd> lock = sys::lock_file(path + "/" + kLock, std::chrono::milliseconds(0));
    const auto orphan = sys::open_directory(path);
    if (!lock || !orphan) continue;
    remove_leftovers(*orphan);
    for (const std::string& segment : segment_names(*orphan))
      (void)sys::remove_file_at(*orphan, segment);
    for (const char* last : {kRoot, kLock}) (void)sys::remove_file_at(*orphan, last);
    (void)sys::remove_directory_at(*opened, name);
  }
}

}  // namespace

std::optional<FileRef> Segments::find(std::string_view path, const FileStamp& now) const {
  for (size_t i = segments_.size(); i-- > 0;) {
    const auto file = segments_[i]->find(path);
    if (!file) continue;
    if (now == kNeverFresh || segments_[i]->stamp(*file) != now) return {};
    return FileRef{static_cast<std::uint32_t>(i), *file};
  }
  return {};
}

Index::Index(std::string directory, std::string root)
    : directory_(std::move(directory)),
      root_(std::move(root)),
      segments_(std::make_shared<Segments>(std::vector<std::shared_ptr<const Segment>>())) {}

std::string Index::name_for(std::string_view root) {
  const Hash128 hash = quick_hash_128(root);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::shared_ptr<const Segments> Index::segments() const {
  std::lock_guard lock(mutex_);
  return segments_;
}

std::shared_ptr<const Segments> Index::open() {
  std::vector<std::shared_ptr<const Segment>> opened;
  if (const auto directory = sys::open_directory(directory_)) {
    for (const std::string& name : segment_names(*directory)) {
      auto segment = Segment::open(*directory, name);
      // Without one of them older ones would be believed about files that it knows better.
      if (!segment) {
        opened.clear();
        break;
      }
      opened.push_back(std::move(*segment));
    }
  }
  auto segments = std::make_shared<const Segments>(std::move(opened));
  std::lock_guard lock(mutex_);
  segments_ = std::move(segments);
  return segments_;
}

Result<Index::Locked> Index::lock() const {
  TRY(sys::make_directories(directory_, 0700));
  sys::Fd lock = TRY(sys::lock_file(directory_ + "/" + kLock, kLongestWait));
  auto directory = sys::open_directory(directory_);
  if (!directory) return sys::to_error(directory.error(), "open", directory_);
  remove_leftovers(*directory);
  std::vector<std::string> names = segment_names(*directory);
  return Locked{std::move(*directory), std::move(lock), std::move(names)};
}

Result<Built> Index::add(const sys::Fd& root, std::span<const std::string> paths,
                         const BuildOptions& options, bool keep_others) {
  const Locked locked = TRY(lock());
  const std::uint64_t last = locked.names.empty() ? 0 : number_of(locked.names.back()).value_or(0);
  TRY(sys::replace_file(directory_ + "/" + kRoot, root_ + "\n", 0600));
  const Built built = TRY(build_segment(root, paths, locked.directory,
                                        fmt::format("{}{}", last + 1, kSuffix), options));
  if (!keep_others) {
    for (const std::string& name : locked.names) (void)sys::remove_file_at(locked.directory, name);
    remove_orphans(directory_);
  }
  open();
  return built;
}

Result<Built> Index::build(const sys::Fd& root, std::span<const std::string> paths,
                           const BuildOptions& options) {
  return add(root, paths, options, false);
}

Result<Built> Index::update(const sys::Fd& root, std::span<const std::string> paths,
                            const BuildOptions& options) {
  return add(root, paths, options, true);
}

Result<void> Index::drop() {
  const Locked locked = TRY(lock());
  for (const std::string& name : locked.names) {
    if (const auto removed = sys::remove_file_at(locked.directory, name); !removed)
      return sys::to_error(removed.error(), "remove", directory_ + "/" + name);
  }
  (void)sys::remove_file_at(locked.directory, kRoot);
  open();
  return {};
}

}  // namespace helve::search
