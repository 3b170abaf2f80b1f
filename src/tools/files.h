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

}  // namespace helve::tools
