// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Runs one rank of a simulation: analyzes and factors a matrix, and solves once. The root writes
/// the results to a file. Returns 0 if there are several ranks. Otherwise, or after an error, ends
/// the process with the exit code, because simulated threads of StarPU-MPI would wait forever.
int run_simulated(int argc, char** argv);

}  // namespace espalier::internal
