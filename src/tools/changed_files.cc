#include "tools/changed_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace helve::tools {
namespace {

using search::Sight;
using search::Sighting;
using sys::FileKind;

std::string_view word_for(ChangeOfFile change) {
  constexpr std::string_view kWords[] = {"created", "changed", "removed", "renamed", "mode of"};
  return kWords[static_cast<size_t>(change)];
}

bool has_same_content(const Sight& a, const Sight& b) {
  return a.status.kind == b.status.kind && a.status.same_file(b.status) &&
         (a.is_directory() ||
          (a.status.size == b.status.size && a.status.modified_ns == b.status.modified_ns &&
           a.target == b.target));
}

class Summary {
 public:
  Summary(const std::vector<Sighting>& sightings, const workspace::Workspace& files)
      : files_(files) {
    find_moves(sightings);
    for (const Sighting& each : sightings) add(each);
  }
  std::vector<ChangedFile> take() { return std::move(out_); }

 private:
  void find_moves(const std::vector<Sighting>& sightings) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, const Sighting*> gone;
    for (const Sighting& each : sightings) {
      if (!each.after) gone[{each.before->status.device, each.before->status.inode}] = &each;
    }
    for (const Sighting& each : sightings) {
      if (each.before) continue;
      const auto from = gone.find({each.after->status.device, each.after->status.inode});
      if (from == gone.end() || !has_same_content(*from->second->before, *each.after)) continue;
      from_[each.path] = from->second->path;
      moved_.insert(from->second->path);
    }
  }

  // The directory that stands for the path, when it came or went with one.
  ChangedFile* around(const std::string& path, const std::map<std::string, size_t>& directories) {
    for (size_t end = path.rfind('/'); end != 0 && end != path.npos;
         end = path.rfind('/', end - 1)) {
      const auto found = directories.find(path.substr(0, end));
      if (found != directories.end()) return &out_[found->second];
    }
    return nullptr;
  }

  void add(const Sighting& each) {
    if (!each.before) return add_new(each);
    if (!each.after) return add_old(each);
    const bool same_content = has_same_content(*each.before, *each.after);
    const bool same_mode = each.before->status.mode == each.after->status.mode;
    // Another name for it came or went.
    if (same_content && same_mode && each.before->status.links != each.after->status.links) return;
    put(each.path, same_content && !same_mode ? ChangeOfFile::mode : ChangeOfFile::changed,
        *each.after);
  }

  void add_new(const Sighting& each) {
    const auto from = from_.find(each.path);
    if (from == from_.end()) {
      if (ChangedFile* directory = around(each.path, created_))
        return count(*directory, *each.after);
      put(each.path, ChangeOfFile::created, *each.after);
      if (each.after->is_directory()) created_[each.path] = out_.size() - 1;
      return;
    }
    // With its directory, by the same name.
    const auto parent = renamed_.find(each.path.substr(0, each.path.rfind('/')));
    const bool goes_along = parent != renamed_.end() &&
                            from->second == parent->second + each.path.substr(parent->first.size());
    if (each.after->is_directory()) renamed_[each.path] = from->second;
    if (goes_along) return;
    put(each.path, ChangeOfFile::renamed, *each.after);
    out_.back().from = shown(from->second);
  }

  void add_old(const Sighting& each) {
    if (moved_.contains(each.path)) return;
    if (ChangedFile* directory = around(each.path, removed_))
      return count(*directory, *each.before);
    put(each.path, ChangeOfFile::removed, *each.before);
    if (each.before->is_directory()) removed_[each.path] = out_.size() - 1;
  }

  static void count(ChangedFile& directory, const Sight& sight) {
    if (!sight.is_directory()) directory.files = directory.files.value_or(0) + 1;
  }

  void put(const std::string& path, ChangeOfFile change, const Sight& sight) {
    out_.push_back({.path = shown(path), .change = change, .kind = kind_of(sight.status.kind)});
  }
  std::string shown(const std::string& path) const {
    return escape_invalid_utf8(files_.display(path));
  }

  const workspace::Workspace& files_;
  std::map<std::string, std::string> from_;          // by what it is called now
  std::set<std::string> moved_;                      // from there
  std::map<std::string, std::string> renamed_;       // directories, by what they are called now
  std::map<std::string, size_t> created_, removed_;  // directories, and which of out_ they are
  std::vector<ChangedFile> out_;
};

}  // namespace

KindOfFile kind_of(FileKind kind) {
  switch (kind) {
    case FileKind::file:
      return KindOfFile::file;
    case FileKind::directory:
      return KindOfFile::directory;
    case FileKind::symlink:
      return KindOfFile::symlink;
    default:
      return KindOfFile::other;
  }
}

std::vector<ChangedFile> changed_files(const std::vector<Sighting>& sightings,
                                       const workspace::Workspace& files) {
  return Summary(sightings, files).take();
}

std::string text_of(const std::vector<ChangedFile>& files) {
  std::string out;
  for (const ChangedFile& file : files) {
    out += fmt::format("{} {}", word_for(file.change), escape_for_display(file.path));
    if (file.kind == KindOfFile::directory) out += '/';
    if (file.kind == KindOfFile::symlink) out += " (symlink)";
    if (file.files) out += fmt::format(" ({} file{})", *file.files, *file.files == 1 ? "" : "s");
    if (file.added.value_or(0) > 0 || file.removed.value_or(0) > 0)
      out += fmt::format(" (+{} -{})", file.added.value_or(0), file.removed.value_or(0));
    if (file.old_mode && file.new_mode)
      out += fmt::format(" ({}{} -> {})", file.change == ChangeOfFile::mode ? "" : "mode ",
                         *file.old_mode, *file.new_mode);
    out += '\n';
  }
  return out;
}

std::string short_text(const ChangedFile& file) {
  constexpr std::string_view kLetters = "AMDRM";
  const std::string_view slash = file.kind == KindOfFile::directory ? "/" : "";
  std::string out = fmt::format("{} ", kLetters[static_cast<size_t>(file.change)]);
  if (file.from) out += fmt::format("{}{} -> ", escape_for_display(*file.from), slash);
  out += fmt::format("{}{}", escape_for_display(file.path), slash);
  if (file.change == ChangeOfFile::mode) out += " (mode)";
  if (file.files) out += fmt::format(" ({} file{})", *file.files, *file.files == 1 ? "" : "s");
  return out;
}

}  // namespace helve::tools
