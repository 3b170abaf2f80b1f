// How a file tool gets at its files: from the context, or not at all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tool/context.h"
#include "workspace/workspace.h"

namespace helve::tools {

inline Result<workspace::Workspace*> need_files(const Context& context, const std::string& tool) {
  if (context.files) return context.files;
  return Error{Code::denied, tool + " has no access to files",
               "this session was started without a workspace", "no_files"};
}

// What an answer has of notes: nothing rather than an empty list.
using Notes = std::optional<std::vector<std::string>>;
inline Notes notes_of(workspace::Applied applied) {
  return applied.notes.empty() ? Notes() : Notes(std::move(applied.notes));
}

// For tools that have on_conflict.
inline Result<workspace::Applied> offering_overwrite(Result<workspace::Applied> applied) {
  if (!applied && applied.error().type == "path_conflict")
    applied.error().hint = "choose another path, or pass on_conflict=overwrite";
  return applied;
}

// Its id, for undo; nothing where no journal is kept.
inline std::optional<std::string> change_of(const workspace::Applied& applied) {
  return applied.id.empty() ? std::nullopt : std::optional(applied.id);
}

// Notes at the end of a text, one on each line.
inline std::string lines_of(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) out += "\n" + escape_for_display(note);
  return out;
}

// Who makes a change, for the journal and for what the session has seen.
inline workspace::Author author_of(const Context& context) {
  return {.tool = context.tool, .call_id = context.call_id, .session = context.who.session};
}

}  // namespace helve::tools
