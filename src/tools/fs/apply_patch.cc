// apply_patch: many files changed by one patch, all of them or none.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.h"
#include "edit/plan.h"
#include "tool/make.h"
#include "tools/edited_file.h"
#include "tools/line_patches.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

using edit::PlannedFile;
using edit::Stage;
using workspace::Change;

struct ApplyPatchInput {
  std::optional<std::string> patch;
  std::optional<std::string> path;
  std::vector<LinePatchItem> patches;
  bool dry_run = false;

  static constexpr auto schema() {
    return object(
        "Change many files at once, all or none. The patch is '*** Begin Patch', then for each "
        "file "
        "'*** Add File: p' with '+' lines, '*** Delete File: p', or '*** Update File: p' (then "
        "perhaps "
        "'*** Move to: p') with hunks: '@@' or '@@ function or class it is in', then lines that "
        "begin with "
        "' ' (context), '-' or '+'; then '*** End Patch'. A unified diff works too. Give about "
        "three lines "
        "of context: hunks are found by what they say, whitespace aside, and one that fits several "
        "places is refused. A '+' line always ends with a newline, also the last of a file.",
        opt<&ApplyPatchInput::patch>("The patch").positional().from_stdin(),
        opt<&ApplyPatchInput::path>("The file of line patches, or of hunks that name none")
            .file()
            .min_length(1),
        opt<&ApplyPatchInput::patches>(
            "Instead of patch: lines to replace in the file at path, all counted as "
            "they are before the call")
            .max_length(kMaxLinePatches),
        opt<&ApplyPatchInput::dry_run>("Only verify and show what would change").shorthand('n'));
  }
};

enum class Action : unsigned char { added, modified, deleted, renamed, copied };
constexpr std::string_view kLetters = "AMDRC";

struct PatchedFile {
  Action action = Action::modified;
  std::string path;
  std::optional<std::string> to;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  Stage stage = Stage::exact;
  std::optional<std::string> note;

  static constexpr auto schema() {
    return object(
        "What became of one file.", arg<&PatchedFile::action>("What was done"),
        arg<&PatchedFile::path>("The file, as the workspace names it"),
        opt<&PatchedFile::to>("Its new name, or that of the copy"),
        arg<&PatchedFile::added>("Lines that are new"),
        arg<&PatchedFile::removed>("Lines that are gone"),
        arg<&PatchedFile::stage>("What had to be ignored to find the hunks; exact: nothing"),
        opt<&PatchedFile::note>("What was asked for and not done, or done beyond it"));
  }

  std::string text() const {
    std::string line =
        fmt::format("{} {}", kLetters[static_cast<size_t>(action)], shown_name(path));
    if (to) line += " → " + shown_name(*to);
    if (added > 0 || removed > 0) line += fmt::format(" (+{} -{})", added, removed);
    if (const std::string_view ignored = edit::describe(stage); !ignored.empty())
      line.append(", ").append(ignored);
    if (note) line.append("; ").append(*note);
    return line;
  }
};

struct ApplyPatchOutput {
  std::vector<PatchedFile> files;
  std::optional<bool> dry_run;
  std::optional<std::string> change;
  Notes notes;

  static constexpr auto schema() {
    return object("What became of each file.",
                  arg<&ApplyPatchOutput::files>("In the order of the patch"),
                  opt<&ApplyPatchOutput::dry_run>("True when nothing was written"),
                  opt<&ApplyPatchOutput::change>("Id of the change, for undo"),
                  opt<&ApplyPatchOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    std::string out = dry_run ? "Would change:\n" : "";
    for (const PatchedFile& file : files) out.append(file.text()).append("\n");
    if (notes)
      for (const std::string& note : *notes) out.append(escape_for_display(note)).append("\n");
    return out;
  }
};

// The files of one call: each read once, and its version kept for the moment of writing.
class Reader {
 public:
  Reader(workspace::Workspace& files, const Context& context) : files_(files), context_(context) {}

  std::string name(std::string_view path) const { return files_.display(path); }

  Result<std::optional<std::string>> read(const std::string& path) {
    TRY(context_.checkpoint());
    Result<EditedFile> file = open_for_edit(path, context_, files_);
    if (!file && file.error().code == Code::not_found) return std::nullopt;
    if (!file) return std::move(file).error();
    std::string text = std::move(file->text);
    known_.insert_or_assign(name(path), std::move(*file));
    return text;
  }

  // The file as it was read; null when there was none.
  const EditedFile* known(std::string_view path) const {
    const auto file = known_.find(name(path));
    return file == known_.end() ? nullptr : &file->second;
  }

 private:
  workspace::Workspace& files_;
  const Context& context_;
  std::map<std::string, EditedFile, std::less<>> known_;
};

// The content at a new place, in the encoding that the file had at its old one.
Result<Change> write_to(const std::string& path, PlannedFile& file, const EditedFile* source,
                        const Reader& reader) {
  Change change{.path = path};
  const EditedFile* const there = reader.known(path);
  if (source)
    change.content = TRY(edit::encode_again(std::move(file.content), source->format));
  else
    change.content = std::move(file.content);
  if (there) change.expected = there->version;
  if (!there) change.on_conflict = workspace::OnConflict::error;
  change.is_rename = file.kind == PlannedFile::Kind::move;
  if (source && source->path != path && (!there || change.is_rename)) change.like = source->path;
  if (file.executable) change.mode = 0755;
  return change;
}

Result<std::vector<Change>> changes_of(std::vector<PlannedFile>& planned, const Reader& reader) {
  std::set<std::string> written;
  for (const PlannedFile& file : planned) {
    if (file.kind != PlannedFile::Kind::remove)
      written.insert(reader.name(file.to.empty() ? file.path : file.to));
  }
  std::vector<Change> changes;
  for (PlannedFile& file : planned) {
    const EditedFile* const source =
        file.kind == PlannedFile::Kind::add ? nullptr : reader.known(file.path);
    const bool name_is_taken = written.contains(reader.name(file.path));
    if (file.kind == PlannedFile::Kind::move && !file.changed && !file.overwrites &&
        !name_is_taken) {
      changes.push_back({.kind = Change::Kind::move,
                         .path = file.path,
                         .to = file.to,
                         .on_conflict = workspace::OnConflict::error,
                         .expected = source->version});
      continue;
    }
    if (file.kind != PlannedFile::Kind::remove)
      changes.push_back(TRY(write_to(file.to.empty() ? file.path : file.to, file, source, reader)));
    const bool leaves =
        file.kind == PlannedFile::Kind::remove || file.kind == PlannedFile::Kind::move;
    if (leaves && !name_is_taken)
      changes.push_back(
          {.kind = Change::Kind::remove, .path = file.path, .expected = source->version});
  }
  return changes;
}

PatchedFile shown(const PlannedFile& file, const Reader& reader) {
  PatchedFile patched{.action = static_cast<Action>(file.kind),
                      .path = reader.name(file.path),
                      .stage = file.stage};
  if (file.kind == PlannedFile::Kind::add && file.overwrites) patched.action = Action::modified;
  if (!file.to.empty()) patched.to = reader.name(file.to);
  patched.added = static_cast<std::int64_t>(file.added);
  patched.removed = static_cast<std::int64_t>(file.removed);
  if (!file.note.empty()) patched.note = file.note;
  return patched;
}

Result<std::vector<PlannedFile>> plan_line_patches(const ApplyPatchInput& in, Reader& reader) {
  std::optional<std::string> content = TRY(reader.read(*in.path));
  if (!content) {
    return Error{Code::not_found, fmt::format("no file '{}'", escape_for_display(*in.path)),
                 "write makes a new file", ""};
  }
  edit::Patched patched = TRY(apply_items(std::move(*content), in.patches, *in.path));
  PlannedFile file{.kind = PlannedFile::Kind::update,
                   .path = *in.path,
                   .content = std::move(patched.content),
                   .added = patched.added,
                   .removed = patched.removed};
  std::vector<PlannedFile> planned;
  planned.push_back(std::move(file));
  return planned;
}

Result<std::vector<PlannedFile>> plan(const ApplyPatchInput& in, Reader& reader) {
  if (in.patch.has_value() == !in.patches.empty()) {
    return Error{Code::invalid_argument,
                 in.patch ? "both patch and patches are given" : "patch is missing",
                 "give patch, or path and patches", "invalid_input"};
  }
  if (!in.patches.empty() && !in.path) {
    return Error{Code::invalid_argument, "path is missing",
                 "name the file whose lines patches replace", "invalid_input"};
  }
  if (!in.patches.empty()) return plan_line_patches(in, reader);
  Result<std::vector<edit::FilePatch>> parsed = edit::parse_patch(*in.patch, in.path.value_or(""));
  const bool is_one_line = in.patch->find('\n') == in.patch->npos;
  if (!parsed && is_one_line && reader.read(*in.patch).value_or(std::nullopt))
    parsed.error().hint = "this is the name of a file: give what it holds (at a shell: - < FILE)";
  std::vector<edit::FilePatch> patches = TRY(std::move(parsed));
  return edit::plan_patch(std::move(patches),
                          {[&](std::string_view path) { return reader.name(path); },
                           [&](const std::string& path) { return reader.read(path); }});
}

Result<ApplyPatchOutput> apply_patch(const ApplyPatchInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "apply_patch"));
  Reader reader(files, context);
  std::vector<PlannedFile> planned = TRY(plan(in, reader));
  ApplyPatchOutput output;
  for (const PlannedFile& file : planned) output.files.push_back(shown(file, reader));
  const std::vector<Change> changes = TRY(changes_of(planned, reader));
  TRY(context.checkpoint());
  if (in.dry_run) {
    output.dry_run = true;
    return output;
  }
  workspace::Applied applied = TRY(files.apply(changes, author_of(context)));
  output.change = change_of(applied);
  output.notes = notes_of(std::move(applied));
  return output;
}

}  // namespace

Tool tool_apply_patch() {
  return make_tool(
      {.name = "apply_patch",
       .group = "fs",
       .title = "Apply a patch",
       .effect = Effect::write,
       .destructive = true,
       .examples =
           {{"Change one file and add another",
             R"({"patch": "*** Begin Patch\n*** Update File: src/a.py\n@@ def main():\n-    run(1)\n+    run(2)\n*** Add File: src/b.py\n+print(1)\n*** End Patch\n"})"},
            {"Replace lines by number",
             R"({"path": "notes.md", "patches": [{"start_line": 3, "end_line": 4, "content": "new text"}]})"}}},
      apply_patch,
      [](const ApplyPatchInput& in) { return in.dry_run ? Effect::read : Effect::write; });
}

}  // namespace helve::tools
