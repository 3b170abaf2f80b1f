// diff: what changes did to files, as a unified diff.
#include <fmt/core.h>

#include "base/diff.h"
#include "base/encoding.h"
#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxDiff = 256 * 1024;  // bytes; the rest is counted
constexpr size_t kMaxNoteLines = 40;     // of a file that the patch leaves out

struct DiffInput {
  std::optional<std::string> change;
  std::optional<std::string> session;
  std::optional<std::string> since;
  std::optional<std::string> path;

  static constexpr auto schema() {
    return object(
        "Show what tools changed as a unified diff in git's format: of one change, of a session, "
        "or of everything since a change; without arguments the newest change of this session "
        "that is not undone. At most 256 KB.",
        opt<&DiffInput::change>(
            "Id of the change, or as much of it as tells it apart; changes lists them")
            .positional()
            .min_length(1),
        opt<&DiffInput::session>("Everything that this session changed").min_length(1),
        opt<&DiffInput::since>("Everything that was changed after this change").min_length(1),
        opt<&DiffInput::path>("Only this file, or what is in this directory").file().min_length(1));
  }
};

struct DiffOutput {
  std::vector<std::string> changes;
  std::int64_t files = 0;
  std::string diff;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("A difference.", arg<&DiffOutput::changes>("Ids of the changes, newest first"),
                  arg<&DiffOutput::files>("Files that differ"),
                  arg<&DiffOutput::diff>("A patch that git apply takes"),
                  opt<&DiffOutput::notes>("What the patch leaves out"));
  }

  // Notes come first, as lines that programs which apply patches pass over.
  std::string text() const {
    std::string out;
    for (const std::string& note : notes) {
      for (const std::string_view line : split(note, '\n'))
        out += fmt::format("# {}\n", escape_for_display(line));
    }
    return out + escape_invalid_utf8(diff);
  }
};

bool is_text(std::string_view content) {
  return is_utf8(content) && content.find('\0') == content.npos;
}

// Of a file and a link git knows no difference, but that one went and the other came.
bool is_another_kind(const workspace::Difference& file) {
  constexpr std::uint32_t kKind = 0170000;
  return file.before && file.after && (file.old_mode & kKind) != (file.new_mode & kKind);
}

// In percent, by lines.
size_t similarity(std::string_view before, std::string_view after) {
  const size_t lines = count_lines(before);
  const size_t kept = lines - count_changes(diff_lines(before, after)).removed;
  return kept * 100 / std::max<size_t>({lines, count_lines(after), 1});
}

// What a patch cannot carry, for people to read.
std::string note_of(const workspace::Difference& file) {
  const auto before = readable(file.before.value_or("")), after = readable(file.after.value_or(""));
  if (!before || !after) return fmt::format("{}: not text", file.path);
  const Encoding encoding =
      before->encoding != Encoding::utf_8 ? before->encoding : after->encoding;
  const std::string_view name =
      encoding == Encoding::utf_8 ? "text that is not all UTF-8" : name_of(encoding);
  const DiffSummary summary =
      summarize_diff(before->text, after->text, {.max_lines = kMaxNoteLines});
  std::string_view lines = summary.text;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  return fmt::format("{}: {}, which the patch cannot carry (+{} -{}):\n{}", file.path, name,
                     summary.counts.added, summary.counts.removed, lines);
}

// As git writes it: what the lines of a unified diff cannot say stands before them. Nothing when
// one of the contents is no text.
std::optional<std::string> patch_of(const workspace::Difference& file) {
  const std::string before = file.before.value_or(""), after = file.after.value_or("");
  if (!is_text(before) || !is_text(after)) return {};
  if (is_another_kind(file)) {
    workspace::Difference gone = file, came = file;
    gone.after.reset();
    came.before.reset();
    return *patch_of(gone) + *patch_of(came);
  }
  const std::string& old_path = file.renamed_from.empty() ? file.path : file.renamed_from;
  const std::string old_name = "a/" + old_path, new_name = "b/" + file.path;
  std::string patch = fmt::format("diff --git {} {}\n", patch_name(old_name), patch_name(new_name));
  if (!file.renamed_from.empty() && !file.before) {
    return patch + fmt::format("similarity index 100%\nrename from {}\nrename to {}\n",
                               patch_name(old_path), patch_name(file.path));
  }
  if (!file.before) patch += fmt::format("new file mode {:06o}\n", file.new_mode);
  if (!file.after) patch += fmt::format("deleted file mode {:06o}\n", file.old_mode);
  if (file.before && file.after && file.old_mode != file.new_mode) {
    patch += fmt::format("old mode {:06o}\nnew mode {:06o}\n", file.old_mode, file.new_mode);
  }
  if (!file.renamed_from.empty()) {
    patch += fmt::format("similarity index {}%\nrename from {}\nrename to {}\n",
                         similarity(before, after), patch_name(old_path), patch_name(file.path));
  }
  return patch +
         unified_diff({file.before ? old_name : "/dev/null", file.after ? new_name : "/dev/null"},
                      before, after);
}

Result<DiffOutput> diff(const DiffInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "diff"));
  TRY(context.checkpoint());
  if (in.change.has_value() + in.session.has_value() + in.since.has_value() > 1) {
    return Error{Code::invalid_argument, "change, session and since exclude each other",
                 "give one of them"};
  }
  const workspace::Differences found = TRY(files.differences({.id = in.change.value_or(""),
                                                              .session = in.session.value_or(""),
                                                              .since = in.since.value_or(""),
                                                              .path = in.path.value_or(""),
                                                              .own_session = context.who.session,
                                                              .any = context.means_any_session()}));
  DiffOutput output{.changes = found.ids, .files = static_cast<std::int64_t>(found.files.size())};
  for (const workspace::Difference& file : found.files) {
    TRY(context.checkpoint());
    if (!file.note.empty()) {
      output.notes.push_back(fmt::format("{}: {}", file.path, file.note));
      continue;
    }
    const std::optional<std::string> patch = patch_of(file);
    if (!patch) {
      output.notes.push_back(note_of(file));
    } else if (output.diff.size() + patch->size() > kMaxDiff) {
      output.notes.push_back(
          fmt::format("{}: left out, its difference has {}", file.path, human_size(patch->size())));
    } else {
      output.diff += *patch;
    }
  }
  return output;
}

}  // namespace

Tool tool_diff() {
  return make_tool(
      {.name = "diff",
       .group = "fs",
       .top_level = true,
       .title = "Show changes of files",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"The newest change", "{}"}, {"Of one file", R"({"path": "src/main.cc"})"}}},
      diff);
}

}  // namespace helve::tools
