// editor: views, creates and changes files by one command each, as the text editor tools do that
// many models were trained with.
#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "edit/apply.h"
#include "edit/replace.h"
#include "tool/make.h"
#include "tools/edited_file.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxFileChars = 10'000;      // shown of a file
constexpr size_t kMaxDirectoryChars = 5'000;  // and of a directory
constexpr size_t kMaxEntries = 1000;
constexpr int kDirectoryDepth = 2;
constexpr size_t kSnippetLines = 4;  // around a change
constexpr std::string_view kClipped = "\n<response clipped>\n";

enum class Command : unsigned char { view, create, str_replace, insert, undo_edit };

struct EditorInput {
  Command command = Command::view;
  std::string path;
  std::optional<std::string> file_text;
  std::optional<std::string> old_str;
  std::optional<std::string> new_str;
  std::optional<std::int64_t> insert_line;
  std::optional<std::string> insert_text;
  std::optional<std::vector<std::int64_t>> view_range;

  static constexpr auto schema() {
    return object(
        "View, create and edit files. view shows a file with line numbers, or a directory two "
        "levels "
        "deep without hidden names; create makes a new file and refuses one that exists; "
        "str_replace "
        "replaces a text that occurs exactly once; insert adds lines after a line; undo_edit takes "
        "back "
        "the last change of a file, one with each call. Long answers are clipped in the middle.",
        arg<&EditorInput::command>("What to do"),
        arg<&EditorInput::path>("File or directory, absolute or relative to the workspace")
            .file()
            .min_length(1),
        opt<&EditorInput::file_text>("create: the content of the new file").from_stdin(),
        opt<&EditorInput::old_str>("str_replace: the text to replace, exactly as the file has it"),
        opt<&EditorInput::new_str>("str_replace: what takes its place; insert: the new lines"),
        opt<&EditorInput::insert_line>("insert: the line to insert after; 0 is before the first")
            .min(0),
        opt<&EditorInput::insert_text>("insert: the new lines, another name for new_str"),
        opt<&EditorInput::view_range>("view of a file: [first, last] line, from 1; -1 is the end")
            .min_length(2)
            .max_length(2));
  }
};

struct EditorOutput {
  std::string path;
  std::string output;
  std::optional<bool> clipped;
  std::optional<std::string> change;
  Notes notes;

  static constexpr auto schema() {
    return object("The answer.", arg<&EditorOutput::path>("The file, as the workspace names it"),
                  arg<&EditorOutput::output>("What was asked for, or what changed"),
                  opt<&EditorOutput::clipped>("True when something in the middle is not shown"),
                  opt<&EditorOutput::change>("Id of the change, for undo"),
                  opt<&EditorOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    std::string out = output;
    if (notes)
      for (const std::string& note : *notes) out.append(escape_for_display(note)).append("\n");
    return out;
  }
};

Error missing(std::string_view parameter, std::string_view command) {
  return {Code::invalid_argument, fmt::format("{} is missing", parameter),
          fmt::format("{} needs it", command), "invalid_input"};
}

// The start and the end, when it is too long to show.
void clip(EditorOutput& output, size_t most) {
  if (count_chars(output.output) <= most) return;
  output.output = fmt::format("{}{}{}", first_chars(output.output, most / 2), kClipped,
                              last_chars(output.output, most / 2));
  output.clipped = true;
}

using edit::Decoded;

// Lines [first, last], counted from 1, each with its number.
std::string numbered(const Decoded& file, size_t first, size_t last) {
  std::string out;
  std::string_view text = file.text;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  size_t number = 0;
  while (!text.empty() && number < last) {
    const size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
    if (++number < first) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    fmt::format_to(std::back_inserter(out), "{:>6}\t{}\n", number,
                   file.format ? escape_lines_for_display(spell_undecoded(line))
                               : escape_lines_for_display(line));
  }
  return out;
}

// The lines [first, last] that changed and those around them.
std::string snippet(const Decoded& file, size_t first, size_t last) {
  return numbered(file, first > kSnippetLines ? first - kSnippetLines : 1, last + kSnippetLines);
}

Result<EditorOutput> view_directory(const std::string& path, Context& context,
                                    workspace::Workspace& files) {
  const workspace::Listing listing =
      TRY(files.list(path, {.depth = kDirectoryDepth, .limit = kMaxEntries, .stop = context.stop}));
  EditorOutput output{.path = files.display(path), .output = {}};
  output.output = shown_name(output.path) + "/\n";
  for (const workspace::Entry& entry : listing.entries) {
    output.output += shown_name(output.path == "." ? entry.path : output.path + "/" + entry.path);
    output.output += entry.kind == sys::FileKind::directory ? "/\n" : "\n";
  }
  if (!listing.complete) output.output += "… there is more\n";
  clip(output, kMaxDirectoryChars);
  return output;
}

struct Range {
  size_t first = 1;
  size_t last = 0;
};
Result<Range> range_of(const EditorInput& in, size_t lines) {
  if (!in.view_range) return Range{1, lines};
  const std::int64_t first = (*in.view_range)[0];
  const std::int64_t last =
      (*in.view_range)[1] == -1 ? static_cast<std::int64_t>(lines) : (*in.view_range)[1];
  if (first < 1 || first > static_cast<std::int64_t>(lines) || last < first) {
    return Error{Code::invalid_argument,
                 fmt::format("view_range [{}, {}] is not in the file, which has {} {}", first,
                             (*in.view_range)[1], lines, lines == 1 ? "line" : "lines"),
                 "lines count from 1, and -1 as the second is the last line", "out_of_range"};
  }
  return Range{static_cast<size_t>(first), std::min(static_cast<size_t>(last), lines)};
}

Result<EditorOutput> view(const EditorInput& in, Context& context, workspace::Workspace& files) {
  Result<workspace::Snapshot> snapshot = files.read_whole(in.path);
  if (!snapshot && snapshot.error().type == "is_directory") {
    if (!in.view_range) return view_directory(in.path, context, files);
    return Error{Code::invalid_argument, "view_range is for files, and this is a directory",
                 "leave it out", "invalid_input"};
  }
  if (!snapshot) return std::move(snapshot).error();
  files.saw(context.who.session, *snapshot);
  EditorOutput output{.path = files.display(in.path), .output = {}};
  const Decoded file = edit::decode_for_edit(std::move(snapshot->content));
  if (file.text.find('\0') != file.text.npos) return no_text(output.path, context);
  const Range range = TRY(range_of(in, count_lines(file.text)));
  output.output = file.text.empty() ? fmt::format("{} is empty\n", shown_name(output.path))
                                    : numbered(file, range.first, range.last);
  clip(output, kMaxFileChars);
  return output;
}

Result<EditorOutput> create(const EditorInput& in, Context& context, workspace::Workspace& files) {
  if (!in.file_text) return missing("file_text", "create");
  const workspace::Change change{
      .path = in.path, .content = *in.file_text, .on_conflict = workspace::OnConflict::error};
  Result<workspace::Applied> made = files.apply({&change, 1}, author_of(context));
  if (!made && made.error().type == "path_conflict")
    made.error().hint = "choose another path, or change it with str_replace";
  workspace::Applied applied = TRY(std::move(made));
  EditorOutput output{
      .path = files.display(in.path), .output = {}, .change = change_of(applied), .notes = {}};
  output.notes = notes_of(std::move(applied));
  const size_t lines = count_lines(*in.file_text);
  output.output = fmt::format("Created {} ({} {})\n", shown_name(output.path), lines,
                              lines == 1 ? "line" : "lines");
  return output;
}

// Writes the new text and shows the lines [first, last] of it.
Result<EditorOutput> finish(const EditedFile& file, std::string text, Range lines,
                            std::string_view ignored, Context& context,
                            workspace::Workspace& files) {
  Decoded edited{std::move(text), file.format};
  EditorOutput output{.path = file.shown, .output = {}};
  output.output =
      fmt::format("Edited {}{}{}\n{}", shown_name(file.shown), ignored.empty() ? "" : ", ", ignored,
                  snippet(edited, lines.first, lines.last));
  clip(output, kMaxFileChars);
  const workspace::Change change = TRY(file.becomes(std::move(edited.text)));
  workspace::Applied applied = TRY(files.apply({&change, 1}, author_of(context)));
  output.change = change_of(applied);
  output.notes = notes_of(std::move(applied));
  return output;
}

Result<EditorOutput> str_replace(const EditorInput& in, Context& context,
                                 workspace::Workspace& files) {
  if (!in.old_str) return missing("old_str", "str_replace");
  const EditedFile file = TRY(open_for_edit(in.path, context, files));
  const std::string new_str = in.new_str.value_or("");
  const edit::Replacement replacement{*in.old_str, new_str};
  Result<edit::Replaced> result = edit::replace(
      file.text, {&replacement, 1}, {escape_for_display(file.shown), "old_str"}, context.stop);
  TRY(context.checkpoint());
  edit::Replaced replaced = TRY(std::move(result));
  const edit::Replaced::Step& step = replaced.steps[0];
  const Range lines{step.line, step.line + std::max<size_t>(1, count_lines(new_str)) - 1};
  return finish(file, std::move(replaced.content), lines, edit::describe(step.stage), context,
                files);
}

Result<EditorOutput> insert(const EditorInput& in, Context& context, workspace::Workspace& files) {
  if (!in.insert_line) return missing("insert_line", "insert");
  if (!in.new_str && !in.insert_text) return missing("insert_text", "insert");
  if (in.new_str && in.insert_text && *in.new_str != *in.insert_text) {
    return Error{Code::invalid_argument, "new_str and insert_text are both given",
                 "give the new lines once", "invalid_input"};
  }
  const std::string& text = in.insert_text ? *in.insert_text : *in.new_str;
  if (text.empty()) {
    return Error{Code::invalid_argument, "there is nothing to insert",
                 "give the new lines; a newline alone is an empty line", "no_change"};
  }
  const EditedFile file = TRY(open_for_edit(in.path, context, files));
  const size_t lines = count_lines(file.text);
  const auto after = static_cast<size_t>(*in.insert_line);
  if (after > lines) {
    return Error{Code::invalid_argument,
                 fmt::format("insert_line {} is not in {}, which has {} {}", after,
                             escape_for_display(file.shown), lines, lines == 1 ? "line" : "lines"),
                 "0 is before the first line, the number of lines after the last", "out_of_range"};
  }
  const edit::LinePatch patch{after + 1, 0, text};
  edit::Patched patched = TRY(edit::apply_line_patches(file.text, {&patch, 1}, file.shown));
  return finish(file, std::move(patched.content), {after + 1, after + patched.added}, "", context,
                files);
}

// Bytes of a file as text to be shown.
std::string shown_text(std::string bytes) {
  Decoded file = edit::decode_for_edit(std::move(bytes));
  return file.format ? spell_undecoded(file.text) : std::move(file.text);
}

Result<EditorOutput> undo_edit(const EditorInput& in, Context& context,
                               workspace::Workspace& files) {
  const workspace::Undone undone = TRY(files.undo(
      {.path = in.path, .own_session = context.who.session, .any = context.means_any_session()},
      workspace::Rehearsal::no, author_of(context)));
  EditorOutput output{.path = files.display(in.path), .output = {}};
  output.output = fmt::format("Undid the last change of {}\n", shown_name(output.path));
  output.change = change_of(undone.applied);
  output.notes = notes_of(undone.applied);
  for (const workspace::Difference& file : undone.files) {
    if (!file.after)
      output.output += fmt::format("{} is gone again\n", shown_name(file.path));
    else if (file.note.empty())
      output.output += short_diff(shown_text(file.before.value_or("")), shown_text(*file.after));
  }
  clip(output, kMaxFileChars);
  return output;
}

Result<EditorOutput> editor(const EditorInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "editor"));
  TRY(context.checkpoint());
  switch (in.command) {
    case Command::view:
      return view(in, context, files);
    case Command::create:
      return create(in, context, files);
    case Command::str_replace:
      return str_replace(in, context, files);
    case Command::insert:
      return insert(in, context, files);
    case Command::undo_edit:
      return undo_edit(in, context, files);
  }
  return Error{};
}

}  // namespace

Tool tool_editor() {
  return make_tool(
      {.name = "editor",
       .group = "fs",
       .title = "View and edit files",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"command", "path"},
       .examples =
           {{"Part of a file",
             R"({"command": "view", "path": "src/main.c", "view_range": [10, 40]})"},
            {"Replace a text",
             R"({"command": "str_replace", "path": "src/main.c", "old_str": "a = 1", "new_str": "a = 2"})"},
            {"Take that back", R"({"command": "undo_edit", "path": "src/main.c"})"}},
       .limits = {.inline_chars = 12'000}},
      editor, [](const EditorInput& in) {
        return in.command == Command::view ? Effect::read : Effect::write;
      });
}

}  // namespace helve::tools
