// ls: what a directory holds, with type and size, down to a depth.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sys/file_at.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"
#include "tools/walking.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMaxEntries = 1000;
constexpr std::int64_t kMaxSkipped = 1'000'000;
constexpr size_t kMaxNamedUnreadable = 20;
constexpr std::int64_t kMaxGlobs = 100;

struct LsInput {
  std::string path = ".";
  std::int64_t depth = 1;
  bool hidden = false;
  std::vector<std::string> exclude;
  std::int64_t offset = 0;
  std::int64_t limit = kMaxEntries;

  static constexpr auto schema() {
    return object(
        "List a directory: name, type and size, sorted by name, at most 1000 entries at once. "
        "Links are "
        "shown with their target and not followed.",
        opt<&LsInput::path>("Directory, relative to the workspace or absolute inside it")
            .directory()
            .positional()
            .min_length(1),
        opt<&LsInput::depth>("Levels of directories to show; 1 is the directory itself")
            .min(1)
            .max(5)
            .shorthand('d'),
        opt<&LsInput::hidden>(
            "Also show names that begin with a dot; .git is named but not entered")
            .shorthand('a'),
        opt<&LsInput::exclude>("No files or directories that match one of these globs")
            .max_length(kMaxGlobs),
        opt<&LsInput::offset>("Entries to skip, to go on where an answer ended")
            .min(0)
            .max(kMaxSkipped),
        opt<&LsInput::limit>("Entries to show at most").min(1).max(kMaxEntries).shorthand('n'));
  }
};

struct LsEntry {
  std::string name;
  EntryType type = EntryType::file;
  std::int64_t size = 0;
  std::optional<std::string> target;
  std::optional<bool> escaped;

  static constexpr auto schema() {
    return object(
        "One entry.",
        arg<&LsEntry::name>("Path below the listed directory; bytes that are not UTF-8 as \\xNN"),
        arg<&LsEntry::type>("What it is"),
        arg<&LsEntry::size>("Size of a file in bytes; 0 for anything else"),
        opt<&LsEntry::target>("Where a symlink leads"),
        opt<&LsEntry::escaped>("True when the name is not UTF-8; in others \\x is just text"));
  }

  std::string text() const {
    const std::string shown = shown_name(name, escaped.has_value());
    switch (type) {
      case EntryType::file:
        return fmt::format("{} (file, {})", shown, human_size(static_cast<std::uint64_t>(size)));
      case EntryType::directory:
        return shown + "/ (directory)";
      case EntryType::symlink:
        return fmt::format("{} -> {} (symlink)", shown, shown_name(target.value_or("?")));
      case EntryType::other:
        return shown + " (other)";
    }
    return shown;
  }
};

struct LsOutput {
  std::string path;
  std::vector<LsEntry> entries;
  std::int64_t total = 0;
  bool truncated = false;
  std::optional<std::vector<std::string>> notes;

  static constexpr auto schema() {
    return object(
        "The entries of a directory.", arg<&LsOutput::path>("What was listed"),
        arg<&LsOutput::entries>("Sorted by name; a directory is followed by what it holds"),
        arg<&LsOutput::total>("Entries found; when truncated, at least this many exist"),
        arg<&LsOutput::truncated>("True when not every entry is shown"),
        opt<&LsOutput::notes>("What is missing, and why"));
  }

  std::string text() const {
    std::string out;
    for (const LsEntry& entry : entries) out += entry.text() + "\n";
    if (total == 0) out += shown_name(path) + " is empty\n";
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

LsEntry to_entry(const workspace::Entry& entry) {
  LsEntry out{.name = escape_invalid_utf8(entry.path), .type = type_of(entry.kind)};
  if (out.type == EntryType::file) out.size = static_cast<std::int64_t>(entry.size);
  if (out.type == EntryType::symlink) out.target = escape_invalid_utf8(entry.target);
  if (!is_utf8(entry.path)) out.escaped = true;
  return out;
}

// `depth` 1 reads every name, so that the total is exact; deeper, directories past the limit are
// not entered.
std::vector<std::string> notes_on(const LsOutput& out, const workspace::Listing& listing,
                                  const LsInput& in, const Context& context) {
  std::vector<std::string> notes;
  const auto shown = static_cast<std::int64_t>(out.entries.size());
  const std::string range =
      fmt::format("entries {}–{} of {}{}", in.offset + 1, in.offset + shown,
                  out.truncated && in.depth > 1 ? "at least " : "", out.total);
  if (out.truncated) {
    notes.push_back(fmt::format("{}; {}={} shows the next", range, context.parameter("offset"),
                                context.as_caller_counts("offset", in.offset + shown)));
  } else if (in.offset > 0 && shown > 0) {
    notes.push_back(range);
  } else if (in.offset > 0 && out.total > 0) {
    notes.push_back(fmt::format("there are only {}", out.total));
  }
  const auto escaped = std::ranges::count_if(
      out.entries, [](const LsEntry& entry) { return entry.escaped.has_value(); });
  add_note_on_escaped(static_cast<size_t>(escaped), notes);
  const size_t named = std::min(listing.unreadable.size(), kMaxNamedUnreadable);
  for (size_t i = 0; i < named; ++i) {
    notes.push_back(fmt::format("'{}' cannot be read", escape_for_display(listing.unreadable[i])));
  }
  if (named < listing.unreadable.size()) {
    notes.push_back(
        fmt::format("{} more directories cannot be read", listing.unreadable.size() - named));
  }
  return notes;
}

Result<LsOutput> ls(const LsInput& in, Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, "ls"));
  workspace::ListOptions options{
      .depth = static_cast<int>(in.depth),
      .hidden = in.hidden ? workspace::Hidden::show : workspace::Hidden::skip,
      .limit = static_cast<size_t>(in.offset + in.limit),
      .stop = context.stop};
  const search::GlobSet globs = TRY(search::GlobSet::from_patterns(excluding(in.exclude)));
  if (!globs.empty()) {
    options.leaves_out = [&globs](std::string_view path, bool is_directory) {
      const std::string_view name = path.substr(path.rfind('/') + 1);
      return globs.decide({path, name, is_directory}) == search::Verdict::negated;
    };
  }
  const workspace::Listing listing = TRY(files.list(in.path, options));
  TRY(context.checkpoint());  // a listing that was stopped lacks entries
  LsOutput out{.path = files.display(in.path),
               .total = static_cast<std::int64_t>(listing.total),
               .truncated = !listing.complete};
  for (size_t i = static_cast<size_t>(in.offset); i < listing.entries.size(); ++i)
    out.entries.push_back(to_entry(listing.entries[i]));
  auto notes = notes_on(out, listing, in, context);
  if (!notes.empty()) out.notes = std::move(notes);
  return out;
}

}  // namespace

Tool tool_ls() {
  return make_tool({.name = "ls",
                    .group = "fs",
                    .title = "List a directory",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"The workspace", "{}"},
                                 {"Two levels of a directory", R"({"path": "src", "depth": 2})"},
                                 {"With hidden names", R"({"path": ".", "hidden": true})"}}},
                   ls);
}

}  // namespace helve::tools
