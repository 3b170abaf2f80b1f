// changes: what tools changed in this workspace, newest first.
#include <fmt/core.h>

#include <chrono>
#include <map>

#include "base/text.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxFiles = 50;  // that are listed of one change

struct ChangesInput {
  std::optional<std::string> path;
  std::optional<std::string> session;
  std::int64_t limit = 20;

  static constexpr auto schema() {
    return object(
        "List what tools changed in the workspace's files, newest first: id, time, tool, and each "
        "file with A (added), M (modified), D (deleted) or R (renamed) and its lines +/-. What was "
        "undone is marked, and of sessions with several changes, whose they are. Older "
        "changes are forgotten (30 days, 1 GB by default).",
        opt<&ChangesInput::path>("Only changes of this file, or in this directory")
            .file()
            .positional()
            .min_length(1),
        opt<&ChangesInput::session>("Only changes of this session").min_length(1),
        opt<&ChangesInput::limit>("Most changes to list").min(1).max(1000).shorthand('n'));
  }
};

enum class Status : unsigned char { A, M, D, R };

struct ChangedFile {
  Status status = Status::A;
  std::string path;
  std::optional<std::string> to;
  std::optional<std::int64_t> added;
  std::optional<std::int64_t> removed;
  std::optional<bool> undone;

  static constexpr auto schema() {
    return object("One file.", arg<&ChangedFile::status>("Added, modified, deleted or renamed"),
                  arg<&ChangedFile::path>("The file, as the workspace names it"),
                  opt<&ChangedFile::to>("Its new path"), opt<&ChangedFile::added>("Lines added"),
                  opt<&ChangedFile::removed>("Lines removed"),
                  opt<&ChangedFile::undone>("True when only this and others of the change were "
                                            "taken back"));
  }
};

struct ListedChange {
  std::string id;
  std::string time;
  std::string tool;
  std::string session;
  bool undone = false;
  std::vector<std::string> undoes;
  std::vector<ChangedFile> files;
  std::int64_t more_files = 0;

  static constexpr auto schema() {
    return object("One change.", arg<&ListedChange::id>("For undo and diff"),
                  arg<&ListedChange::time>("When, UTC"), arg<&ListedChange::tool>("Which tool"),
                  arg<&ListedChange::session>("Whose"),
                  arg<&ListedChange::undone>("True when all of it was taken back"),
                  opt<&ListedChange::undoes>("Changes that this one took back"),
                  arg<&ListedChange::files>("What it changed"),
                  opt<&ListedChange::more_files>("Files that are not listed"));
  }
};

struct ChangesOutput {
  std::vector<ListedChange> changes;
  bool more = false;

  static constexpr auto schema() {
    return object("Changes, newest first.", arg<&ChangesOutput::changes>("The changes"),
                  arg<&ChangesOutput::more>("True when there are older ones"));
  }

  std::string text() const {
    if (changes.empty()) return "No changes.";
    // A command line is a session of its own each time, which tells nothing.
    std::map<std::string_view, int> made;
    for (const ListedChange& change : changes) ++made[change.session];
    std::string out;
    for (const ListedChange& change : changes) {
      out += fmt::format("{}  {}  {}{}\n", change.id, change.time, change.tool,
                         change.undone ? "  (undone)" : "");
      if (made.size() > 1 && made[change.session] > 1)
        out += fmt::format("  of session {}\n", escape_for_display(change.session));
      if (!change.undoes.empty()) out += fmt::format("  undoes {}\n", join(change.undoes, ", "));
      for (const ChangedFile& file : change.files) {
        out +=
            fmt::format("  {} {}", "AMDR"[static_cast<size_t>(file.status)], shown_name(file.path));
        if (file.to) out += " -> " + shown_name(*file.to);
        if (file.added) out += fmt::format("  +{} -{}", *file.added, file.removed.value_or(0));
        if (file.undone) out += "  (undone)";
        out += '\n';
      }
      if (change.more_files) out += fmt::format("  … {} more files\n", change.more_files);
    }
    if (more) out += "(older changes: a larger limit shows more)\n";
    return out;
  }
};

ListedChange listed(const workspace::PastChange& past) {
  ListedChange change{.id = past.id,
                      .time = sys::utc(past.time_ms),
                      .tool = past.tool,
                      .session = past.session,
                      .undone = past.undone,
                      .undoes = past.undoes};
  for (const workspace::PastFile& file : past.files) {
    if (change.files.size() == kMaxFiles) break;
    ChangedFile one{.status = static_cast<Status>(file.what), .path = file.path};
    if (!file.to.empty()) one.to = file.to;
    if (file.added) one.added = static_cast<std::int64_t>(*file.added);
    if (file.removed) one.removed = static_cast<std::int64_t>(*file.removed);
    if (past.partly_undone && file.undone) one.undone = true;
    change.files.push_back(std::move(one));
  }
  change.more_files = static_cast<std::int64_t>(past.files.size() - change.files.size());
  return change;
}

Result<ChangesOutput> changes(const ChangesInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "changes"));
  TRY(context.checkpoint());
  const bool means_own = context.caller == Caller::cli && context.named_session;
  const std::string session = in.session.value_or(means_own ? context.who.session : "");
  const workspace::Past past = TRY(files.past(
      {.session = session, .path = in.path.value_or(""), .limit = static_cast<size_t>(in.limit)}));
  ChangesOutput output{.more = past.more};
  for (const workspace::PastChange& change : past.changes) output.changes.push_back(listed(change));
  return output;
}

}  // namespace

Tool tool_changes() {
  return make_tool({.name = "changes",
                    .group = "fs",
                    .top_level = true,
                    .title = "List changes of files",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"The last three", R"({"limit": 3})"},
                                 {"Of one file", R"({"path": "src/main.cc"})"}}},
                   changes);
}

}  // namespace helve::tools
