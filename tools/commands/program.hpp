// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Runs the program `espalier` and returns its exit code. Prints failures to standard error. If
/// another process started this one as a coprocessor, it runs the tasks of that process instead.
int run_program(int argc, char** argv);

}  // namespace espalier::internal
