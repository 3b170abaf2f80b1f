#include "knowledge/memory_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <type_traits>

#include "base/text.h"
#include "sys/directory.h"

namespace helve::knowledge {
namespace {

using sys::FileKind;
using sys::FileStatus;

constexpr std::string_view kTopFiles[] = {"MEMORY.md", "memory.md", ".helve/MEMORY.md"};
constexpr std::string_view kDirectory = "memory";
// File systems count time in steps, some of them in steps of two seconds: two changes within one
// look like one.
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kTimeStepNs = kSecondNs / 20;
constexpr std::int64_t kCoarseTimeStepNs = 21 * kSecondNs / 10;

bool is_same(const NoteStamp& known, const FileStatus& now) {
  return known.device == now.device && known.inode == now.inode && known.size == now.size &&
         known.modified_ns == now.modified_ns && known.changed_ns == now.changed_ns;
}

NoteStamp stamp_of(const FileStatus& status, const Hash128& content, std::int64_t now_ns) {
  const bool is_coarse = status.changed_ns % kSecondNs == 0;
  const std::int64_t step = is_coarse ? kCoarseTimeStepNs : kTimeStepNs;
  const bool is_fresh = status.changed_ns > now_ns - step;
  return {.device = status.device,
          .inode = status.inode,
          .size = status.size,
          .modified_ns = status.modified_ns,
          .changed_ns = is_fresh ? 0 : status.changed_ns,
          .content = content};
}

bool is_missing(std::errc number) {
  return number == std::errc::no_such_file_or_directory || number == std::errc::not_a_directory;
}

struct Content {
  std::string text;
  FileStatus status;
};

sys::OrErrno<Content> read_content(const sys::Fd& root, std::string_view path) {
  const auto file = sys::open_beneath(root, path, sys::Open::itself, sys::Links::refuse);
  if (!file) return std::unexpected(file.error());
  const auto status = sys::status(*file);
  if (!status) return std::unexpected(status.error());
  if (status->kind != FileKind::file) return std::unexpected(std::errc::invalid_argument);
  if (status->size > kMaxMemoryFileBytes) return std::unexpected(std::errc::file_too_large);
  Content content{.text = std::string(status->size, '\0'), .status = *status};
  const auto read = sys::read_at(*file, content.text, 0);
  if (!read) return std::unexpected(read.error());
  content.text.resize(*read);
  return content;
}

std::string too_large(std::uint64_t bytes) {
  return fmt::format("it has {}, and a note may have {}", human_size(bytes),
                     human_size(kMaxMemoryFileBytes));
}

}  // namespace

std::string NoteStamp::bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }

std::optional<NoteStamp> NoteStamp::of(std::string_view bytes) {
  static_assert(std::has_unique_object_representations_v<NoteStamp>);
  NoteStamp stamp;
  if (bytes.size() != sizeof stamp) return {};
  std::memcpy(&stamp, bytes.data(), sizeof stamp);
  return stamp;
}

bool is_memory_path(std::string_view path) {
  if (std::ranges::find(kTopFiles, path) != std::end(kTopFiles)) return true;
  if (path.find('\0') != path.npos) return false;
  const std::vector<std::string_view> parts = split(path, '/');
  return parts.size() > 1 && parts[0] == kDirectory &&
         std::ranges::none_of(parts, [](std::string_view part) {
           return part.empty() || part == "." || part == "..";
         });
}

// Finds all notes with their status.
class MemoryFiles::Walk {
 public:
  struct Found {
    std::string path;
    FileStatus status;
  };

  Walk(const sys::Fd& root, size_t max_names, Changes& changes, const std::stop_token& stop)
      : root_(root), max_names_(max_names), changes_(changes), stop_(stop) {}

  std::vector<Found> run() {
    for (const std::string_view path : kTopFiles) look_at_top(std::string(path));
    const auto directory =
        sys::open_beneath(root_, kDirectory, sys::Open::directory, sys::Links::refuse);
    if (directory)
      enter(*directory, std::string(kDirectory), 1);
    else if (!is_missing(directory.error()))
      leave_out("memory/", directory.error());
    if (left_out_ > 0)
      changes_.problems.push_back(
          fmt::format("{} more notes are left out: there may be {}", left_out_, kMaxMemoryFiles));
    changes_.is_stopped = stop_.stop_requested();
    return std::move(found_);
  }

 private:
  void look_at_top(std::string path) {
    const auto status = sys::status_at(root_, path);
    if (!status) {
      if (!is_missing(status.error())) leave_out(path, status.error());
      return;
    }
    // A file system without case knows one file by both names.
    const bool is_known = std::ranges::any_of(
        found_, [&](const Found& each) { return each.status.same_file(*status); });
    if (!is_known) add(std::move(path), *status);
  }

  void enter(const sys::Fd& directory, const std::string& path, int depth) {
    std::vector<std::string> names;
    bool is_cut = false;
    const auto listed = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
      if (!may_matter(entry)) return !stop_.stop_requested();
      is_cut = names.size() == max_names_;
      if (!is_cut) names.emplace_back(entry.name);
      return !is_cut && !stop_.stop_requested();
    });
    if (!listed) return leave_out(path + "/", listed.error());
    if (is_cut)
      changes_.problems.push_back(
          fmt::format("a part of {}/ is left out: it has more than {} notes and directories",
                      escape_for_display(path), max_names_));
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (stop_.stop_requested()) return;
      look_at(directory, name, path + "/" + name, depth);
    }
  }

  // A note, a directory, or a link, which is named because it is not followed.
  static bool may_matter(const sys::DirectoryEntry& entry) {
    if (entry.name.starts_with('.')) return false;
    return entry.name.ends_with(".md") || !entry.kind || *entry.kind == FileKind::directory ||
           *entry.kind == FileKind::symlink;
  }

  void look_at(const sys::Fd& directory, const std::string& name, std::string path, int depth) {
    const auto status = sys::status_at(directory, name);
    if (!status) return;  // gone meanwhile
    if (status->kind == FileKind::directory) {
      if (depth == kMaxMemoryDepth)
        return leave_out(path + "/", fmt::format("it is more than {} deep", kMaxMemoryDepth));
      const auto inner =
          sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
      if (!inner) return leave_out(path + "/", inner.error());
      return enter(*inner, path, depth + 1);
    }
    const bool is_link = status->kind == FileKind::symlink;
    if (name.ends_with(".md") || is_link) add(std::move(path), *status);
  }

  void add(std::string path, const FileStatus& status) {
    // Nobody could name it to read it.
    if (!is_utf8(path)) return leave_out(path, "its name is not UTF-8");
    if (status.kind == FileKind::symlink) return leave_out(path, "links are not followed");
    if (status.kind != FileKind::file) return leave_out(path, "it is no file");
    if (status.size > kMaxMemoryFileBytes) return leave_out(path, too_large(status.size));
    if (found_.size() == kMaxMemoryFiles)
      ++left_out_;
    else
      found_.push_back({std::move(path), status});
  }

  void leave_out(const std::string& path, std::string_view why) {
    changes_.problems.push_back(fmt::format("{} is left out: {}", escape_for_display(path), why));
  }
  void leave_out(const std::string& path, std::errc why) { leave_out(path, sys::reason_of(why)); }

  const sys::Fd& root_;
  const size_t max_names_;
  Changes& changes_;
  const std::stop_token& stop_;
  std::vector<Found> found_;
  size_t left_out_ = 0;
};

MemoryFiles::Changes MemoryFiles::sync(std::int64_t now_ns, const Put& put,
                                       const std::stop_token& stop) {
  Changes changes;
  const std::vector<Walk::Found> found = Walk(root_, max_names_, changes, stop).run();
  if (changes.is_stopped) return changes;
  std::set<std::string_view> paths;
  for (const Walk::Found& each : found) paths.insert(each.path);
  for (auto file = files_.begin(); file != files_.end();) {
    const auto here = file++;
    if (paths.contains(here->first)) continue;
    changes.removed.push_back(here->first);
    drop(here);
  }
  std::vector<const Walk::Found*> changed;
  for (const Walk::Found& each : found) {
    const auto known = files_.find(each.path);
    if (known == files_.end() || !is_same(known->second, each.status)) changed.push_back(&each);
  }
  for (size_t i = 0; i < changed.size() && !changes.is_stopped; ++i) {
    changes.is_stopped = stop.stop_requested();
    if (changes.is_stopped) break;
    std::optional<Note> note = take(changed[i]->path, changed[i]->status, now_ns, changes);
    if (!note) continue;
    const NoteStamp stamp = note->stamp;
    changes.is_stopped = !put(std::move(*note), i, changed.size());
    if (!changes.is_stopped) remember(changed[i]->path, stamp);
  }
  return changes;
}

void MemoryFiles::remember(std::string path, const NoteStamp& stamp) {
  bytes_ += stamp.size;
  files_[std::move(path)] = stamp;
}

std::optional<MemoryFiles::Note> MemoryFiles::take(const std::string& path,
                                                   const FileStatus& status, std::int64_t now_ns,
                                                   Changes& changes) {
  const auto known = files_.find(path);
  const std::uint64_t others = bytes_ - (known == files_.end() ? 0 : known->second.size);
  sys::OrErrno<Content> content = std::unexpected(std::errc::not_enough_memory);
  if (others + status.size <= kMaxMemoryBytes) content = read_content(root_, path);
  ++reads_;
  if (!content) {
    const bool is_full = content.error() == std::errc::not_enough_memory;
    changes.problems.push_back(fmt::format(
        "{} is left out: {}", escape_for_display(path),
        is_full ? fmt::format("all notes together may have {}", human_size(kMaxMemoryBytes))
                : sys::reason_of(content.error())));
    if (known == files_.end()) return {};
    changes.removed.push_back(path);
    drop(known);
    return {};
  }
  const NoteStamp stamp = stamp_of(content->status, quick_hash_128(content->text), now_ns);
  const bool is_known = known != files_.end() && known->second.content == stamp.content;
  if (known != files_.end()) drop(known);
  if (!is_known) return Note{path, std::move(content->text), stamp};
  remember(path, stamp);
  changes.restamped.push_back(path);
  return {};
}

void MemoryFiles::drop(std::map<std::string, NoteStamp>::iterator file) {
  bytes_ -= file->second.size;
  files_.erase(file);
}

Result<std::string> MemoryFiles::read(std::string_view path) const {
  sys::OrErrno<Content> content = read_content(root_, path);
  if (content) return std::move(content->text);
  if (content.error() == std::errc::too_many_symbolic_link_levels)
    return Error{Code::denied,
                 fmt::format("'{}' is a link, or lies behind one", escape_for_display(path)),
                 "memory follows no links: put the note itself there", "link_refused"};
  if (content.error() == std::errc::invalid_argument)
    return Error{Code::unsupported, fmt::format("'{}' is no file", escape_for_display(path)),
                 "notes are regular files", "not_a_file"};
  if (content.error() == std::errc::file_too_large)
    return Error{Code::too_large,
                 fmt::format("'{}' is too large: a note may have {}", escape_for_display(path),
                             human_size(kMaxMemoryFileBytes)),
                 "split it"};
  return sys::to_error(content.error(), "read", path);
}

}  // namespace helve::knowledge
