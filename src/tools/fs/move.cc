// move: another name or place for a file, a link or a directory.
#include <fmt/core.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

using workspace::Change;
using workspace::OnConflict;

struct MoveInput {
  std::string path;
  std::string to;
  OnConflict on_conflict = OnConflict::error;

  static constexpr auto schema() {
    return object(
        "Move or rename a file, a link or a directory with all it holds. Missing directories of "
        "the new path are made. A file that is there is replaced only with on_conflict=overwrite, "
        "a directory never. Only within one file system; .git and .helve are not moved.",
        arg<&MoveInput::path>("What to move, relative to the workspace or absolute inside it")
            .file()
            .min_length(1),
        arg<&MoveInput::to>("Its new path, not the directory to put it in").file().min_length(1),
        opt<&MoveInput::on_conflict>("What to do when a file has the new path"));
  }
};

struct MoveOutput {
  std::string path;
  std::string to;
  bool replaced = false;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was moved.", arg<&MoveOutput::path>("What it was called"),
                  arg<&MoveOutput::to>("What it is called now"),
                  arg<&MoveOutput::replaced>("True when a file had that path and is gone"),
                  opt<&MoveOutput::change>("Id of the change, for undo"),
                  opt<&MoveOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    return fmt::format("Moved {} to {}{}{}", shown_name(path), shown_name(to),
                       replaced ? ", replacing what was there" : "", lines_of(notes));
  }
};

Result<MoveOutput> move(const MoveInput& in, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "move"));
  TRY(context.checkpoint());
  // What is replaced must be what the session knows.
  if (in.on_conflict == OnConflict::overwrite) {
    TRY(files.check_seen(context.who.session, in.to));
  }
  const Change change{.kind = Change::Kind::move,
                      .path = in.path,
                      .to = in.to,
                      .replace = in.on_conflict == OnConflict::overwrite};
  const workspace::Applied applied =
      TRY(offering_overwrite(files.apply({&change, 1}, author_of(context))));
  const workspace::Changed& moved = applied.files.back();
  return MoveOutput{.path = moved.path,
                    .to = moved.to,
                    .replaced = applied.files.size() > 1,
                    .change = change_of(applied),
                    .notes = applied.notes};
}

}  // namespace

Tool tool_move() {
  return make_tool(
      {.name = "move",
       .group = "fs",
       .title = "Move or rename a file or directory",
       .effect = Effect::write,
       .destructive = true,
       .subject = {"path", "to"},
       .examples = {{"Another name", R"({"path": "draft.md", "to": "docs/guide.md"})"}}},
      move);
}

}  // namespace helve::tools
