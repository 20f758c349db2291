// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "perfmodels/machine_file.hpp"
#include "simulate/simulated_process.hpp"

namespace espalier::internal {

/// One simulated factorization.
struct SimulationCase {
  PolicyChoice policy;
  Index nodes = 1;
  Index workers = 1;           ///< workers of each rank
  std::string architecture{};  ///< architecture of the devices
  Index devices = 0;           ///< devices of each rank
  Index ranks_per_node = 1;    ///< ranks that share the cores and the network link of a node

  Index ranks() const { return nodes * ranks_per_node; }
};

/// A phase between a matrix in memory and its solution.
struct SimulatedPhase {
  std::string name;
  double seconds = 0;
  double work = 0;  ///< time on one core; 0 if tasks do the work
  double span = 0;  ///< critical path of that work
};

/// The result of a simulated factorization. Shares refer to the time of all workers unless noted.
struct SimulatedRun {
  SimulationCase of;
  std::vector<SimulatedPhase> phases;  ///< in the order of execution
  double seconds = 0;                  ///< makespan
  double bound = 0;       ///< lower bound of the makespan for every schedule; 0 with several nodes
  double busy_share = 0;  ///< share of the time in tasks
  double runtime_share = 0;       ///< share of the time in StarPU
  double idle_share = 0;          ///< the remaining share
  double device_busy_share = 0;   ///< share of the time of the devices in tasks
  double device_flops_share = 0;  ///< share of all operations that devices do
  /// Maximum time, over all ranks, in which the messages of a rank keep a network link busy.
  double communication_seconds = 0;
  std::string report;  ///< the complete report of the simulated program, as JSON
  // The schedule, if requested.
  std::string trace;
  std::string gantt;

  double time_to_solution() const;
  const SimulatedPhase& longest_phase() const;
};

/// Runs the program inside SimGrid, in a separate process per case.
class Simulator {
 public:
  /// `arguments` are the matrix and the options of its analysis and factorization. Throws
  /// UsageError if there is no simulator.
  Simulator(MachineFile machine, std::vector<std::string> arguments);

  /// Simulates a case; `traced` also returns the schedule. Throws the error of the simulated
  /// program, and RuntimeFailure if the simulation itself fails.
  SimulatedRun run(const SimulationCase& what, bool traced = false) const;
  const MachineFile& machine() const { return machine_; }

 private:
  MachineFile machine_;
  std::vector<std::string> arguments_;
  SimulatedProcess process_;
};

}  // namespace espalier::internal
