// write: a file as a whole, created or replaced; whoever looks sees the old content or the new.
#include <fmt/core.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

using workspace::OnConflict;

constexpr size_t kMaxCompared = 256 << 10;  // bytes of what was there, and of what is new

struct WriteInput {
  std::string path;
  std::string content;
  OnConflict on_conflict = OnConflict::overwrite;

  static constexpr auto schema() {
    return object(
        "Write a whole file: creates it, with missing directories, or replaces what was there. The "
        "content "
        "is written byte for byte. Links, files with several names (hard links), .git and .helve "
        "are not "
        "written. At most 64 MB.",
        arg<&WriteInput::path>("File, relative to the workspace or absolute inside it")
            .file()
            .min_length(1),
        arg<&WriteInput::content>("The whole new content").from_stdin(),
        opt<&WriteInput::on_conflict>("What to do when the file exists"));
  }
};

struct WriteOutput {
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  bool created = false;
  std::optional<std::string> diff;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was written.",
                  arg<&WriteOutput::path>("The file, as the workspace names it"),
                  arg<&WriteOutput::bytes>("Size of the new content in bytes"),
                  arg<&WriteOutput::lines>("Lines of the new content"),
                  arg<&WriteOutput::created>("False when a file was replaced"),
                  opt<&WriteOutput::diff>("Where text of up to 256 KB was replaced: the changed "
                                          "lines with their numbers and two lines around them"),
                  opt<&WriteOutput::change>("Id of the change, for undo"),
                  opt<&WriteOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    const std::string shown = diff ? "\n" + *diff : "";
    return fmt::format("{} {} ({} {}, {} {}){}{}", created ? "Created" : "Overwrote",
                       shown_name(path), lines, lines == 1 ? "line" : "lines", bytes,
                       bytes == 1 ? "byte" : "bytes", lines_of(notes), shown);
  }
};

// What there is to compare with: text of moderate size.
std::optional<workspace::Snapshot> text_of(const std::string& path,
                                           const workspace::Workspace& files) {
  Result<workspace::Snapshot> old = files.read_whole(path, kMaxCompared);
  if (!old || !is_utf8(old->content) || old->content.find('\0') != old->content.npos) return {};
  return std::move(*old);
}

Result<WriteOutput> write(const WriteInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "write"));
  TRY(context.checkpoint());
  workspace::Change change{.path = in.path, .content = in.content, .on_conflict = in.on_conflict};
  std::optional<workspace::Snapshot> old;
  if (in.on_conflict == OnConflict::overwrite) {
    change.expected = TRY(files.check_seen(context.who.session, in.path));
    old = text_of(in.path, files);
  }
  const workspace::Applied applied =
      TRY(offering_overwrite(files.apply({&change, 1}, author_of(context))));
  const auto newlines = std::count(in.content.begin(), in.content.end(), '\n');
  const bool open_end = !in.content.empty() && in.content.back() != '\n';
  const bool created = applied.files[0].what == workspace::Changed::What::created;
  // What was read may not be what was replaced: somebody may have been faster.
  const bool is_same = old && !created && applied.files[0].old.same_content(old->version);
  std::optional<std::string> diff;
  if (is_same && in.content.size() <= kMaxCompared && is_utf8(in.content))
    diff = short_diff(old->content, in.content);
  return WriteOutput{.path = files.display(in.path),
                     .bytes = static_cast<std::int64_t>(in.content.size()),
                     .lines = newlines + (open_end ? 1 : 0),
                     .created = created,
                     .diff = diff && !diff->empty() ? std::move(diff) : std::nullopt,
                     .change = change_of(applied),
                     .notes = applied.notes};
}

}  // namespace

Tool tool_write() {
  return make_tool(
      {.name = "write",
       .group = "fs",
       .title = "Write a file",
       .effect = Effect::write,
       .idempotent = true,
       .destructive = true,
       .subject = {"path"},
       .examples =
           {{"A new or changed file", R"({"path": "notes/today.md", "content": "# Today\n"})"},
            {"Only if it does not exist yet",
             R"({"path": "notes/today.md", "content": "# Today\n", "on_conflict": "error"})"}}},
      write);
}

}  // namespace helve::tools
