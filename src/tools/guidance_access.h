// How tools get at prompts and skills, and what those that change them have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guidance/library.h"
#include "tools/files.h"
#include "tools/line_patches.h"

namespace helve::tools {

Result<guidance::Library*> need_guidance(const Context& context);

// The lines with their numbers, as patches count them.
std::string numbered(std::string_view text);

// Tools change only what lies in .helve of the workspace and does not forbid it (the type
// agent_modification_disabled). `what` is "prompt" or "skill".
Result<void> check_may_change(const guidance::File& file, bool agent_modification,
                              std::string_view what);
// The session knows the file as it is from now on.
void note_seen(const guidance::File& file, Context& context);
// A conflict (mtime_conflict) when somebody else changed the file since the session saw it.
Result<void> check_seen(const guidance::File& file, Context& context);

// What was found wrong with a text, told of the file that it is not written to.
Result<void> not_written(std::string_view path, Result<void> checked);

// What the tools that change something answer.
struct GuidanceChange {
  std::string name;
  std::string path;
  std::optional<std::string> diff;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was changed.", arg<&GuidanceChange::name>("Its name"),
                  arg<&GuidanceChange::path>("Its file"),
                  opt<&GuidanceChange::diff>("The changed lines with their numbers"),
                  opt<&GuidanceChange::change>("Id of the change, for undo"),
                  opt<&GuidanceChange::notes>("What cannot be undone"));
  }
  // "Created .helve/prompts/style.md", and so on.
  std::string said;
  std::string text() const;
};
GuidanceChange changed(std::string said, std::string_view name, std::string_view path,
                       const workspace::Applied& applied);

// What the tools that change lines are asked.
struct GuidanceEdit {
  std::string name;
  std::vector<LinePatchItem> patches;

  static constexpr auto schema() {
    return object(
        "Lines to change.", arg<&GuidanceEdit::name>("Its name").min_length(1),
        arg<&GuidanceEdit::patches>("Lines to replace, all counted as they are before the call")
            .min_length(1)
            .max_length(kMaxLinePatches));
  }
};
// Writes the file as it then is, unless `check` refuses that or somebody else has changed it.
Result<GuidanceChange> change_lines(const GuidanceEdit& in, const guidance::File& file,
                                    Result<void> (*check)(const std::string& name,
                                                          std::string_view text),
                                    Context& context);

}  // namespace helve::tools
