# SPDX-License-Identifier: BSD-3-Clause
# Helpers for the targets of this project.

# espalier_sources(RESULT FOLDER...): all C++ sources below the folders; new files are picked up by the next build.
function(espalier_sources result)
  set(patterns)
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  # Kernels for devices need their own compilers.
  list(FILTER sources EXCLUDE REGEX "/codelets/cuda/")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Puts the program and its library directly into the build folder, where README and scripts call it.
function(espalier_output_in_build_root target)
  set_target_properties(
    ${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                         LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
