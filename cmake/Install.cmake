# The binary, and a CMake package for people who embed the library: find_package(helve), target helve::helve.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/helve)

install(TARGETS helve helve-spawn RUNTIME COMPONENT program)
if(TARGET helve-media)
  install(TARGETS helve-media RUNTIME COMPONENT program)
endif()

# The program writes its own man page and completions. Where it cannot run, as in a build for another machine, they are
# left out.
set(pages ${CMAKE_BINARY_DIR}/pages)
function(helve_install_page file destination)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:helve>\" ${ARGN} OUTPUT_FILE \"${pages}/${file}\" RESULT_VARIABLE failed)
if(failed)
  file(REMOVE \"${pages}/${file}\")
endif()" COMPONENT program)
  install(FILES ${pages}/${file} DESTINATION ${destination} COMPONENT program OPTIONAL)
endfunction()
install(CODE "file(MAKE_DIRECTORY \"${pages}\")" COMPONENT program)
helve_install_page(helve.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
helve_install_page(helve ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
helve_install_page(_helve ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
helve_install_page(helve.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
install(TARGETS helve_library ${HELVE_MODULES} EXPORT helve ARCHIVE COMPONENT library)
install(EXPORT helve NAMESPACE helve:: FILE helveTargets.cmake DESTINATION ${package_dir} COMPONENT library)

install(DIRECTORY include/helve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
foreach(target ${HELVE_MODULES})
  string(REPLACE helve_ "" module ${target})
  install(DIRECTORY src/${module} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/helve/src COMPONENT library
          FILES_MATCHING PATTERN *.h PATTERN precompiled.h EXCLUDE)
endforeach()

write_basic_package_version_file(${CMAKE_BINARY_DIR}/helveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/helveConfig.cmake cmake/Dependencies.cmake cmake/ToolTable.cmake
              ${CMAKE_BINARY_DIR}/helveConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)
