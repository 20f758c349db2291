# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, its public headers, the program and the package for find_package(espalier).
include(CMakePackageConfigHelpers)

# An installed library still has to find StarPU and the BLAS where they were at build time.
set_target_properties(espalier espalier_program espalier_sched PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(espalier_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
install(TARGETS espalier EXPORT espalier_targets)
install(TARGETS espalier_program)
install(TARGETS espalier_sched LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/espalier" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(PROGRAMS tools/plot/calibration.py DESTINATION "${CMAKE_INSTALL_DATADIR}/espalier")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/espalier")
install(EXPORT espalier_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/tools/cmake/espalier-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/espalier-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/espalier-config.cmake"
              "${PROJECT_BINARY_DIR}/espalier-config-version.cmake" DESTINATION "${package_dir}")
