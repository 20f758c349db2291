// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>  // gives main() the name by which StarPU calls it

#include "simulated_run.hpp"

int main(int argc, char** argv) { return espalier::internal::run_simulated(argc, argv); }
