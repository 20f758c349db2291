// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"
#include "launch/memory_limits.hpp"
#include "launch/out_of_memory.hpp"
#include "launch/standard_streams.hpp"

namespace {

void prepare(int argc, char** argv, char** environment) {
  espalier::internal::occupy_closed_streams();
  espalier::internal::expect_to_run_out_of_memory();
  espalier::internal::limit_blas_threads(argc, argv, environment);
}

/// The loader calls it before the constructors of libraries, with the arguments of main().
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = prepare;

}  // namespace

int main(int argc, char** argv) {
  espalier::internal::begin_main();
  espalier::internal::take_better_blas_core(argv);
  return espalier::internal::run_program(argc, argv);
}
