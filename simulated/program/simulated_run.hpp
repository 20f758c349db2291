// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// One rank of a simulation: analyzes, factors, and leaves what it found in a file. It returns the
/// exit code.
int run_simulated(int argc, char** argv);

}  // namespace espalier::internal
