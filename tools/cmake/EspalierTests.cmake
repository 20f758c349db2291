# SPDX-License-Identifier: BSD-3-Clause
# Functions that register tests. Tests with the label "checked" run in the sanitizer build; tests/README.md gives the
# reasons. tools/test.sh --quick runs tests with the label "quick", and only tools/test.sh --all runs tests with the label
# "nightly".
set(ESPALIER_TEST_TIMEOUT 600)

file(GLOB_RECURSE espalier_support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
# All objects are linked, because sanitizers look up hooks by name that no code refers to.
add_library(espalier_test_support OBJECT ${espalier_support})
target_include_directories(espalier_test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(espalier_test_support PUBLIC
                           ESPALIER_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
                           ESPALIER_EXAMPLE_DATA="${PROJECT_SOURCE_DIR}/examples/data"
                           $<$<CONFIG:Debug>:ESPALIER_SANITIZERS>)
target_link_libraries(espalier_test_support PUBLIC espalier_static GTest::gmock GTest::gtest_main)
target_precompile_headers(espalier_test_support PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
# The tests themselves need no speed in the release build. In the checked build the code under test is checked, even if it
# uses memory of a test. The loops of the tests are not checked, because they would take four times as long with
# sanitizers.
target_compile_options(espalier_test_support PUBLIC "$<IF:$<CONFIG:Debug>,-O1;-g0;-fno-sanitize=all,-O0>")

# espalier_unit_tests(LAYER [SHARDS]): builds one program of all *_test.cpp in tests/LAYER. CTest runs it as one test, or
# as SHARDS tests side by side. There is only one program per layer, because loading StarPU and MPI takes longer than most
# tests.
function(espalier_unit_tests layer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${layer}/*_test.cpp")
  add_executable(test_${layer} ${sources})
  # StarPU looks up the functions of coprocessors among the symbols of the program.
  set_target_properties(test_${layer} PROPERTIES ENABLE_EXPORTS ON UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(test_${layer} PRIVATE espalier_test_support)
  target_precompile_headers(test_${layer} REUSE_FROM espalier_test_support)
  set(shards 1)
  if(ARGC GREATER 1)
    set(shards ${ARGV1})
  endif()
  foreach(shard RANGE 1 ${shards})
    set(name unit.${layer})
    if(shards GREATER 1)
      string(APPEND name .${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name} COMMAND test_${layer} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} LABELS "unit;checked;quick" ENVIRONMENT
                                            "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# espalier_several_processes(TEST): the test starts several processes, each with workers. The workers wait half of the
# time, so the test counts as two processors. The test starts early, because CTest gives a single free slot to tests of
# one processor first.
function(espalier_several_processes test)
  set_tests_properties(${test} PROPERTIES PROCESSORS 2 COST 200)
endfunction()

# espalier_rank_tests(FOLDER RANKS...): builds one program of all *.cpp in tests/FOLDER, with its own main(). mpirun
# starts it on each number of ranks. The sanitizer build uses two ranks. Odd numbers have the label nightly.
function(espalier_rank_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  add_executable(test_${folder} ${sources})
  target_link_libraries(test_${folder} PRIVATE espalier_test_support)
  foreach(ranks IN LISTS ARGN)
    add_test(NAME ${folder}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none
                     ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_${folder}> --gtest_brief=1)
    # Open MPI unloads plugins that leak, so that the leak checker cannot name them.
    set_tests_properties(${folder}.${ranks} PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} ENVIRONMENT
                                                       ASAN_OPTIONS=detect_leaks=0)
    espalier_several_processes(${folder}.${ranks})
  endforeach()
  set_property(TEST ${folder}.2 PROPERTY LABELS checked)
  set_property(TEST ${folder}.1 ${folder}.3 PROPERTY LABELS nightly)
endfunction()

# espalier_script_tests(FOLDER [CHECKED]...): adds each script in tests/FOLDER as a test of the program. Exit code 77
# means skipped. The CHECKED scripts also run in the sanitizer build.
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
      espalier_several_processes(${folder}.${name})
    endif()
    if(name IN_LIST ARGN)
      set_tests_properties(${folder}.${name} PROPERTIES LABELS checked)
    endif()
  endforeach()
endfunction()

# espalier_fuzz_tests(MUTATIONS): runs each target of tests/fuzz on its seeds and on this number of mutations, without
# libFuzzer. As for other tests, the code under test is checked, but not the test code.
function(espalier_fuzz_tests mutations)
  set(folder "${PROJECT_SOURCE_DIR}/tests/fuzz")
  file(GLOB support CONFIGURE_DEPENDS "${folder}/support/*.cpp")
  add_library(espalier_fuzz_support OBJECT ${support} "${folder}/standalone/main.cpp")
  target_include_directories(espalier_fuzz_support PUBLIC "${folder}" "${PROJECT_SOURCE_DIR}/tools")
  target_link_libraries(espalier_fuzz_support PUBLIC espalier_program_parts espalier_static)
  target_compile_options(espalier_fuzz_support PUBLIC -O0 -g0 -fno-sanitize=all)
  file(GLOB targets CONFIGURE_DEPENDS "${folder}/targets/*.cpp")
  foreach(source IN LISTS targets)
    cmake_path(GET source STEM name)
    add_executable(test_fuzz_${name} ${source})
    target_link_libraries(test_fuzz_${name} PRIVATE espalier_fuzz_support)
    add_test(NAME fuzz.${name} COMMAND test_fuzz_${name} "${folder}/corpus/${name}" ${mutations})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${ESPALIER_TEST_TIMEOUT} LABELS "checked;nightly")
  endforeach()
  find_path(ESPALIER_SUITESPARSE_INCLUDE RBio.h PATH_SUFFIXES suitesparse REQUIRED)
  target_include_directories(test_fuzz_peers SYSTEM PRIVATE "${ESPALIER_SUITESPARSE_INCLUDE}")
  target_link_libraries(test_fuzz_peers PRIVATE rbio cholmod)
endfunction()
