# helve_tool_table(TARGET FOLDER FUNCTION) adds the tools below FOLDER to TARGET and writes
# `std::vector<helve::Tool> helve::FUNCTION()`, the table of them: every FOLDER/<group>/<id>.cc defines
# `Tool tool_<id>()` in namespace helve::tools. A file without its function fails at link, by name.
# (A self-registering static object would be dropped by the linker from a static library.)
function(helve_tool_table target folder function)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*/*.cc)
  list(SORT files)
  set(declarations "")
  set(calls "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    string(APPEND declarations "Tool tool_${id}();\n")
    string(APPEND calls "  tools.push_back(tools::tool_${id}());\n")
  endforeach()
  list(LENGTH files count)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
// Written by the build from the folder of tools.
#include "tool/tool.h"
namespace helve {
namespace tools {
@declarations@}
std::vector<Tool> @function@();
std::vector<Tool> @function@() {
  std::vector<Tool> tools;
  tools.reserve(@count@);
@calls@  return tools;
}
}  // namespace helve
]])
  target_sources(${target} PRIVATE ${files} ${table})
endfunction()
