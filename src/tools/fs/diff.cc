// diff: what changes did to files, as a unified diff.
#include <fmt/core.h>

#include "base/diff.h"
#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxDiff = 256 * 1024;  // bytes; the rest is counted

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
        opt<&DiffInput::path>("Only this file, or what is in this directory").min_length(1));
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
    for (const std::string& note : notes) out += fmt::format("# {}\n", escape_for_display(note));
    return out + escape_invalid_utf8(diff);
  }
};

std::string_view mode_of(const workspace::Difference& file) {
  if (file.is_link) return "120000";
  return file.is_executable ? "100755" : "100644";
}

// As git writes it: what the lines of a unified diff cannot say stands before them. Nothing when
// one of the contents is no text.
std::optional<std::string> patch_of(const workspace::Difference& file) {
  const std::string before = file.before.value_or(""), after = file.after.value_or("");
  if (!is_utf8(before) || !is_utf8(after) || before.find('\0') != before.npos ||
      after.find('\0') != after.npos) {
    return {};
  }
  const std::string& old_path = file.renamed_from.empty() ? file.path : file.renamed_from;
  const std::string old_name = "a/" + old_path, new_name = "b/" + file.path;
  std::string patch = fmt::format("diff --git {} {}\n", patch_name(old_name), patch_name(new_name));
  if (!file.renamed_from.empty()) {
    return patch + fmt::format("similarity index 100%\nrename from {}\nrename to {}\n",
                               patch_name(old_path), patch_name(file.path));
  }
  if (!file.before) patch += fmt::format("new file mode {}\n", mode_of(file));
  if (!file.after) patch += fmt::format("deleted file mode {}\n", mode_of(file));
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
      output.notes.push_back(fmt::format("{}: not text", file.path));
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
