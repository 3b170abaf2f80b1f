// tree: the shape of a directory at a glance, with counts where it goes deeper.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"
#include "tools/walking.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxKept = 100'000;  // entries that a thread keeps in memory

struct TreeInput {
  std::string path = ".";
  std::int64_t depth = 3;
  std::int64_t max_entries = 200;
  bool hidden = false;
  bool no_ignore = false;
  bool sizes = false;

  static constexpr auto schema() {
    return object(
        "Show a directory as an indented tree, directories first, with the number of entries each "
        "holds. What ignore files leave out and hidden names are skipped. When it is too large, "
        "the "
        "upper levels are shown and the rest is counted.",
        opt<&TreeInput::path>("Directory, relative to the workspace or absolute inside it")
            .directory()
            .positional()
            .min_length(1),
        opt<&TreeInput::depth>("Levels to show").min(1).max(20).shorthand('d'),
        opt<&TreeInput::max_entries>("Lines to show").min(1).max(5000).shorthand('n'),
        opt<&TreeInput::hidden>("Also names that begin with a dot; .git is named but not entered")
            .shorthand('a'),
        opt<&TreeInput::no_ignore>("Also what ignore files leave out"),
        opt<&TreeInput::sizes>("Also the sizes of files").shorthand('s'));
  }
};

struct TreeEntry {
  std::string path;
  EntryType type = EntryType::file;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> entries;
  std::optional<std::int64_t> omitted;
  std::optional<bool> escaped;

  static constexpr auto schema() {
    return object(
        "One entry.",
        arg<&TreeEntry::path>("Below the shown directory; bytes that are not UTF-8 as \\xNN"),
        arg<&TreeEntry::type>("What it is"),
        opt<&TreeEntry::size>("Of a file in bytes, when asked for"),
        opt<&TreeEntry::entries>("How many entries a directory holds; absent when it was not read"),
        opt<&TreeEntry::omitted>("How many of them are not shown; absent: none"),
        opt<&TreeEntry::escaped>("True when the path is not UTF-8"));
  }

  std::string line() const {
    const size_t slash = path.rfind('/');
    const auto level = static_cast<size_t>(std::ranges::count(path, '/'));
    std::string out(2 * (level + 1), ' ');
    out += shown_name(std::string_view(path).substr(slash == path.npos ? 0 : slash + 1),
                      escaped.has_value());
    if (type == EntryType::symlink) out += " (symlink)";
    if (type == EntryType::other) out += " (other)";
    if (size) out += fmt::format(" ({})", human_size(static_cast<std::uint64_t>(*size)));
    if (type == EntryType::directory) {
      out += "/";
      // What is shown below can be seen; what is not is said.
      if (entries == 0) out += " (empty)";
      if (omitted && omitted == entries) {
        out += fmt::format(" ({} {})", *entries, *entries == 1 ? "entry" : "entries");
      } else if (omitted) {
        out += fmt::format(" ({} of {} entries not shown)", *omitted, *entries);
      }
    }
    return out + "\n";
  }
};

struct TreeOutput {
  std::string path;
  std::vector<TreeEntry> entries;
  std::int64_t directories = 0;
  std::int64_t files = 0;
  bool truncated = false;
  std::optional<std::vector<std::string>> notes;
  bool is_partial = false;  // the time was over; not part of the value

  static constexpr auto schema() {
    return object(
        "The tree.", arg<&TreeOutput::path>("The directory that is shown"),
        arg<&TreeOutput::entries>("Each directory is followed by what it holds, directories first"),
        arg<&TreeOutput::directories>("How many directories the shown levels have"),
        arg<&TreeOutput::files>("How many files and other entries the shown levels have"),
        arg<&TreeOutput::truncated>("True when not every entry of these levels is shown"),
        opt<&TreeOutput::notes>("What is missing, and why"));
  }

  std::string text() const {
    std::string out = shown_name(path) + "/\n";
    for (const TreeEntry& entry : entries) out += entry.line();
    out +=
        fmt::format("{} {}, {} {}\n", directories, directories == 1 ? "directory" : "directories",
                    files, files == 1 ? "file" : "files");
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

struct Node {
  std::string name;
  sys::FileKind kind = sys::FileKind::file;
  std::int64_t size = 0;
  bool shown = false;

  bool is_directory() const { return kind == sys::FileKind::directory; }
};
struct Directory {
  std::vector<Node> nodes;
  std::int64_t entries = 0;
};
// By the path with a slash at the end; empty for the one that is shown.
using Directories = std::map<std::string, Directory, std::less<>>;

// Collects the levels that are shown; of the one below only the number of entries.
class Collector final : public search::Visitor {
 public:
  explicit Collector(const TreeInput& in) : depth_(in.depth), sizes_(in.sizes) {}

  search::Next visit(const search::Item& item) override {
    const std::string_view parent = item.path.substr(0, item.path.size() - item.name.size());
    auto place = found.find(parent);
    if (place == found.end()) place = found.emplace(parent, Directory()).first;
    ++place->second.entries;
    if (std::ranges::count(parent, '/') >= depth_) return search::Next::skip;
    Node node{.name = std::string(item.name), .kind = item.kind};
    if (sizes_ && item.kind == sys::FileKind::file) {
      if (const auto status = sys::status_at(item.directory, item.name))
        node.size = static_cast<std::int64_t>(status->size);
    }
    place->second.nodes.push_back(std::move(node));
    return ++kept_ < kMaxKept ? search::Next::go_on : search::Next::stop;
  }

  Directories found;

 private:
  std::int64_t depth_;
  bool sizes_;
  size_t kept_ = 0;
};

void merge(Directories& into, Directories&& from) {
  for (auto& [path, directory] : from) {
    Directory& place = into[path];
    place.entries += directory.entries;
    std::ranges::move(directory.nodes, std::back_inserter(place.nodes));
  }
}

void sort_all(Directories& directories) {
  for (auto& [path, directory] : directories) {
    std::ranges::sort(directory.nodes, [](const Node& a, const Node& b) {
      return a.is_directory() != b.is_directory() ? a.is_directory() : a.name < b.name;
    });
  }
}

// Marks what is shown: level by level, so that a large directory deep down does not push out what
// lies above it, and in a level the small directories first, which tell more in the same room.
void choose(Directories& directories, size_t room) {
  struct Place {
    std::string path;
    std::vector<Node>* nodes;
  };
  std::vector<Place> level;
  const auto enter = [&](std::string path) {
    const auto place = directories.find(path);
    if (place != directories.end()) level.push_back({std::move(path), &place->second.nodes});
  };
  enter("");
  while (!level.empty()) {
    const std::vector<Place> now = std::exchange(level, {});
    for (const auto& [path, nodes] : now) {
      for (Node& node : *nodes) {
        if (room == 0) return;
        --room;
        node.shown = true;
        if (node.is_directory()) enter(fmt::format("{}{}/", path, node.name));
      }
    }
    std::ranges::sort(level, {}, [](const Place& place) {
      return std::pair<size_t, std::string_view>(place.nodes->size(), place.path);
    });
  }
}

class Writer {
 public:
  Writer(const Directories& directories, const search::WalkReport& report, const TreeInput& in,
         TreeOutput& out)
      : directories_(directories),
        is_complete_(report.end == search::WalkReport::End::complete),
        in_(in),
        out_(out) {
    for (const auto& each : report.unreadable) unread_.insert(each.path);
    all_unread_named_ = report.unreadable.size() == report.unreadable_count;
  }

  // Returns how many entries of the directory are not shown.
  std::int64_t write(const std::string& path) {
    const auto place = directories_.find(path);
    if (place == directories_.end()) return 0;
    std::int64_t shown = 0;
    for (const Node& node : place->second.nodes) {
      ++(node.is_directory() ? out_.directories : out_.files);
      if (!node.shown) out_.truncated = true;
      if (node.is_directory() || node.shown) write_node(path, node);
      if (node.shown) ++shown;
    }
    return place->second.entries - shown;
  }

 private:
  void write_node(const std::string& parent, const Node& node) {
    const std::string path = parent + node.name;
    const size_t index = out_.entries.size();
    if (node.shown) {
      TreeEntry entry{.path = escape_invalid_utf8(path), .type = type_of(node.kind)};
      if (!is_utf8(path)) entry.escaped = true;
      if (in_.sizes && node.kind == sys::FileKind::file) entry.size = node.size;
      out_.entries.push_back(std::move(entry));
    }
    if (!node.is_directory()) return;
    const std::int64_t omitted = write(path + "/");  // also counts what is not shown
    if (!node.shown) return;
    TreeEntry& entry = out_.entries[index];
    if (node.name == ".git" && in_.hidden) return;  // not entered
    const auto place = directories_.find(path + "/");
    if (place != directories_.end())
      entry.entries = place->second.entries;
    else if (was_read(path))
      entry.entries = 0;
    if (omitted > 0) entry.omitted = omitted;
  }

  // Whether a directory in which nothing was found is known to be empty.
  bool was_read(const std::string& path) const {
    return is_complete_ && all_unread_named_ && !unread_.contains(path);
  }

  const Directories& directories_;
  bool is_complete_;
  bool all_unread_named_ = true;
  std::set<std::string> unread_;
  const TreeInput& in_;
  TreeOutput& out_;
};

std::vector<std::string> notes_on(const TreeOutput& out, const search::WalkReport& report) {
  std::vector<std::string> notes;
  if (out.truncated) {
    notes.push_back(
        fmt::format("{} of {} entries are shown; ask for a directory below, a smaller "
                    "depth or more max_entries",
                    out.entries.size(), out.directories + out.files));
  }
  if (report.end == search::WalkReport::End::stopped_by_visitor)
    notes.push_back("the directory is too large to count: the numbers are too small");
  const auto escaped = std::ranges::count_if(
      out.entries, [](const TreeEntry& entry) { return entry.escaped.has_value(); });
  add_note_on_escaped(static_cast<size_t>(escaped), notes);
  add_notes(report, out.path, notes);
  return notes;
}

Result<TreeOutput> tree(const TreeInput& in, Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, "tree"));
  const sys::Fd directory = TRY(open_searched(files, in.path, context));
  TreeOutput out{.path = files.display(in.path)};
  const search::WalkOptions options{
      .hidden = in.hidden ? search::Hidden::show : search::Hidden::skip,
      .ignore = in.no_ignore ? search::IgnoreRules::none : search::IgnoreRules::respect,
      .git_directory = search::GitDirectory::skip,
      .max_depth = static_cast<int>(in.depth) + 1};
  std::vector<std::unique_ptr<Collector>> parts;
  const search::WalkReport report =
      TRY(walk_for(context, directory, out.path, options, [&]() -> search::Visitor& {
        return *parts.emplace_back(std::make_unique<Collector>(in));
      }));
  Directories all;
  for (const auto& part : parts) merge(all, std::move(part->found));
  sort_all(all);
  choose(all, static_cast<size_t>(in.max_entries));
  Writer(all, report, in, out).write("");
  if (report.end != search::WalkReport::End::complete) out.truncated = true;
  out.is_partial = report.end == search::WalkReport::End::deadline;
  if (auto notes = notes_on(out, report); !notes.empty()) out.notes = std::move(notes);
  return out;
}

}  // namespace

Tool tool_tree() {
  return make_tool(
      {.name = "tree",
       .group = "fs",
       .title = "Show a directory tree",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"The workspace", "{}"},
                    {"Deeper, with sizes", R"({"path": "src", "depth": 5, "sizes": true})"}}},
      tree);
}

}  // namespace helve::tools
