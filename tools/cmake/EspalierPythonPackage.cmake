# SPDX-License-Identifier: BSD-3-Clause
# Installs the Python package into ESPALIER_PYTHON_FOLDER of the prefix, with metadata for pip. It uses the StarPU of the
# library.
cmake_path(IS_ABSOLUTE ESPALIER_PYTHON_FOLDER is_absolute)
if(is_absolute OR NOT ESPALIER_PYTHON)
  message(FATAL_ERROR "ESPALIER_PYTHON_FOLDER is ${ESPALIER_PYTHON_FOLDER}; it needs a folder relative to the prefix, "
                      "and ESPALIER_PYTHON=ON.")
endif()
set(package_folder "${ESPALIER_PYTHON_FOLDER}/espalier")
file(RELATIVE_PATH python_to_starpu "/${package_folder}" "/${CMAKE_INSTALL_LIBDIR}/espalier")
set_target_properties(espalier_python PROPERTIES INSTALL_RPATH "$ORIGIN/${python_to_starpu};${kept_folders}")
install(TARGETS espalier_python LIBRARY DESTINATION "${package_folder}" COMPONENT python)
install(DIRECTORY "${python_folder}/espalier/" DESTINATION "${package_folder}" COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)

# Each list in pyproject.toml is on one line.
file(STRINGS "${PROJECT_SOURCE_DIR}/pyproject.toml" python_requires REGEX "^(requires-python|dependencies) =")
string(REGEX MATCHALL "\"[^\"]+\"" python_requires "${python_requires}")
string(REPLACE "\"" "" python_requires "${python_requires}")
list(POP_FRONT python_requires python_floor)
list(TRANSFORM python_requires PREPEND "Requires-Dist: ")
list(JOIN python_requires "\n" python_requires)
file(CONFIGURE OUTPUT METADATA CONTENT [[
Metadata-Version: 2.1
Name: espalier
Version: @PROJECT_VERSION@
Summary: @PROJECT_DESCRIPTION@
License: BSD-3-Clause
Requires-Python: @python_floor@
@python_requires@
]] @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/METADATA" COMPONENT python
        DESTINATION "${ESPALIER_PYTHON_FOLDER}/espalier-${PROJECT_VERSION}.dist-info")
