# The binary, and a CMake package for people who embed the library: find_package(helve), target helve::helve.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/helve)

install(TARGETS helve RUNTIME COMPONENT program)
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
