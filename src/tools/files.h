// How a file tool gets at its files: from the context, or not at all.
#pragma once

#include <string>

#include "base/result.h"
#include "tool/context.h"
#include "workspace/workspace.h"

namespace helve::tools {

inline Result<workspace::Workspace*> need_files(const Context& context, const std::string& tool) {
  if (context.files) return context.files;
  return Error{Code::denied, tool + " has no access to files",
               "this session was started without a workspace", "no_files"};
}

// Who makes a change, for the journal and for what the session has seen.
inline workspace::Author author_of(const Context& context) {
  return {.tool = context.tool, .call_id = context.call_id, .session = context.who.session};
}

}  // namespace helve::tools
