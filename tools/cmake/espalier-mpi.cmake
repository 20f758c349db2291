# SPDX-License-Identifier: BSD-3-Clause
# Compares the MPI that find_package(MPI) has found with the MPI of other libraries. Linkers accept a program with two MPIs, but
# its ranks then fail at their start. This file is also part of the installed package.

# espalier_mpi_name(RESULT): returns name and version of the MPI that find_package(MPI) has found, read from its mpi.h.
function(espalier_mpi_name result)
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE include_flags)
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" ${include_flags} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -dM -E -x c++ -include mpi.h /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET)
  set(name "an MPI other than Open MPI")
  if(macros MATCHES "define OPEN_MPI ")
    set(name "Open MPI")
    foreach(part IN ITEMS MAJOR MINOR RELEASE)
      string(REGEX MATCH "define OMPI_${part}_VERSION ([0-9]+)" found "${macros}")
      list(APPEND version "${CMAKE_MATCH_1}")
    endforeach()
    list(JOIN version "." version)
    string(APPEND name " ${version}")
  elseif(macros MATCHES "define I_MPI_VERSION \"([^\"]*)\"")
    set(name "Intel MPI ${CMAKE_MATCH_1}")
  elseif(macros MATCHES "define MPICH_VERSION \"([^\"]*)\"")
    set(name "MPICH ${CMAKE_MATCH_1}")
  endif()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# espalier_dynamic_entries(RESULT TAG FILE...): returns the names of MPI libraries in the entries with this tag (NEEDED or SONAME)
# of shared libraries.
function(espalier_dynamic_entries result tag)
  set(names)
  foreach(file IN LISTS ARGN)
    execute_process(COMMAND "${CMAKE_READELF}" -dW "${file}" OUTPUT_VARIABLE entries ERROR_QUIET)
    string(REGEX MATCHALL "\\(${tag}\\)[^\n]*\\[libp?mpi[a-z0-9_]*\\.so[.0-9]*\\]" lines "${entries}")
    list(TRANSFORM lines REPLACE ".*\\[(.*)\\]" "\\1")
    list(APPEND names ${lines})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# espalier_refuse_mpi(RESULT LIBRARY...): returns the reason why programs with these libraries cannot use the MPI that
# find_package(MPI) has found, or an empty string. The reason is a sentence with the name and the place of that MPI.
function(espalier_refuse_mpi result)
  set(${result} "" PARENT_SCOPE)
  espalier_mpi_name(name)
  list(JOIN MPI_CXX_LIBRARIES ", " place)
  set(found "CMake found ${name} (${place})")
  if(NOT name MATCHES "^Open MPI")
    set(${result} "${found}, but Espalier needs Open MPI." PARENT_SCOPE)
    return()
  endif()
  espalier_dynamic_entries(provided SONAME ${MPI_CXX_LIBRARIES})
  foreach(library IN LISTS ARGN)
    espalier_dynamic_entries(needed NEEDED "${library}")
    set(common ${needed})
    list(REMOVE_ITEM common ${provided})
    if(provided AND needed AND common STREQUAL needed)
      list(JOIN needed ", " needed)
      set(${result} "${found}, but ${library} was built with another MPI, ${needed}." PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
