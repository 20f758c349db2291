// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "espalier/types.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

/// A run of the program.
struct RunCase {
  std::string matrix{};
  std::string policy = default_scheduler;  ///< NAME or NAME:KEY=VALUE:KEY=VALUE
  Index ranks = 1;                         ///< ranks, or nodes of a simulated machine
  Index workers = 1;                   ///< CPU workers of each rank; 0: the subcommand's default
  Index devices = 0;                   ///< devices of each rank
  std::vector<std::string> options{};  ///< more options, which both `solve` and `simulate` have
  std::string tuning{};                ///< text of a tuning for a real run

  auto operator<=>(const RunCase&) const = default;
};

/// Settings that many runs share.
struct RunMode {
  std::string machine;       ///< name of a simulated machine; empty for real runs
  bool has_cuda = false;     ///< whether the devices are CUDA devices instead of coprocessors
  Index factorizations = 6;  ///< number of factorizations of a real run
  bool traced = false;       ///< whether a real run also returns its trace

  bool simulated() const { return !machine.empty(); }
};

/// The result of a run.
struct ProgramRun {
  int code = 0;         ///< exit code
  std::string failure;  ///< the error message in one sentence; empty if `code` is 0
  nlohmann::ordered_json report;
  nlohmann::ordered_json trace;  ///< the trace, if requested
};

/// Throws UsageError if this process is a rank or has coprocessors, because the subcommand starts
/// its own.
void expect_alone(const std::string& command);

/// Returns the reason that a run with this exit code and output gives for its failure, in one
/// sentence.
std::string reason_of(int code, const std::string& output);

/// Runs this program in new processes and waits for them. mpirun starts several ranks, even more
/// than there are cores. A signal to this process also ends the new ones. Throws RuntimeFailure if
/// a process cannot be started.
ProgramRun run_program(const RunCase& what, const RunMode& mode);

}  // namespace espalier::internal
