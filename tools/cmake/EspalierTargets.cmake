# SPDX-License-Identifier: BSD-3-Clause
# Helpers for the targets of this project.
string(REGEX MATCH "^(x86_64|AMD64)$" ESPALIER_X86 "${CMAKE_SYSTEM_PROCESSOR}")

# espalier_sources(RESULT cpp|hpp FOLDER...): returns all files with this suffix below the folders, except files that this
# machine cannot compile. The next build finds new files.
function(espalier_sources result suffix)
  set(patterns)
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.${suffix}")
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  # Some files are left out: device kernels need a special compiler, and the sources of the plugins and of the Python module
  # contain symbols that belong only to these.
  list(FILTER sources EXCLUDE REGEX "/codelets/cuda/|/schedulers/plugin/|/bindings/(pardiso|petsc)/|/bindings/python/.*\\.cpp$")
  if(NOT ESPALIER_X86)
    list(FILTER sources EXCLUDE REGEX "/simd/avx")
  endif()
  if(ESPALIER_SIMGRID)
    espalier_replace_simulated(sources)
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# espalier_instruction_sets(SOURCE...): lets a file use the instruction set in its name. All other files use only instructions
# that every processor of the architecture has. The program selects among the instruction sets at run time. Except in debug
# builds, these files are compiled with -O3, because the kernels take a fifth longer at -O2. Sanitizers check only the
# portable instance of the same templates, because they take minutes to compile the unrolled ones. Must be called where the
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

# With CMAKE_UNITY_BUILD several sources form one translation unit, because headers that all of them include take most of the
# time. Sources with special compile options are compiled alone. Both functions must be called where the target is defined.
# espalier_compile_by_folder(TARGET): compiles the sources of each folder and its subfolders together. Applies to the current
# sources of the target.
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

# espalier_compile_as_one(SOURCE...): compiles these sources together, even from different folders.
function(espalier_compile_as_one first)
  string(MAKE_C_IDENTIFIER "${first}" unit)
  set_property(SOURCE ${first} ${ARGN} PROPERTY UNITY_GROUP ${unit})
endfunction()

# espalier_shipped_tables(RESULT): returns a source file with the texts of perfmodels/tables/*.json and
# perfmodels/machines/*.json, so that the library needs no data folder. Each literal is shorter than 65536 characters, the
# length that every compiler supports.
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

# espalier_c_program(TARGET): sets up a program in C99 that uses the library. The library may be built with sanitizers.
function(espalier_c_program target)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF LINKER_LANGUAGE CXX
                                             UNITY_BUILD OFF)
  target_compile_options(${target} PRIVATE -pedantic -Wall -Wextra)
  target_link_libraries(${target} PRIVATE espalier::espalier m)
endfunction()

# espalier_version_script(TARGET FILE): exports only the symbols that the script in this folder lists.
function(espalier_version_script target file)
  set(script "${PROJECT_SOURCE_DIR}/tools/cmake/${file}")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# Puts the program and its library directly into the build folder, as README and scripts expect.
function(espalier_output_in_build_root target)
  set_target_properties(
    ${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                         LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
