# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, its public headers, the program, and the packages for find_package(espalier) and pkg-config.
include(CMakePackageConfigHelpers)

# espalier_folders_beyond_loader(RESULT FILE...): where those of the files lie that the dynamic loader does not find by itself.
function(espalier_folders_beyond_loader result)
  set(folders)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    if(IS_ABSOLUTE "${file}" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND folders "${folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

# espalier_install_private_starpu(FOLDER ARGUMENT...): copies what tools/setup.sh has built for this user alone, each library
# under the one name that the loader asks for. The arguments are install()'s.
function(espalier_install_private_starpu folder)
  set(names starpu)
  if(ESPALIER_MPI)
    list(APPEND names starpumpi)
  endif()
  foreach(name IN LISTS names)
    file(GLOB links "${ESPALIER_PRIVATE_STARPU}/lib${name}-1.4.so.[0-9]" "${ESPALIER_PRIVATE_STARPU}/lib${name}-1.4.so.[0-9][0-9]")
    foreach(link IN LISTS links)
      file(REAL_PATH "${link}" file)
      cmake_path(GET link FILENAME loaded_name)
      install(PROGRAMS "${file}" DESTINATION "${folder}" RENAME "${loaded_name}" ${ARGN})
    endforeach()
  endforeach()
  if(ESPALIER_MPI) # StarPU-MPI names the folder that it was built into.
    install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/${loaded_name}\"
                       OLD_RPATH \"${ESPALIER_PRIVATE_STARPU}\" NEW_RPATH \"\\\$ORIGIN\")" ${ARGN})
  endif()
endfunction()

# An installed library needs nothing of a user's cache, so that its prefix may move, to other machines, too. The rest it finds
# where it was at build time: the flavour of the BLAS, MPI, a StarPU or a CUDA toolkit of the system.
get_target_property(blas_libraries BLAS::BLAS INTERFACE_LINK_LIBRARIES)
set(needed ${blas_libraries} ${MPI_CXX_LIBRARIES})
if(NOT ESPALIER_PRIVATE_STARPU)
  get_target_property(starpu_library StarPU::StarPU IMPORTED_LOCATION)
  list(APPEND needed "${starpu_library}")
endif()
espalier_folders_beyond_loader(kept_folders ${needed})
if(ESPALIER_HAS_CUDA)
  list(APPEND kept_folders "${CUDAToolkit_LIBRARY_DIR}")
endif()
if(ESPALIER_PRIVATE_STARPU)
  espalier_install_private_starpu("${CMAKE_INSTALL_LIBDIR}/espalier")
endif()
set_target_properties(espalier espalier_sched PROPERTIES INSTALL_RPATH "$ORIGIN/espalier;${kept_folders}")
install(TARGETS espalier EXPORT espalier_targets)
install(TARGETS espalier_sched LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(without_mpi)
if(ESPALIER_MPI)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(espalier_program PROPERTIES INSTALL_RPATH
                        "$ORIGIN/${bin_to_lib};$ORIGIN/${bin_to_lib}/espalier;${kept_folders}")
  install(TARGETS espalier_mpi EXPORT espalier_mpi_targets)
  install(TARGETS espalier_program)
else()
  set(without_mpi PATTERN mpi.hpp EXCLUDE)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/espalier" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" ${without_mpi})
install(FILES src/doors/c/espalier.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE tools/packaging/NOTICES.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(PROGRAMS tools/plot/calibration.py DESTINATION "${CMAKE_INSTALL_DATADIR}/espalier")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/espalier")
install(EXPORT espalier_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
if(ESPALIER_MPI)
  install(EXPORT espalier_mpi_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
endif()
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
set(packages espalier)
if(ESPALIER_MPI)
  list(APPEND packages espalier-mpi)
endif()
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE mpi_include_flags)
list(TRANSFORM MPI_CXX_COMPILE_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE mpi_definition_flags)
list(JOIN mpi_include_flags " " mpi_include_flags)
list(JOIN mpi_definition_flags " " mpi_definition_flags)
list(JOIN MPI_CXX_LIBRARIES " " mpi_libs)
foreach(package IN LISTS packages)
  configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()

if(ESPALIER_PYTHON)
  set_target_properties(espalier_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib;${kept_folders}")
  set(in_wheel COMPONENT python EXCLUDE_FROM_ALL)
  install(TARGETS espalier_python LIBRARY DESTINATION espalier ${in_wheel})
  if(ESPALIER_PRIVATE_STARPU)
    espalier_install_private_starpu(espalier/lib ${in_wheel})
  endif()
endif()
