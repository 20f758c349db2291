# SPDX-License-Identifier: BSD-3-Clause
# The Python interface: the module espalier._espalier, and build/.../python, a folder with the package for import.
# nanobind comes from the interpreter Python_EXECUTABLE. Its default is the interpreter of tools/setup.sh --python.
if(NOT Python_EXECUTABLE AND EXISTS "${starpu_cache}/python/bin/python")
  set(Python_EXECUTABLE "${starpu_cache}/python/bin/python")
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT nanobind_ROOT)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no nanobind; run tools/setup.sh --python, or set Python_EXECUTABLE to an "
                      "interpreter that has.")
endif()
find_package(nanobind CONFIG REQUIRED)

set(python_folder "${PROJECT_SOURCE_DIR}/src/bindings/python")
file(GLOB python_sources CONFIGURE_DEPENDS "${python_folder}/*.cpp")
nanobind_add_module(espalier_python NB_STATIC NB_SUPPRESS_WARNINGS ${python_sources})
set(package "${PROJECT_BINARY_DIR}/python/espalier")
set_target_properties(espalier_python PROPERTIES OUTPUT_NAME _espalier LIBRARY_OUTPUT_DIRECTORY "${package}")
# The module contains a copy of the library with hidden symbols, so that it does not conflict with another loaded one.
target_link_libraries(espalier_python PRIVATE espalier_static)
target_link_options(espalier_python PRIVATE LINKER:--as-needed LINKER:--gc-sections)
espalier_version_script(espalier_python espalier_python.map)
file(GLOB modules CONFIGURE_DEPENDS "${python_folder}/espalier/*.py")
file(MAKE_DIRECTORY "${package}")
foreach(module IN LISTS modules)
  cmake_path(GET module FILENAME name)
  file(CREATE_LINK "${module}" "${package}/${name}" SYMBOLIC)
endforeach()
