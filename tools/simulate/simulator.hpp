// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// One simulated factorization.
struct SimulationCase {
  PolicyChoice policy;
  Index nodes = 1;
  Index workers = 1;           ///< of each node
  std::string architecture{};  ///< that of its devices
  Index devices = 0;           ///< of each node
};

/// A part of the way from a matrix in memory to a solution.
struct SimulatedPhase {
  std::string name;
  double seconds = 0;
  double work = 0;  ///< what one core computes in it here; 0 where tasks do it
  double span = 0;  ///< the longest chain of that
};

/// What it came to. Shares are of the time of all workers.
struct SimulatedRun {
  SimulationCase of;
  std::vector<SimulatedPhase> phases;  ///< in their order
  double seconds = 0;                  ///< the makespan
  double bound = 0;                    ///< of it, on any schedule; 0 of several nodes
  double busy_share = 0;               ///< in tasks
  double runtime_share = 0;            ///< in StarPU, for each task
  double idle_share = 0;               ///< the rest
  double device_busy_share = 0;        ///< of the time of the devices alone, in tasks
  double device_flops_share = 0;       ///< of all operations, those of devices
  /// The longest that the messages of one node keep its link to the network busy.
  double communication_seconds = 0;
  std::string report;  ///< the simulated program's whole report, as JSON
  // The schedule, where it is wanted.
  std::string trace;
  std::string gantt;

  double time_to_solution() const;
  const SimulatedPhase& longest_phase() const;
};

/// Runs the program inside SimGrid, a process of its own for each case.
class Simulator {
 public:
  /// `arguments` are the matrix and the options of its analysis and factorization. Throws
  /// UsageError where there is no simulator.
  Simulator(MachineFile machine, std::vector<std::string> arguments);

  /// Throws what the simulated program fails with, and RuntimeFailure where the simulation itself
  /// does.
  /// `traced`: the schedule is wanted, too.
  SimulatedRun run(const SimulationCase& what, bool traced = false) const;
  const MachineFile& machine() const { return machine_; }

 private:
  MachineFile machine_;
  std::vector<std::string> arguments_;
  std::string library_;
};

}  // namespace espalier::internal
