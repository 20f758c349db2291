// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "perfmodels/machine_file.hpp"
#include "simulate/machine_folder.hpp"

namespace espalier::internal {

/// Returns the variables that StarPU reads about the devices of a simulated machine. The machine's
/// description contains all costs of a device, so StarPU's constants for CUDA allocations and
/// queues are set to 0.
///
/// If copies do not overlap with kernels, a device worker does not fetch data for the next task
/// while a task runs. It still serves copies that the host requests, like StarPU's drivers of
/// coprocessors. A pipeline of one task has this effect; without a pipeline such copies would wait
/// for the end of the task. These drivers also wait for each copy with the data locked, so
/// asynchronous copies are off.
std::vector<std::string> variables_of(const MachineFile& machine);

/// Starts the simulated program inside SimGrid.
class SimulatedProcess {
 public:
  /// Throws UsageError if the simulator is not built.
  SimulatedProcess();

  /// Runs one process on `nodes` nodes with these words of the command line, and returns the report
  /// that it writes. The `variables` are the only ones of StarPU that it gets, besides those of the
  /// folder. Throws the error of the simulated program, and RuntimeFailure if the simulation itself
  /// fails.
  std::string run(const MachineFolder& folder, Index nodes, const std::vector<std::string>& words,
                  const std::vector<std::string>& variables) const;

 private:
  std::string library_;
};

}  // namespace espalier::internal
