# SPDX-License-Identifier: BSD-3-Clause
# Defines espalier::fortran with the sources in espalier_fortran_folder. Each user compiles them, because a compiler can read
# only its own module files.
if(NOT TARGET espalier::fortran)
  add_library(espalier_fortran STATIC EXCLUDE_FROM_ALL "${espalier_fortran_folder}/espalier_c.f90"
                                                       "${espalier_fortran_folder}/espalier.f90")
  add_library(espalier::fortran ALIAS espalier_fortran)
  set(espalier_fortran_modules "${CMAKE_CURRENT_BINARY_DIR}/espalier_fortran_modules")
  file(MAKE_DIRECTORY "${espalier_fortran_modules}") # some compilers warn if it does not exist
  set_target_properties(espalier_fortran PROPERTIES Fortran_MODULE_DIRECTORY "${espalier_fortran_modules}"
                                                    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(espalier_fortran INTERFACE "${espalier_fortran_modules}")
  target_link_libraries(espalier_fortran PUBLIC espalier::espalier)
endif()
