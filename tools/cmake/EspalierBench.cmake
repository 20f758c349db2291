# SPDX-License-Identifier: BSD-3-Clause
# The programs of tools/bench and their tests. tools/bench/README.md describes them.
foreach(bench kernels teams transfers)
  add_executable(espalier_bench_${bench} tools/bench/${bench}.cpp)
  target_link_libraries(espalier_bench_${bench} PRIVATE espalier_static CLI11::CLI11)
  target_compile_options(espalier_bench_${bench} PRIVATE -O1)
  espalier_output_in_build_root(espalier_bench_${bench})
endforeach()
add_test(NAME bench.kernels COMMAND espalier_bench_kernels --samples 1 --milliseconds 0.01 --run 3
                                    potrf:9 trsm:30x9 gemm:30x9x8 syrk:30x9x8)
add_test(NAME bench.teams COMMAND espalier_bench_teams --threads 3 --samples 1)
target_link_libraries(espalier_bench_transfers PRIVATE MPI::MPI_CXX)
add_test(NAME bench.transfers
         COMMAND ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none ${MPIEXEC_NUMPROC_FLAG} 2
                 $<TARGET_FILE:espalier_bench_transfers> --rounds 2 --blocks 3 --sizes 8,5000)
set_tests_properties(bench.transfers PROPERTIES PROCESSORS 2)

# One program per binding. All use the same code for timing.
add_library(espalier_bench_binding OBJECT tools/bench/bindings/main.cpp)
target_link_libraries(espalier_bench_binding PUBLIC espalier::espalier espalier_build nlohmann_json::nlohmann_json)

# espalier_bench_binding(BINDING SUFFIX LIBRARY...): adds the program of a binding, linked with these libraries.
function(espalier_bench_binding binding suffix)
  set(program espalier_bench_binding_${binding})
  add_executable(${program} tools/bench/bindings/${binding}.${suffix})
  target_link_libraries(${program} PRIVATE espalier_bench_binding ${ARGN})
  espalier_output_in_build_root(${program})
endfunction()

espalier_bench_binding(c c)
espalier_c_program(espalier_bench_binding_c)
espalier_bench_binding(cpp cpp)
find_path(ESPALIER_SUITESPARSE_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(ESPALIER_CHOLMOD cholmod)
if(ESPALIER_SUITESPARSE_INCLUDE AND ESPALIER_CHOLMOD)
  # `espalier reproduce` runs this program for the figures that compare with CHOLMOD.
  espalier_bench_binding(cholmod cpp "${ESPALIER_CHOLMOD}")
  target_include_directories(espalier_bench_binding_cholmod SYSTEM PRIVATE "${ESPALIER_SUITESPARSE_INCLUDE}")
  if(TARGET Eigen3::Eigen)
    espalier_bench_binding(eigen cpp espalier::eigen "${ESPALIER_CHOLMOD}")
    target_include_directories(espalier_bench_binding_eigen SYSTEM PRIVATE "${ESPALIER_SUITESPARSE_INCLUDE}")
  endif()
endif()
if(ESPALIER_PETSC)
  espalier_bench_binding(petsc cpp espalier_petsc ${PETSC_LINK_LIBRARIES} MPI::MPI_CXX)
  target_include_directories(espalier_bench_binding_petsc SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
  target_include_directories(espalier_bench_binding_petsc PRIVATE src/bindings/petsc)
endif()
add_test(NAME bench.bindings COMMAND python3 -B "${PROJECT_SOURCE_DIR}/tools/bench/bindings.py" --build "${PROJECT_BINARY_DIR}"
                                  --rounds 1 --repeat 1 --threads 1 laplace2d:12)
