// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Runs the program `espalier`: does what its command line says and returns the exit code. A
/// failure is told on standard error. In a process that another one started as its coprocessor it
/// runs that one's tasks instead.
int run_program(int argc, char** argv);

}  // namespace espalier::internal
