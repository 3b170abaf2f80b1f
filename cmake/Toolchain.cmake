# Compiler, linker and flags: the same for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
if(HELVE_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # To optimize what its checks add takes g++ longer than all else together.
  set(CMAKE_CXX_FLAGS_DEV "-O0 -g1")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE ccache)
if(CCACHE)
  # Paths below this directory do not count for the cache, so copies of the tree and sibling build directories share it.
  set(shared_base ${CMAKE_SOURCE_DIR})
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR ${CMAKE_BINARY_DIR} is_inside)
  if(NOT is_inside)
    set(shared_base /)
  endif()
  # The precompiled header is part of the key by content, so the sloppiness is safe.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${shared_base} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# A warning of a compiler that we have not tried must not keep anyone from building the binary people run.
add_compile_options(-Wall -Wextra $<$<NOT:$<CONFIG:Release>>:-Werror> -Wno-missing-field-initializers
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -fdata-sections -ffunction-sections)
add_link_options(-Wl,--gc-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-gnu-statement-expression -Wno-missing-designated-field-initializers
                      -Xclang -fno-pch-timestamp -Wthread-safety)
endif()
if(HELVE_SANITIZE)
  add_compile_options(-fsanitize=${HELVE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HELVE_SANITIZE})
  if(HELVE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)  # coverage in all of our code, no main
  endif()
else()
  # The C++ runtime travels with the binary; the C library does not.
  add_link_options(-static-libstdc++ -static-libgcc)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_options(-D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    add_link_options(-Wl,-z,relro -Wl,-z,now -s)
  endif()
endif()
if(HELVE_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy-19 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${CLANG_TIDY})
endif()
