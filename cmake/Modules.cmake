# One static library per module, linked as src/LAYERS says.
include(${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ToolTable.cmake)

# Modules that no call passes through are built for size in a release: less of the binary is in memory. They need
# their own copy of the precompiled header, which must be compiled with the same flags.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(HELVE_COLD app cli config hooks model store terminal)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.cc CONTENT "")
  add_library(helve_cold_header OBJECT ${CMAKE_BINARY_DIR}/empty.cc)
  target_compile_options(helve_cold_header PRIVATE -Os)
  target_link_libraries(helve_cold_header PRIVATE helve_base)
  target_precompile_headers(helve_cold_header PRIVATE src/base/precompiled.h)
endif()

file(STRINGS src/LAYERS layers REGEX "^[a-z_]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)
set(HELVE_MODULES)
foreach(line ${layers})
  string(REGEX MATCH "^([a-z_]+):(.*)$" _ "${line}")
  set(module ${CMAKE_MATCH_1})
  separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${module}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/app/(main|media_[a-z]+|spawn_main)\\.cc$")
  if(NOT sources)  # a module of headers only, so far
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.cc CONTENT "")
    set(sources ${CMAKE_BINARY_DIR}/empty.cc)
  endif()
  add_library(helve_${module} STATIC ${sources})
  set_target_properties(helve_${module} PROPERTIES EXPORT_NAME ${module})
  foreach(use ${uses})
    target_link_libraries(helve_${module} PUBLIC helve_${use})
  endforeach()
  if(module STREQUAL "base")
    target_precompile_headers(helve_base PRIVATE src/base/precompiled.h)
  elseif(module IN_LIST HELVE_COLD)
    target_compile_options(helve_${module} PRIVATE -Os)
    target_precompile_headers(helve_${module} REUSE_FROM helve_cold_header)
  else()
    target_precompile_headers(helve_${module} REUSE_FROM helve_base)
  endif()
  list(APPEND HELVE_MODULES helve_${module})
endforeach()

target_include_directories(helve_base PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/helve/src>)
target_compile_features(helve_base PUBLIC cxx_std_23)
target_compile_definitions(helve_base PUBLIC BOOST_JSON_NO_LIB HELVE_VERSION="${PROJECT_VERSION}")
target_link_libraries(helve_base PUBLIC helve_system::boost_json Threads::Threads)
target_link_libraries(helve_sys PUBLIC ${CMAKE_DL_LIBS})
target_link_libraries(helve_schema PUBLIC helve_system::pcre2-8)
target_link_libraries(helve_jsonata PUBLIC helve_system::pcre2-8)
target_link_libraries(helve_sandbox PUBLIC helve_system::seccomp)
target_link_libraries(helve_search PUBLIC helve_system::hs helve_system::pcre2-8 m)
target_link_libraries(helve_store PUBLIC helve_system::sqlite3 ${CMAKE_DL_LIBS} m)
target_link_libraries(helve_workspace PUBLIC helve_system::zstd)
target_link_libraries(helve_config PUBLIC helve_system::yaml-cpp)

helve_tool_table(helve_tools ${CMAKE_SOURCE_DIR}/src/tools builtin_tools)

# The library as a whole, as embedders link it.
add_library(helve_library INTERFACE)
add_library(helve::helve ALIAS helve_library)
set_target_properties(helve_library PROPERTIES EXPORT_NAME helve)
target_link_libraries(helve_library INTERFACE ${HELVE_MODULES})

add_executable(helve src/app/main.cc)
target_link_libraries(helve PRIVATE helve_app)
target_precompile_headers(helve REUSE_FROM helve_base)

# The helper that starts commands: as small as can be, so that each start is quick.
add_executable(helve-spawn src/app/spawn_main.cc)
target_link_libraries(helve-spawn PRIVATE helve_process)
if(NOT HELVE_SANITIZE)
  target_link_options(helve-spawn PRIVATE -static)
endif()
add_dependencies(helve helve-spawn)

# The helper that opens PDFs and scales images, with libraries that helve itself must not load. Without them helve is
# built as well, and says what is missing when it is asked for such a file.
find_path(HELVE_POPPLER_HEADERS poppler-document.h PATH_SUFFIXES poppler/cpp)
foreach(name poppler-cpp png jpeg)
  find_library(HELVE_SHARED_${name} NAMES lib${name}.so)
  list(APPEND helper_libraries ${HELVE_SHARED_${name}})
  mark_as_advanced(HELVE_SHARED_${name})
endforeach()
if(HELVE_POPPLER_HEADERS AND NOT "${helper_libraries}" MATCHES "NOTFOUND")
  add_executable(helve-media src/app/media_main.cc src/app/media_pixels.cc)
  target_include_directories(helve-media SYSTEM PRIVATE ${HELVE_POPPLER_HEADERS})
  target_link_libraries(helve-media PRIVATE helve_media ${helper_libraries})
  # poppler hands out containers, so both must use the one C++ runtime.
  get_target_property(options helve-media LINK_OPTIONS)
  list(REMOVE_ITEM options -static-libstdc++ -static-libgcc)
  set_target_properties(helve-media PROPERTIES LINK_OPTIONS "${options}")
  add_dependencies(helve helve-media)
else()
  message(WARNING "helve-media is not built: it needs libpoppler-cpp-dev, libpng-dev and libjpeg-dev")
endif()
