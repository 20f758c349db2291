# SPDX-License-Identifier: BSD-3-Clause
# Finds the dependencies of Espalier. tools/setup.sh installs all of them.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
include(EspalierSimgrid)
if(ESPALIER_MPI)
  find_package(CLI11 REQUIRED)
endif()
if(ESPALIER_SIMGRID)
  espalier_find_simulated_mpi()
elseif(ESPALIER_MPI)
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
# For the tests, the example and the measurement of the Eigen interface. They are left out if Eigen is missing.
find_package(Eigen3 3.4 QUIET NO_MODULE)
include(EspalierStarPU)
include(EspalierCuda)
include(espalier-mpi)

# espalier_plain_library(TARGET HEADER h LIBRARIES l... SUFFIXES s... PACKAGE p): defines an imported target for a library
# without a CMake package.
function(espalier_plain_library target)
  cmake_parse_arguments(arg "" "HEADER;PACKAGE" "LIBRARIES;SUFFIXES" ${ARGN})
  find_path(include_dir ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIXES} NO_CACHE)
  set(files)
  foreach(name IN LISTS arg_LIBRARIES)
    find_library(file ${name} PATH_SUFFIXES ${arg_SUFFIXES} NO_CACHE)
    list(APPEND files "${file}")
    unset(file)
  endforeach()
  if(NOT include_dir OR "${files}" MATCHES "NOTFOUND")
    message(FATAL_ERROR "${arg_HEADER} and its library are missing; "
                        "run tools/setup.sh or install ${arg_PACKAGE}.")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${include_dir}"
                                             INTERFACE_LINK_LIBRARIES "${files}")
endfunction()

# espalier_expect_mpi_of(LIBRARY...): stops if programs with these libraries cannot use the MPI that was found.
function(espalier_expect_mpi_of)
  espalier_refuse_mpi(reason ${ARGN})
  if(reason)
    message(FATAL_ERROR "${reason} Install Open MPI (tools/setup.sh does) and configure with --fresh and "
                        "-DMPI_CXX_COMPILER=mpicxx.openmpi or -DMPI_HOME=FOLDER, or without ranks by -DESPALIER_MPI=OFF.")
  endif()
endfunction()

# The BLAS: ESPALIER_BLAS, or the result of CMake's FindBLAS for BLA_VENDOR, or OpenBLAS.
set(ESPALIER_BLAS "" CACHE STRING "Libraries of a BLAS other than OpenBLAS, if BLA_VENDOR does not name it")
if(ESPALIER_BLAS)
  add_library(BLAS::BLAS INTERFACE IMPORTED GLOBAL)
  target_link_libraries(BLAS::BLAS INTERFACE ${ESPALIER_BLAS})
elseif(BLA_VENDOR)
  find_package(BLAS REQUIRED)
else()
  # Finds the thread flavour by its name, because the generic alternative may be a BLAS that is several times slower.
  espalier_plain_library(BLAS::BLAS HEADER cblas.h LIBRARIES openblas
                         SUFFIXES openblas-pthread openblas PACKAGE libopenblas-pthread-dev)
endif()
espalier_plain_library(hwloc::hwloc HEADER hwloc.h LIBRARIES hwloc PACKAGE libhwloc-dev)
espalier_plain_library(METIS::METIS HEADER metis.h LIBRARIES metis PACKAGE libmetis-dev)
# Debian's parallel library contains the sequential one with the same symbols, so only one of them may be linked. If it is
# built as its authors do, the parallel library also needs the sequential one.
if(ESPALIER_SIMGRID OR NOT ESPALIER_MPI)
  espalier_plain_library(Scotch::Scotch HEADER scotch.h LIBRARIES scotch scotcherr SUFFIXES scotch PACKAGE libscotch-dev)
else()
  espalier_plain_library(Scotch::Scotch HEADER ptscotch.h LIBRARIES ptscotch ptscotcherr
                         SUFFIXES scotch PACKAGE libptscotch-dev)
  # This comes before the check below, because that check links with MPI and CMake caches its result.
  get_target_property(starpu_mpi_library StarPU::StarPUMPI IMPORTED_LOCATION)
  get_target_property(ptscotch_libraries Scotch::Scotch INTERFACE_LINK_LIBRARIES)
  espalier_expect_mpi_of("${starpu_mpi_library}" ${ptscotch_libraries})
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES Scotch::Scotch MPI::MPI_CXX)
  check_cxx_source_compiles("extern \"C\" int SCOTCH_graphInit(void*); int main() { return SCOTCH_graphInit(nullptr); }"
                            ESPALIER_PTSCOTCH_IS_COMPLETE)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(NOT ESPALIER_PTSCOTCH_IS_COMPLETE)
    espalier_plain_library(Scotch::Sequential HEADER scotch.h LIBRARIES scotch SUFFIXES scotch PACKAGE libscotch-dev)
    target_link_libraries(Scotch::Scotch INTERFACE Scotch::Sequential)
  endif()
endif()
espalier_plain_library(AMD::AMD HEADER amd.h LIBRARIES camd amd suitesparseconfig
                       SUFFIXES suitesparse PACKAGE libsuitesparse-dev)
