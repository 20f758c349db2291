// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>  // renames main(), because StarPU calls it by another name

#include "simulated_run.hpp"

int main(int argc, char** argv) { return espalier::internal::run_simulated(argc, argv); }
