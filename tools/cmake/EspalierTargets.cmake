# SPDX-License-Identifier: BSD-3-Clause
# Helpers for the targets of this project.
string(REGEX MATCH "^(x86_64|AMD64)$" ESPALIER_X86 "${CMAKE_SYSTEM_PROCESSOR}")

# espalier_sources(RESULT cpp|hpp FOLDER...): all such files below the folders that this machine can compile;
# new ones are picked up by the next build.
function(espalier_sources result suffix)
  set(patterns)
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.${suffix}")
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  # Kernels for devices need their own compilers; what StarPU or PETSc looks for in a plugin, and Python in a module, belongs to
  # these alone.
  list(FILTER sources EXCLUDE REGEX "/codelets/cuda/|/schedulers/plugin/|/bindings/petsc/|/bindings/python/.*\\.cpp$")
  if(NOT ESPALIER_X86)
    list(FILTER sources EXCLUDE REGEX "/simd/avx")
  endif()
  if(ESPALIER_SIMGRID)
    espalier_replace_simulated(sources)
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# espalier_instruction_sets(SOURCE...): files named after an instruction set may use it, all others only what every
# processor of the architecture has; which one runs is decided at run time. These take a fifth longer at -O2. Sanitizers
# check the portable instance of the same templates, and take minutes to compile the unrolled ones. To be called where the
# target is defined.
function(espalier_instruction_sets)
  set(options "$<IF:$<CONFIG:Debug>,-fno-sanitize=all,-O3>")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "/simd/avx2\\.")
      set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;${options}")
    elseif(source MATCHES "/simd/avx512\\.")
      set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "-mavx512f;${options}")
    endif()
  endforeach()
endfunction()

# With CMAKE_UNITY_BUILD several sources are one translation unit, since most of the time goes into headers that all
# include. Those with options of their own are compiled alone. Both are to be called where the target is defined.
# espalier_compile_by_folder(TARGET): the sources of a folder and those inside it together, of those that the target has
# by now.
function(espalier_compile_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    string(REGEX REPLACE "^simulated/" "" path "${path}")
    string(REGEX MATCH "^(src|tools)/[^/]+|^codelets/cpu/simd|^[^/]+" folder "${path}")
    string(MAKE_C_IDENTIFIER "${folder}" unit)
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# espalier_compile_as_one(SOURCE...): these together, of whatever folders.
function(espalier_compile_as_one first)
  string(MAKE_C_IDENTIFIER "${first}" unit)
  set_property(SOURCE ${first} ${ARGN} PROPERTY UNITY_GROUP ${unit})
endfunction()

# espalier_shipped_tables(RESULT): a source with the texts of perfmodels/tables/*.json and perfmodels/machines/*.json: a
# library that finds them everywhere, without a folder of its own. Each literal is shorter than the 65536 characters that
# compilers have to take.
function(espalier_shipped_tables result)
  foreach(kind IN ITEMS tables machines)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/perfmodels/${kind}/*.json")
    set(${kind}_entries "")
    foreach(file IN LISTS files)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
      cmake_path(GET file FILENAME name)
      file(READ "${file}" text)
      string(LENGTH "${text}" bytes)
      set(literals "")
      foreach(begin RANGE 0 ${bytes} 32768)
        string(SUBSTRING "${text}" ${begin} 32768 piece)
        string(APPEND literals "R\"json(${piece})json\", ")
      endforeach()
      string(APPEND ${kind}_entries "\n    {\"${name}\", joined({${literals}})},")
    endforeach()
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/shipped_tables.cpp.in" shipped_tables.cpp @ONLY)
  set(${result} "${CMAKE_CURRENT_BINARY_DIR}/shipped_tables.cpp" PARENT_SCOPE)
endfunction()

# espalier_c_program(TARGET): it is written in C99 and uses the library, which may have been built with sanitizers.
function(espalier_c_program target)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF LINKER_LANGUAGE CXX
                                             UNITY_BUILD OFF)
  target_compile_options(${target} PRIVATE -pedantic -Wall -Wextra)
  target_link_libraries(${target} PRIVATE espalier::espalier m)
endfunction()

# espalier_version_script(TARGET FILE): the script in this folder says which symbols the library shows.
function(espalier_version_script target file)
  set(script "${PROJECT_SOURCE_DIR}/tools/cmake/${file}")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# Puts the program and its library directly into the build folder, where README and scripts call it.
function(espalier_output_in_build_root target)
  set_target_properties(
    ${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                         LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
