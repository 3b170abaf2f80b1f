// undo: takes back what tools changed, and touches nothing else.
#include <fmt/core.h>

#include <algorithm>

#include "base/diff.h"
#include "base/encoding.h"
#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxDiffLines = 40;   // of one file
constexpr size_t kMaxShownFiles = 20;  // with a difference
constexpr size_t kMaxPassedOver = 10;  // changes that are named

struct UndoInput {
  std::optional<std::string> change;
  std::optional<std::string> session;
  std::optional<std::string> path;
  bool dry_run = false;

  workspace::Selection selection(const Context& context) const {
    return {.id = change.value_or(""),
            .session = session.value_or(""),
            .path = path.value_or(""),
            .own_session = context.who.session,
            .any = context.means_any_session()};
  }
  Demand demand(const Context& context) const {
    if (dry_run || !context.files) return {};
    return {.about = [this, &context] { return about(context); }, .is_unique = change.has_value()};
  }
  std::vector<std::string> about(const Context& context) const {
    const Result<workspace::Undone> undone =
        context.files->undo(selection(context), workspace::Rehearsal::yes, author_of(context));
    if (!undone) return {undone.error().message};
    const size_t count = undone->ids.size();
    std::vector<std::string> lines{
        count == 1 ? fmt::format("takes back {} {}", undone->tools[0], undone->ids[0])
                   : fmt::format("takes back {} changes", count)};
    for (const workspace::Difference& file : undone->files) lines.push_back(file.path);
    return lines;
  }
  static constexpr auto schema() {
    return object(
        "Take back a change that tools made to files: what they wrote, moved or deleted is as it "
        "was before, all of it or nothing. Without arguments the newest change of this session "
        "that is not undone yet, with a path the newest that changed it. A file that was changed "
        "since is a conflict. An undo is a change and can be undone by its own id.",
        opt<&UndoInput::change>(
            "Id of the change, or as much of it as tells it apart; changes lists them")
            .positional()
            .min_length(1),
        opt<&UndoInput::session>("Undo everything that this session changed, as one change")
            .min_length(1),
        opt<&UndoInput::path>("Only this file, or what is in this directory").file().min_length(1),
        opt<&UndoInput::dry_run>("Only show what would change").shorthand('n'));
  }
};

struct UndoneFile {
  std::string path;
  std::int64_t added = 0;
  std::int64_t removed = 0;

  static constexpr auto schema() {
    return object("One file.", arg<&UndoneFile::path>("The file, as the workspace names it"),
                  arg<&UndoneFile::added>("Lines that are there again"),
                  arg<&UndoneFile::removed>("Lines that are gone"));
  }
};

struct UndoOutput {
  std::vector<std::string> undone;
  std::vector<std::string> tools;
  std::optional<std::string> change;
  bool dry_run = false;
  std::vector<UndoneFile> files;
  Notes notes;
  std::string diff;

  static constexpr auto schema() {
    return object("What was undone.",
                  arg<&UndoOutput::undone>("Ids of the changes, the newest first"),
                  arg<&UndoOutput::tools>("The tools that made them"),
                  opt<&UndoOutput::change>("Id of the undo itself; undo it to get the change back"),
                  arg<&UndoOutput::dry_run>("True when nothing was changed"),
                  arg<&UndoOutput::files>("The files that are as they were before"),
                  opt<&UndoOutput::notes>("What was passed over, and what cannot be undone"));
  }

  std::string text() const {
    std::string what = fmt::format("{} changes", undone.size());
    if (undone.size() == 1) what = fmt::format("{} {}", tools[0], undone[0]);
    std::string out =
        fmt::format("{} {}:\n{}", dry_run ? "Would undo" : "Undid", escape_for_display(what), diff);
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out.append(escape_for_display(note)).append("\n");
    if (change) out += fmt::format("(undo {} brings it back)\n", escape_for_display(*change));
    return out;
  }
};

void describe(const workspace::Difference& difference, UndoOutput& output) {
  UndoneFile file{.path = difference.path};
  std::string what = difference.note;
  const auto old_text = readable(difference.before.value_or("")),
             new_text = readable(difference.after.value_or(""));
  if (what.empty() && old_text && new_text) {
    const std::string &before = old_text->text, &after = new_text->text;
    const LineCounts counts = count_changes(diff_lines(before, after));
    file.added = static_cast<std::int64_t>(counts.added);
    file.removed = static_cast<std::int64_t>(counts.removed);
    what = !difference.after ? "removed" : !difference.before ? "restored" : "as before";
    what += fmt::format(" (+{} -{})", counts.added, counts.removed);
    if (difference.after && difference.before && output.files.size() < kMaxShownFiles) {
      what += "\n" + short_diff(before, after, {.max_lines = kMaxDiffLines});
    }
  }
  output.diff += fmt::format("{}: {}\n", shown_name(file.path),
                             what.empty() ? "as before" : std::string(trim(what)));
  output.files.push_back(std::move(file));
}

Result<UndoOutput> undo(const UndoInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "undo"));
  TRY(context.checkpoint());
  if (in.change && in.session) {
    return Error{Code::invalid_argument, "change and session are both given", "give one of them"};
  }
  workspace::Undone undone = TRY(files.undo(
      in.selection(context), in.dry_run ? workspace::Rehearsal::yes : workspace::Rehearsal::no,
      author_of(context)));
  UndoOutput output{.undone = undone.ids,
                    .tools = undone.tools,
                    .change = change_of(undone.applied),
                    .dry_run = in.dry_run};
  for (const workspace::Difference& difference : undone.files) describe(difference, output);
  const size_t passed = undone.passed_over.size();
  for (size_t i = 0; i < std::min(passed, kMaxPassedOver); ++i) {
    undone.applied.notes.push_back(fmt::format(
        "passed over {}: everything is already as it was before it", undone.passed_over[i]));
  }
  if (passed > kMaxPassedOver) {
    undone.applied.notes.push_back(
        fmt::format("passed over {} older ones likewise", passed - kMaxPassedOver));
  }
  output.notes = notes_of(std::move(undone.applied));
  return output;
}

Effect effect_of(const UndoInput& in) { return in.dry_run ? Effect::read : Effect::write; }

}  // namespace

Tool tool_undo() {
  return make_tool({.name = "undo",
                    .group = "fs",
                    .top_level = true,
                    .title = "Undo a change of files",
                    .effect = Effect::write,
                    .destructive = true,
                    .examples = {{"The newest change", "{}"},
                                 {"See first what it would do", R"({"dry_run": true})"}}},
                   undo, effect_of);
}

}  // namespace helve::tools
