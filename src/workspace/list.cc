// The part of Workspace that lists: ls, the walk behind resources, completion of paths.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "sys/directory.h"
#include "workspace/path.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxNames = 100'000;  // of one directory that are kept in memory
constexpr int kMaxDepth = 64;          // of the walk: one open descriptor each

struct Name {
  std::string text;
  std::optional<sys::FileKind> kind;
  bool operator<(const Name& other) const { return text < other.text; }
};
struct Names {
  std::vector<Name> sorted;  // the first ones, bytewise
  std::uint64_t total = 0;
};

// Keeps `keep` names however many there are.
sys::OrErrno<Names> read_names(const sys::Fd& directory, size_t keep, const std::stop_token& stop,
                               const std::function<bool(const sys::DirectoryEntry&)>& wanted) {
  Names names;
  const auto drop_last = [&] {
    if (names.sorted.size() <= keep) return;
    std::nth_element(names.sorted.begin(), names.sorted.begin() + keep, names.sorted.end());
    names.sorted.resize(keep);
  };
  const auto read = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!wanted(entry)) return true;
    ++names.total;
    names.sorted.push_back({std::string(entry.name), entry.kind});
    if (names.sorted.size() >= 2 * keep + 64) drop_last();
    return !stop.stop_requested();
  });
  if (!read) return std::unexpected(read.error());
  drop_last();
  std::sort(names.sorted.begin(), names.sorted.end());
  return names;
}

bool is_hidden(std::string_view name) { return name.starts_with('.'); }

Entry describe(const sys::Fd& directory, const std::string& name, const sys::FileStatus& status) {
  Entry entry{.path = name, .kind = status.kind, .size = status.size};
  if (status.kind == sys::FileKind::symlink) {
    if (auto target = sys::read_link_at(directory, name)) entry.target = std::move(*target);
  }
  return entry;
}

// Fills a listing, depth first.
class Lister {
 public:
  Lister(const ListOptions& options, Listing& listing) : options_(options), listing_(listing) {}

  // Fails when the directory itself cannot be read; what lies deeper is noted in the listing.
  sys::OrErrno<void> visit(const sys::Fd& directory, const std::string& prefix, int depth) {
    const auto names = read_names(
        directory, options_.limit - listing_.entries.size(), options_.stop,
        [&](const sys::DirectoryEntry& entry) { return is_wanted(directory, prefix, entry); });
    if (!names) return std::unexpected(names.error());
    listing_.total += names->total;
    if (names->sorted.size() < names->total) listing_.complete = false;
    for (const Name& name : names->sorted) {
      if (options_.stop.stop_requested()) break;
      if (listing_.entries.size() >= options_.limit) {
        listing_.complete = false;
        break;
      }
      add(directory, prefix, name, depth);
    }
    return {};
  }

 private:
  bool is_wanted(const sys::Fd& directory, const std::string& prefix,
                 const sys::DirectoryEntry& entry) const {
    if (options_.hidden == Hidden::skip && is_hidden(entry.name)) return false;
    if (!options_.leaves_out) return true;
    auto kind = entry.kind;
    if (!kind) {
      if (const auto status = sys::status_at(directory, entry.name)) kind = status->kind;
    }
    return !options_.leaves_out(prefix + std::string(entry.name), kind == sys::FileKind::directory);
  }

  void add(const sys::Fd& directory, const std::string& prefix, const Name& listed, int depth) {
    const std::string& name = listed.text;
    auto status = sys::status_at(directory, name);
    if (!status && status.error() == std::errc::no_such_file_or_directory) {
      --listing_.total;  // gone since its name was read
      return;
    }
    // In a directory that may be listed but not entered there are names alone.
    if (!status) status = sys::FileStatus{.kind = listed.kind.value_or(sys::FileKind::file)};
    Entry entry = describe(directory, name, *status);
    entry.path.insert(0, prefix);
    listing_.entries.push_back(std::move(entry));
    if (status->kind != sys::FileKind::directory || depth >= options_.depth || name == ".git")
      return;
    const std::string path = prefix + name;
    if (listing_.entries.size() >= options_.limit) {
      listing_.complete = false;
      return;
    }
    const auto inner = sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
    if (!inner || !visit(*inner, path + "/", depth + 1)) listing_.unreadable.push_back(path);
  }

  const ListOptions& options_;
  Listing& listing_;
};

// Collects regular files, depth first, after a cursor.
class Collector {
 public:
  Collector(size_t limit, const std::stop_token& stop) : limit_(limit), stop_(stop) {}

  // `cursor` is what remains of it below this directory; empty: everything here comes after it.
  sys::OrErrno<void> visit(const sys::Fd& directory, const std::string& prefix,
                           std::string_view cursor, int depth) {
    const std::string_view first = cursor.substr(0, cursor.find('/'));
    const std::string_view rest = cursor.substr(std::min(first.size() + 1, cursor.size()));
    const auto names =
        read_names(directory, kMaxNames, stop_, [&](const sys::DirectoryEntry& entry) {
          return !is_hidden(entry.name) && entry.name >= first;
        });
    if (!names) return std::unexpected(names.error());
    for (const Name& name : names->sorted) {
      if (files_.size() >= limit_ || stop_.stop_requested()) break;
      const bool on_cursor = !first.empty() && name.text == first;
      add(directory, prefix, name, on_cursor, on_cursor ? rest : std::string_view(), depth);
    }
    return {};
  }

  std::vector<FileInfo> take() { return std::move(files_); }

 private:
  void add(const sys::Fd& directory, const std::string& prefix, const Name& name, bool on_cursor,
           std::string_view rest, int depth) {
    if (name.kind && *name.kind != sys::FileKind::directory &&
        (on_cursor || *name.kind != sys::FileKind::file)) {
      return;
    }
    const auto status = sys::status_at(directory, name.text);
    if (!status) return;
    if (status->kind == sys::FileKind::file && !on_cursor) {
      files_.push_back({prefix + name.text, status->size, status->modified_ms()});
    } else if (status->kind == sys::FileKind::directory && depth < kMaxDepth) {
      const auto inner =
          sys::open_beneath(directory, name.text, sys::Open::directory, sys::Links::refuse);
      if (inner) (void)visit(*inner, prefix + name.text + "/", rest, depth + 1);
    }
  }

  size_t limit_;
  const std::stop_token& stop_;
  std::vector<FileInfo> files_;
};

}  // namespace

Result<sys::Fd> Workspace::open_directory(std::string_view path) const {
  const Place place = TRY(locate(path));
  TRY(check_root(*place.root));  // a search that finds nothing there would not be true
  auto directory = sys::open_beneath(place.root->directory, place.path, sys::Open::directory);
  if (!directory) return failed(directory.error(), "search", place);
  return std::move(*directory);
}

Result<Listing> Workspace::list(std::string_view path, const ListOptions& options) const {
  const Place place = TRY(locate(path));
  Listing listing;
  const auto directory = sys::open_beneath(place.root->directory, place.path, sys::Open::directory);
  if (directory) {
    const auto read = Lister(options, listing).visit(*directory, "", 1);
    if (!read) return failed(read.error(), "list", place);
    if (listing.total == 0) TRY(check_root(*place.root));
    return listing;
  }
  if (directory.error() != std::errc::not_a_directory)
    return failed(directory.error(), "list", place);
  const auto [parent_path, name] = split_name(place.path);
  const auto parent = sys::open_beneath(place.root->directory, parent_path, sys::Open::directory);
  if (!parent) return failed(parent.error(), "list", place);
  const auto status = sys::status_at(*parent, name);
  if (!status) return failed(status.error(), "list", place);
  listing.entries.push_back(describe(*parent, std::string(name), *status));
  listing.total = 1;
  return listing;
}

Result<std::vector<FileInfo>> Workspace::files_after(std::string_view cursor, size_t limit,
                                                     std::stop_token stop) const {
  // The walk moves the position of its descriptor, so it has one of its own.
  const auto root = sys::open_beneath(roots_.front().directory, ".", sys::Open::directory);
  if (!root) return sys::to_error(root.error(), "list", roots_.front().path);
  Collector collector(limit, stop);
  const auto read = collector.visit(*root, "", cursor, 1);
  if (!read) return sys::to_error(read.error(), "list", roots_.front().path);
  return collector.take();
}

std::vector<std::string> Workspace::complete_path(std::string_view prefix, size_t limit) const {
  const size_t slash = prefix.rfind('/');
  const std::string_view typed = prefix.substr(0, slash == prefix.npos ? 0 : slash + 1);
  const std::string_view start = prefix.substr(typed.size());
  const Result<Place> place = locate(typed.empty() ? "." : typed);
  if (!place) return {};
  const auto directory =
      sys::open_beneath(place->root->directory, place->path, sys::Open::directory);
  if (!directory) return {};
  const auto names = read_names(*directory, limit, {}, [&](const sys::DirectoryEntry& entry) {
    return entry.name.starts_with(start) && (is_hidden(start) || !is_hidden(entry.name)) &&
           is_utf8(entry.name);
  });
  std::vector<std::string> paths;
  if (!names) return paths;
  for (const Name& name : names->sorted) {
    auto kind = name.kind;
    if (!kind) {
      if (const auto status = sys::status_at(*directory, name.text)) kind = status->kind;
    }
    paths.push_back(
        fmt::format("{}{}{}", typed, name.text, kind == sys::FileKind::directory ? "/" : ""));
  }
  return paths;
}

}  // namespace helve::workspace
