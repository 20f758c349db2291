# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, its public headers, the program, and the packages for find_package(espalier) and pkg-config.
include(CMakePackageConfigHelpers)

# An installed library still has to find StarPU and the BLAS where they were at build time.
set_target_properties(espalier espalier_program espalier_sched PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(espalier_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
install(TARGETS espalier EXPORT espalier_targets)
install(TARGETS espalier_mpi EXPORT espalier_mpi_targets)
install(TARGETS espalier_eigen EXPORT espalier_eigen_targets)
install(TARGETS espalier_program)
if(ESPALIER_PETSC)
  set_target_properties(espalier_petsc PROPERTIES INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS espalier_petsc)
  install(FILES src/doors/petsc/espalier_petsc.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
install(TARGETS espalier_sched LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/espalier" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(FILES src/doors/eigen/espalier/eigen.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/espalier")
install(FILES src/doors/c/espalier.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(PROGRAMS tools/plot/calibration.py DESTINATION "${CMAKE_INSTALL_DATADIR}/espalier")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/espalier")
install(EXPORT espalier_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
install(EXPORT espalier_mpi_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
install(EXPORT espalier_eigen_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/tools/cmake/espalier-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/espalier-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/espalier-config.cmake"
              "${PROJECT_BINARY_DIR}/espalier-config-version.cmake" DESTINATION "${package_dir}")

# For pkg-config, relative to where its files lie, so that the whole prefix may move. MPI stays where it is.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(full_pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pkgconfig_to_lib "${full_pkgconfig_dir}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH pkgconfig_to_include "${full_pkgconfig_dir}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE mpi_include_flags)
list(TRANSFORM MPI_CXX_COMPILE_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE mpi_definition_flags)
list(JOIN mpi_include_flags " " mpi_include_flags)
list(JOIN mpi_definition_flags " " mpi_definition_flags)
list(JOIN MPI_CXX_LIBRARIES " " mpi_libs)
foreach(package IN ITEMS espalier espalier-mpi)
  configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()
