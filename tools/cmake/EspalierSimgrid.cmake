# SPDX-License-Identifier: BSD-3-Clause
# With ESPALIER_SIMGRID the program is built to run inside SimGrid. It then uses StarPU's simulated machine and
# SimGrid's MPI, which tools/setup.sh --simgrid provides. Files in simulated/ replace the files with the same path.
option(ESPALIER_SIMGRID "Build the simulator instead of the program; needs tools/setup.sh --simgrid" OFF)

# espalier_find_simulated_mpi(): defines MPI::MPI_CXX as SimGrid's MPI.
function(espalier_find_simulated_mpi)
  find_path(include_dir smpi/mpi.h NO_CACHE)
  find_library(library simgrid NO_CACHE)
  find_program(ESPALIER_SMPIRUN smpirun)
  if(NOT include_dir OR NOT library OR NOT ESPALIER_SMPIRUN)
    message(FATAL_ERROR "SimGrid with its MPI is missing; run tools/setup.sh --simgrid.")
  endif()
  add_library(MPI::MPI_CXX INTERFACE IMPORTED GLOBAL)
  set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${include_dir}/smpi"
                                                INTERFACE_LINK_LIBRARIES "${library}")
endfunction()

# espalier_replace_simulated(LIST): replaces sources by the files of simulated/ with the same path.
function(espalier_replace_simulated list)
  set(result)
  foreach(source IN LISTS ${list})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    if(EXISTS "${PROJECT_SOURCE_DIR}/simulated/${path}")
      set(source "${PROJECT_SOURCE_DIR}/simulated/${path}")
    endif()
    list(APPEND result "${source}")
  endforeach()
  set(${list} ${result} PARENT_SCOPE)
endfunction()
