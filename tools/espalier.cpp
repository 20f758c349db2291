// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"
#include "launch/room.hpp"

namespace {

/// The loader calls it before the constructors of the libraries, with the arguments of main().
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**,
                                             char**) = espalier::internal::limit_blas_threads;

}  // namespace

int main(int argc, char** argv) { return espalier::internal::run_program(argc, argv); }
