// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Runs one rank of a simulation: analyzes and factors a matrix, and writes the results to a file.
/// Returns the exit code.
int run_simulated(int argc, char** argv);

}  // namespace espalier::internal
