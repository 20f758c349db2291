# SPDX-License-Identifier: BSD-3-Clause
# Finds StarPU and defines StarPU::StarPU and, with MPI, StarPU::StarPUMPI. ESPALIER_FOUND_STARPU is its prefix. If tools/setup.sh has
# built it, ESPALIER_PRIVATE_STARPU is the folder of its libraries.
# The search has this order:
# - ESPALIER_STARPU_PREFIX;
# - with ESPALIER_CUDA and a CUDA toolkit, the prefixes of tools/setup.sh with CUDA workers;
# - the prefixes in CMAKE_PREFIX_PATH (the variable, then the environment);
# - the StarPU that pkg-config finds;
# - the other prefixes of tools/setup.sh, built with the patches of tools/starpu, newest first.
set(ESPALIER_STARPU_PREFIX "" CACHE PATH "Installation prefix of StarPU, empty to search for it")
option(ESPALIER_CUDA "Prefer the StarPU with CUDA workers that tools/setup.sh --cuda builds" OFF)
set(ESPALIER_STARPU_FLOOR 1.4)
find_program(ESPALIER_NVCC nvcc PATHS /usr/local/cuda/bin DOC "Compiler for CUDA devices")
find_program(PKG_CONFIG_EXECUTABLE NAMES pkgconf pkg-config REQUIRED)

# The folder into which tools/setup.sh builds.
set(starpu_cache "$ENV{XDG_CACHE_HOME}")
if(NOT starpu_cache)
  set(starpu_cache "$ENV{HOME}/.cache")
endif()
string(APPEND starpu_cache "/espalier")
# Other versions of Espalier may have built into the same folder with other patches.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../setup.sh" starpu_patched REGEX "^readonly patched=p[0-9]+$")
string(REPLACE "readonly patched=" "" starpu_patched "${starpu_patched}")

# espalier_starpu_candidates(RESULT): returns the prefixes to search. SYSTEM stands for pkg-config's own path.
function(espalier_starpu_candidates result)
  if(ESPALIER_STARPU_PREFIX)
    set(${result} "${ESPALIER_STARPU_PREFIX}" PARENT_SCOPE)
    return()
  endif()
  if(ESPALIER_SIMGRID)
    file(GLOB prefixes "${starpu_cache}/starpu-*-${starpu_patched}-simgrid")
    list(SORT prefixes COMPARE NATURAL ORDER DESCENDING)
    set(${result} ${prefixes} PARENT_SCOPE)
    return()
  endif()
  file(GLOB prefixes "${starpu_cache}/starpu-*-${starpu_patched}")
  list(SORT prefixes COMPARE NATURAL ORDER DESCENDING)
  if(ESPALIER_CUDA AND ESPALIER_NVCC)
    file(GLOB with_cuda "${starpu_cache}/starpu-*-${starpu_patched}-cuda")
    list(SORT with_cuda COMPARE NATURAL ORDER DESCENDING)
  endif()
  string(REPLACE ":" ";" of_environment "$ENV{CMAKE_PREFIX_PATH}")
  set(${result} ${with_cuda} ${CMAKE_PREFIX_PATH} ${of_environment} SYSTEM ${prefixes} PARENT_SCOPE)
endfunction()

# espalier_starpu_query(RESULT PREFIX OPTION): returns pkg-config's answer about the StarPU in this prefix, or an empty string if
# there is none.
function(espalier_starpu_query result prefix option)
  set(${result} "" PARENT_SCOPE)
  set(path "$ENV{PKG_CONFIG_PATH}")
  if(NOT prefix STREQUAL "SYSTEM")
    file(GLOB descriptions "${prefix}/lib/pkgconfig/starpu-1.4.pc" "${prefix}/lib64/pkgconfig/starpu-1.4.pc"
         "${prefix}/lib/*/pkgconfig/starpu-1.4.pc")
    if(NOT descriptions) # pkg-config would search other places
      return()
    endif()
    list(GET descriptions 0 description)
    cmake_path(GET description PARENT_PATH folder)
    set(path "${folder}:${path}")
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${path}" "${PKG_CONFIG_EXECUTABLE}" ${option}
            "starpu-1.4 >= ${ESPALIER_STARPU_FLOOR}"
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

function(espalier_find_starpu)
  espalier_starpu_candidates(candidates)
  foreach(prefix IN LISTS candidates)
    unset(library)
    unset(mpi_library)
    espalier_starpu_query(version "${prefix}" --modversion)
    if(version)
      espalier_starpu_query(found_prefix "${prefix}" --variable=prefix)
      espalier_starpu_query(lib_dir "${prefix}" --variable=libdir)
      espalier_starpu_query(include_dir "${prefix}" --variable=starpu_includedir)
      if(ESPALIER_SIMGRID)
        set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
      endif()
      find_library(library starpu-1.4 HINTS "${lib_dir}" NO_DEFAULT_PATH NO_CACHE REQUIRED)
      find_library(mpi_library starpumpi-1.4 HINTS "${lib_dir}" NO_DEFAULT_PATH NO_CACHE)
      if(ESPALIER_MPI AND NOT mpi_library)
        message(STATUS "StarPU in ${lib_dir} has no StarPU-MPI")
        continue()
      endif()
      message(STATUS "Found StarPU ${version}: ${library}")
      add_library(StarPU::StarPU UNKNOWN IMPORTED GLOBAL)
      set_target_properties(StarPU::StarPU PROPERTIES IMPORTED_LOCATION "${library}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${include_dir}")
      if(ESPALIER_SIMGRID) # static, so that each simulated rank has its own
        set_target_properties(StarPU::StarPU PROPERTIES INTERFACE_LINK_LIBRARIES "MPI::MPI_CXX;${CMAKE_DL_LIBS}")
      endif()
      if(ESPALIER_MPI)
        add_library(StarPU::StarPUMPI UNKNOWN IMPORTED GLOBAL)
        set_target_properties(StarPU::StarPUMPI PROPERTIES IMPORTED_LOCATION "${mpi_library}"
                                                           INTERFACE_LINK_LIBRARIES StarPU::StarPU)
      endif()
      set(ESPALIER_FOUND_STARPU "${found_prefix}" PARENT_SCOPE)
      cmake_path(IS_PREFIX starpu_cache "${lib_dir}" NORMALIZE is_private)
      if(is_private)
        set(ESPALIER_PRIVATE_STARPU "${lib_dir}" PARENT_SCOPE)
      endif()
      return()
    endif()
  endforeach()
  if(ESPALIER_STARPU_PREFIX)
    set(place " in ESPALIER_STARPU_PREFIX, ${ESPALIER_STARPU_PREFIX}")
  endif()
  message(FATAL_ERROR "StarPU ${ESPALIER_STARPU_FLOOR} or newer, with StarPU-MPI unless ESPALIER_MPI is OFF, is missing${place}; run "
                      "tools/setup.sh, or set ESPALIER_STARPU_PREFIX to its installation prefix.")
endfunction()

espalier_find_starpu()
