# SPDX-License-Identifier: BSD-3-Clause
# Helpers that register tests. A test whose name holds "Slow", or a script "*_slow", has the label slow: the
# sanitizer build leaves it out.
include(GoogleTest)
set(ESPALIER_TEST_TIMEOUT 240)

file(GLOB_RECURSE espalier_support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
# All objects are linked: sanitizers look for hooks by name that nothing refers to.
add_library(espalier_test_support OBJECT ${espalier_support})
target_include_directories(espalier_test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(espalier_test_support PUBLIC
                           ESPALIER_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
                           ESPALIER_EXAMPLE_DATA="${PROJECT_SOURCE_DIR}/examples/data")
target_link_libraries(espalier_test_support PUBLIC espalier_static GTest::gmock GTest::gtest_main)
target_precompile_headers(espalier_test_support PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
# The tests themselves need no speed, but half of the time to build them would go into optimising them.
target_compile_options(espalier_test_support PUBLIC $<IF:$<CONFIG:Debug>,-O0,-O1>)

# espalier_unit_tests(LAYER): one program of all *_test.cpp in tests/LAYER, one CTest test for each case.
function(espalier_unit_tests layer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${layer}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${layer} ${sources})
  target_link_libraries(test_${layer} PRIVATE espalier_test_support)
  target_precompile_headers(test_${layer} REUSE_FROM espalier_test_support)
  set(common TEST_PREFIX ${layer}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES)
  gtest_discover_tests(test_${layer} ${common} TEST_FILTER "-*Slow*"
                       PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT})
  gtest_discover_tests(test_${layer} ${common} TEST_FILTER "*Slow*"
                       PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} LABELS slow)
endfunction()

# espalier_rank_tests(FOLDER RANKS...): one program of all *.cpp in tests/FOLDER, with a main() of its own, which
# mpirun starts on each number of ranks.
function(espalier_rank_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  add_executable(test_${folder} ${sources})
  target_link_libraries(test_${folder} PRIVATE espalier_test_support)
  foreach(ranks IN LISTS ARGN)
    add_test(NAME ${folder}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none
                     ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_${folder}> --gtest_brief=1)
    # Open MPI unloads plugins that leak, so that the leak checker cannot name them.
    set_tests_properties(${folder}.${ranks} PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} RUN_SERIAL ON
                                                       ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endforeach()
endfunction()

# espalier_script_tests(FOLDER): each script in tests/FOLDER is a test of the program; exit code 77 means skipped.
function(espalier_script_tests folder)
  file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.sh"
       "${PROJECT_SOURCE_DIR}/tests/${folder}/*.py")
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    if(script MATCHES "\\.py$")
      set(interpreter python3)
    else()
      set(interpreter bash)
    endif()
    add_test(NAME ${folder}.${name} COMMAND ${interpreter} "${script}")
    set_tests_properties(
      ${folder}.${name}
      PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} SKIP_RETURN_CODE 77
                 ENVIRONMENT "ESPALIER_PROGRAM=$<TARGET_FILE:espalier_program>;\
ESPALIER_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/data;\
ESPALIER_EXAMPLE_DATA=${PROJECT_SOURCE_DIR}/examples/data")
    if(name MATCHES "^ranks")
      set_tests_properties(${folder}.${name} PROPERTIES RUN_SERIAL ON)
    endif()
    # Those of lost ranks wait most of their time, one after the other.
    if(name MATCHES "_slow$|^ranks_(killed|faults)$")
      set_tests_properties(${folder}.${name} PROPERTIES LABELS slow)
    endif()
  endforeach()
endfunction()
