# Found by find_package(helve): the target helve::helve and the function helve_tool_table.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/helveTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ToolTable.cmake)
