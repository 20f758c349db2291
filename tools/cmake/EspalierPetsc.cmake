# SPDX-License-Identifier: BSD-3-Clause
# The solver type "espalier" of PETSc, in a library that PETSc loads or that programs link. It uses only the public
# headers of Espalier, as applications do.
if(NOT ESPALIER_MPI)
  message(FATAL_ERROR "ESPALIER_PETSC is on but ESPALIER_MPI is off; PETSc's matrices need MPI.")
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
if(NOT PETSC_FOUND OR PETSC_VERSION VERSION_LESS 3.18)
  message(FATAL_ERROR "ESPALIER_PETSC is on, but pkg-config knows no PETSc 3.18 or newer; run tools/setup.sh --petsc, or "
                      "set PKG_CONFIG_PATH to the folder of its PETSc.pc.")
endif()
espalier_expect_mpi_of(${PETSC_LINK_LIBRARIES})
file(GLOB petsc_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/bindings/petsc/*.cpp")
add_library(espalier_petsc SHARED ${petsc_sources})
target_include_directories(espalier_petsc PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(espalier_petsc PRIVATE espalier::mpi espalier_build)
# PETSc's macros cause some warnings.
target_include_directories(espalier_petsc SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
target_link_libraries(espalier_petsc PRIVATE ${PETSC_LINK_LIBRARIES})
set_target_properties(espalier_petsc PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# PETSc unloads the library at its end, but StarPU and MPI may still have threads that use it.
target_link_options(espalier_petsc PRIVATE LINKER:-z,nodelete)
espalier_output_in_build_root(espalier_petsc)
