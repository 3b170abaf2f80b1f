// edit: texts in a file replaced by others, exactly or by a stage that it names.
#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "edit/replace.h"
#include "tool/make.h"
#include "tools/edited_file.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

using edit::Stage;

struct EditItem {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;

  static constexpr auto schema() {
    return object("One replacement.",
                  arg<&EditItem::old_text>("Text to replace, as the file has it"),
                  arg<&EditItem::new_text>("Text that takes its place"),
                  opt<&EditItem::replace_all>("Replace every occurrence"));
  }
};

struct EditInput {
  std::string path;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  bool replace_all = false;
  std::vector<EditItem> edits;
  bool dry_run = false;

  static constexpr auto schema() {
    return object(
        "Replace text in a file. old_text must occur exactly once, unless replace_all is set. Give "
        "it "
        "exactly as the file has it, with whitespace and without line numbers; when it is not "
        "found so, "
        "it is looked for ignoring line endings, trailing whitespace, indentation (evenly shifted) "
        "and "
        "typographic punctuation, and the answer says so. Several edits are made in order, all or "
        "none. "
        "Everything else in the file stays byte for byte, and new lines end as its lines do.",
        arg<&EditInput::path>("File, relative to the workspace or absolute inside it")
            .file()
            .min_length(1),
        opt<&EditInput::old_text>("Text to replace; several lines are fine")
            .positional()
            .from_stdin(),
        opt<&EditInput::new_text>("Text that takes its place; empty removes it").positional(),
        opt<&EditInput::replace_all>("Replace every occurrence").shorthand('a'),
        opt<&EditInput::edits>("Several replacements, instead of old_text and new_text")
            .max_length(500),
        opt<&EditInput::dry_run>("Only show what would change").shorthand('n'));
  }
};

struct EditOutput {
  std::string path;
  std::int64_t replacements = 0;
  Stage stage = Stage::exact;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  std::string diff;
  std::optional<bool> dry_run;
  std::optional<std::string> change;
  Notes notes;

  static constexpr auto schema() {
    return object(
        "What changed.", arg<&EditOutput::path>("The file, as the workspace names it"),
        arg<&EditOutput::replacements>("Places that were changed"),
        arg<&EditOutput::stage>("What had to be ignored to find the text; exact: nothing"),
        arg<&EditOutput::added>("Lines that are new"),
        arg<&EditOutput::removed>("Lines that are gone"),
        arg<&EditOutput::diff>("The changed lines with their numbers and two lines around them"),
        opt<&EditOutput::dry_run>("True when nothing was written"),
        opt<&EditOutput::change>("Id of the change, for undo"),
        opt<&EditOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    const std::string_view ignored = edit::describe(stage);
    return fmt::format(
        "{} {}: {} {}{}{}{}\n{}", dry_run ? "Would edit" : "Edited", shown_name(path), replacements,
        replacements == 1 ? "replacement" : "replacements", ignored.empty() ? "" : ", ", ignored,
        lines_of(notes.value_or(std::vector<std::string>())), diff);
  }
};

Result<std::vector<edit::Replacement>> replacements_of(const EditInput& in,
                                                       const Context& context) {
  const std::string_view old_text = context.parameter("old_text");
  const std::string_view new_text = context.parameter("new_text");
  const auto count = [](bool all) { return all ? edit::Count::all : edit::Count::one; };
  if (!in.edits.empty() && (in.old_text || in.new_text)) {
    return Error{Code::invalid_argument, fmt::format("both edits and {} are given", old_text),
                 "give one or the other", "invalid_input"};
  }
  if (in.edits.empty() && !(in.old_text && in.new_text)) {
    return Error{Code::invalid_argument,
                 fmt::format("{} is missing", in.old_text ? new_text : old_text),
                 fmt::format("give {} and {}, or edits", old_text, new_text), "invalid_input"};
  }
  std::vector<edit::Replacement> replacements;
  for (const EditItem& item : in.edits)
    replacements.push_back({item.old_text, item.new_text, count(item.replace_all)});
  if (in.edits.empty()) replacements.push_back({*in.old_text, *in.new_text, count(in.replace_all)});
  return replacements;
}

Result<EditOutput> run_edit(const EditInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "edit"));
  const std::vector<edit::Replacement> replacements = TRY(replacements_of(in, context));
  Result<EditedFile> opened = open_for_edit(in.path, context, files);
  // For some an empty text to replace means a new file.
  if (!opened && opened.error().code == Code::not_found && replacements.front().old_text.empty())
    opened.error().hint = fmt::format("`{}` makes a new file", context.other_tool("write"));
  const EditedFile file = TRY(std::move(opened));
  TRY(context.checkpoint());
  Result<edit::Replaced> result = edit::replace(
      file.text, replacements,
      {escape_for_display(file.shown), context.parameter("old_text"), "replace_all"}, context.stop);
  TRY(context.checkpoint());
  if (!result && result.error().code == Code::not_found && file.text.find('\0') != file.text.npos)
    return no_text(file.shown, context);
  edit::Replaced replaced = TRY(std::move(result));
  DiffSummary diff = file.difference_to(replaced.content);
  if (diff.text.empty()) {
    return Error{Code::invalid_argument, "the edits leave the file as it was",
                 "give what should change", "no_change"};
  }
  EditOutput output{.path = file.shown,
                    .added = static_cast<std::int64_t>(diff.counts.added),
                    .removed = static_cast<std::int64_t>(diff.counts.removed),
                    .diff = std::move(diff.text)};
  for (const edit::Replaced::Step& step : replaced.steps) {
    output.replacements += static_cast<std::int64_t>(step.replacements);
    output.stage = std::max(output.stage, step.stage);
  }
  const workspace::Change change = TRY(file.becomes(std::move(replaced.content)));
  if (in.dry_run) {
    output.dry_run = true;
    return output;
  }
  workspace::Applied applied = TRY(files.apply({&change, 1}, author_of(context)));
  output.change = change_of(applied);
  output.notes = notes_of(std::move(applied));
  return output;
}

}  // namespace

Tool tool_edit() {
  return make_tool(
      {.name = "edit",
       .group = "fs",
       .title = "Edit a file",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"path"},
       .examples =
           {{"Change one place",
             R"({"path": "src/main.c", "old_text": "return 1;", "new_text": "return 0;"})"},
            {"Rename everywhere in a file",
             R"({"path": "src/main.c", "old_text": "colour", "new_text": "color", "replace_all": true})"}}},
      run_edit, [](const EditInput& in) { return in.dry_run ? Effect::read : Effect::write; });
}

}  // namespace helve::tools
