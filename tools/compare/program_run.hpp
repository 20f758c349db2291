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
  Index ranks = 1;                         ///< nodes, where it is simulated
  Index workers = 1;                       ///< of each rank
  Index devices = 0;                       ///< of each rank
  std::vector<std::string> options{};      ///< more of them, that both `solve` and `simulate` have
  std::string tuning{};                    ///< the text of a tuning that a real run is to use

  auto operator<=>(const RunCase&) const = default;
};

/// What is the same for many runs.
struct RunMode {
  std::string machine;       ///< is simulated; empty: runs are real
  bool has_cuda = false;     ///< devices are CUDA devices, else coprocessors
  Index factorizations = 6;  ///< of a real run
  bool traced = false;       ///< the trace of a real run is wanted

  bool simulated() const { return !machine.empty(); }
};

/// What a run came to.
struct ProgramRun {
  int code = 0;         ///< how it ended
  std::string failure;  ///< what it said then, in one sentence; empty where `code` is 0
  nlohmann::ordered_json report;
  nlohmann::ordered_json trace;  ///< where it was wanted
};

/// Throws UsageError where this process is a rank or has coprocessors: a command that starts some
/// itself is to be run alone.
void expect_alone(const std::string& command);

/// Returns what a run that ended with this code printed as the reason of its failure, in one
/// sentence.
std::string reason_of(int code, const std::string& output);

/// Runs this program in processes of its own: ranks by mpirun, which may be more than there are
/// cores. A signal ends them, too. Throws RuntimeFailure where no process can be started.
ProgramRun run_program(const RunCase& what, const RunMode& mode);

}  // namespace espalier::internal
