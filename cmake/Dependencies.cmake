# What helve links from the system, as imported targets. The installed package reads this file too.
find_package(Threads REQUIRED)

# Static archives where Debian has them: nothing to load at start.
foreach(name boost_json hs pcre2-8 seccomp sqlite3 utf8proc yaml-cpp zstd)
  if(NOT TARGET helve_system::${name})
    find_library(HELVE_LIB_${name} NAMES lib${name}.a)
    if(NOT HELVE_LIB_${name})
      message(FATAL_ERROR "helve needs lib${name}.a; scripts/packages names the Debian package that has it")
    endif()
    mark_as_advanced(HELVE_LIB_${name})
    add_library(helve_system::${name} STATIC IMPORTED)
    set_target_properties(helve_system::${name} PROPERTIES IMPORTED_LOCATION ${HELVE_LIB_${name}})
  endif()
endforeach()
