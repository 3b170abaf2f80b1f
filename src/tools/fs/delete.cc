// delete: a file, a link or a directory goes; undo brings it back.
#include <fmt/core.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

using workspace::Change;

struct DeleteInput {
  std::string path;
  bool recursive = false;

  static constexpr auto schema() {
    return object(
        "Delete a file or a link (never what the link leads to), or with recursive a directory "
        "with all it holds, at most 4095 entries and 512 MB. undo restores it. .git, .helve and "
        "directories "
        "that hold them are not deleted.",
        arg<&DeleteInput::path>("What to delete, relative to the workspace or absolute inside it")
            .file()
            .min_length(1),
        opt<&DeleteInput::recursive>("Delete a directory with all it holds").shorthand('r'));
  }
};

struct DeleteOutput {
  std::string path;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was deleted.", arg<&DeleteOutput::path>("What it was called"),
                  opt<&DeleteOutput::change>("Id of the change, for undo"),
                  opt<&DeleteOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    return fmt::format("Deleted {}{}", shown_name(path), lines_of(notes));
  }
};

Result<DeleteOutput> delete_path(const DeleteInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "delete"));
  TRY(context.checkpoint());
  Change change{.kind = Change::Kind::remove, .path = in.path, .tree = in.recursive};
  change.expected = TRY(files.check_seen(context.who.session, in.path));
  const workspace::Applied applied = TRY(files.apply({&change, 1}, author_of(context)));
  return DeleteOutput{
      .path = applied.files[0].path, .change = change_of(applied), .notes = applied.notes};
}

}  // namespace

Tool tool_delete() {
  return make_tool({.name = "delete",
                    .group = "fs",
                    .title = "Delete a file or directory",
                    .effect = Effect::write,
                    .destructive = true,
                    .subject = {"path", "recursive"},
                    .examples = {{"A file", R"({"path": "old.txt"})"},
                                 {"A directory", R"({"path": "build", "recursive": true})"}}},
                   delete_path);
}

}  // namespace helve::tools
