# SPDX-License-Identifier: BSD-3-Clause
# The Fortran interface, and the compiler options for this project's Fortran programs.
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(FATAL_ERROR "ESPALIER_FORTRAN is on, but no Fortran compiler was found; run tools/setup.sh --fortran, or set "
                      "CMAKE_Fortran_COMPILER to one.")
endif()
enable_language(Fortran)
set(espalier_fortran_folder "${PROJECT_SOURCE_DIR}/src/bindings/fortran")
include(espalier-fortran)

# espalier_fortran_program(TARGET): sets up a program in Fortran 2018 that uses the library. The library may be built
# with sanitizers.
function(espalier_fortran_program target)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX Fortran_MODULE_DIRECTORY
                                             "${CMAKE_CURRENT_BINARY_DIR}/${target}_modules")
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -std=f2018 -pedantic -Wall -Wextra -Wno-compare-reals)
  endif()
  target_link_libraries(${target} PRIVATE espalier::fortran)
endfunction()
