# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, its public headers, the program, and the packages for find_package(espalier) and pkg-config. The components
# are `library` (with StarPU), `plugin`, `program`, `python`, `notices`, and `development` for everything else.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

# espalier_folders_beyond_loader(RESULT FILE...): returns the folders of files that the dynamic loader does not find by default.
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

# espalier_install_private_starpu(FOLDER ARGUMENT...): copies the StarPU that tools/setup.sh has built for this user. Each library
# gets the name that the loader uses. The arguments are those of install().
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
      install(FILES "${file}" DESTINATION "${folder}" RENAME "${loaded_name}" ${ARGN})
    endforeach()
  endforeach()
  if(ESPALIER_MPI) # StarPU-MPI contains the path of the folder into which it was built.
    install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/${loaded_name}\"
                       OLD_RPATH \"${ESPALIER_PRIVATE_STARPU}\" NEW_RPATH \"\\\$ORIGIN\")" ${ARGN})
  endif()
endfunction()

# An installed library does not use the user's cache, so that its prefix can be moved, even to another machine. Other dependencies
# must stay at their paths of the build: the BLAS flavour, MPI, a system StarPU or a CUDA toolkit.
get_target_property(blas_libraries BLAS::BLAS INTERFACE_LINK_LIBRARIES)
set(needed ${blas_libraries} ${MPI_CXX_LIBRARIES})
if(NOT ESPALIER_PRIVATE_STARPU)
  get_target_property(starpu_library StarPU::StarPU IMPORTED_LOCATION)
  list(APPEND needed "${starpu_library}")
endif()
if(ESPALIER_DEBIAN) # Debian's alternatives choose the flavour
  set(needed)
endif()
espalier_folders_beyond_loader(kept_folders ${needed})
if(ESPALIER_HAS_CUDA)
  list(APPEND kept_folders "${CUDAToolkit_LIBRARY_DIR}")
endif()
if(ESPALIER_PRIVATE_STARPU)
  espalier_install_private_starpu("${CMAKE_INSTALL_LIBDIR}/espalier" COMPONENT library)
endif()
set_target_properties(espalier espalier_sched PROPERTIES INSTALL_RPATH "$ORIGIN/espalier;${kept_folders}")
install(TARGETS espalier EXPORT espalier_targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS espalier_eigen EXPORT espalier_eigen_targets)
if(ESPALIER_PARDISO)
  set_target_properties(espalier_pardiso espalier_mkl_rt PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../..;${kept_folders}")
  # If a program loads a link, $ORIGIN is the folder of the link. Clarabel loads only files that are executable.
  install(TARGETS espalier_pardiso espalier_mkl_rt LIBRARY COMPONENT library
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  espalier_link_as_pardiso("${PROJECT_BINARY_DIR}/links" ../..)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/links/" DESTINATION "${CMAKE_INSTALL_LIBDIR}/espalier/pardiso" COMPONENT library)
endif()
if(ESPALIER_PETSC)
  set_target_properties(espalier_petsc PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/espalier;${kept_folders}")
  install(TARGETS espalier_petsc LIBRARY COMPONENT library)
  install(FILES src/bindings/petsc/espalier_petsc.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
install(TARGETS espalier_sched LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT plugin)
set(without_mpi)
if(ESPALIER_MPI)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(espalier_program PROPERTIES INSTALL_RPATH
                        "$ORIGIN/${bin_to_lib};$ORIGIN/${bin_to_lib}/espalier;${kept_folders}")
  install(TARGETS espalier_mpi EXPORT espalier_mpi_targets)
  install(TARGETS espalier_program RUNTIME COMPONENT program)
  install(CODE "set(espalier_program \"$<TARGET_FILE:espalier_program>\")
                set(espalier_scratch \"${PROJECT_BINARY_DIR}/descriptions\")
                set(espalier_man \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}\")
                set(espalier_data \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")" COMPONENT program)
  install(SCRIPT tools/cmake/install_descriptions.cmake COMPONENT program)
else()
  set(without_mpi PATTERN mpi.hpp EXCLUDE PATTERN starpu_mpi.hpp EXCLUDE)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/espalier" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" ${without_mpi})
install(FILES src/bindings/eigen/espalier/eigen.hpp src/bindings/eigen/espalier/eigen_solver_base.hpp
              src/bindings/eigen/espalier/eigen_triangle.hpp
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/espalier")
install(FILES src/bindings/c/espalier.h src/bindings/fortran/espalier_c.f90 src/bindings/fortran/espalier.f90
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE tools/packaging/NOTICES.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT notices)
install(PROGRAMS tools/plot/calibration.py DESTINATION "${CMAKE_INSTALL_DATADIR}/espalier" COMPONENT program)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/espalier")
install(EXPORT espalier_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
install(EXPORT espalier_eigen_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
if(ESPALIER_MPI)
  install(EXPORT espalier_mpi_targets NAMESPACE espalier:: DESTINATION "${package_dir}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/tools/cmake/espalier-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/espalier-config.cmake"
                              INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/espalier-config.cmake" "${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
              tools/cmake/espalier-fortran.cmake tools/cmake/espalier-mpi.cmake DESTINATION "${package_dir}")

# pkg-config files have paths relative to their own place, so that the whole prefix can be moved. MPI must stay at its path.
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

if(ESPALIER_PYTHON_FOLDER)
  include(EspalierPythonPackage)
elseif(ESPALIER_PYTHON)
  set_target_properties(espalier_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib;${kept_folders}")
  set(in_wheel COMPONENT python EXCLUDE_FROM_ALL)
  install(TARGETS espalier_python LIBRARY DESTINATION espalier ${in_wheel})
  if(ESPALIER_PRIVATE_STARPU)
    espalier_install_private_starpu(espalier/lib ${in_wheel})
  endif()
endif()

if(ESPALIER_DEBIAN)
  include(EspalierDebian)
endif()
