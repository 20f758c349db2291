// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/rounds.hpp"
#include "espalier/options.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

struct CalibrationOptions {
  Index samples = 20;        ///< timings of each size of each kernel
  Index rounds = 4;          ///< rounds over all test problems, which measure whole tasks
  Index factorizations = 3;  ///< factorizations of each problem in each round
  bool all_problems = true;  ///< false: only the smallest problems
  Index load_rounds = 7;     ///< rounds in which few and all workers take turns
};

/// Receives the name of the next step, and the finished share of all steps of this kind (0 before
/// the first step).
using CalibrationProgress = std::function<void(const std::string& next, double share)>;

/// Result of a calibration.
struct Calibration {
  CostFile file;
  std::vector<UnsteadyKernel> unsteady;  ///< kernels whose repeated timings differed
};

/// Starts StarPU with these options and measures this machine: the costs of the kernels over grids
/// of sizes, then whole tasks in factorizations of generated problems. Calls `progress` before each
/// step. Calls `keep` with the table before StarPU writes the kernels' costs for its own tools,
/// because StarPU may end the program while it writes them. Takes about a minute on two cores, and
/// up to two minutes if other programs run. Throws the errors of StarpuInstance.
Calibration calibrate(const RuntimeOptions& runtime, const CalibrationOptions& options,
                      const CalibrationProgress& progress,
                      const std::function<void(const CostFile& table)>& keep);

/// Starts StarPU with these options and measures its devices: updates, copies, then tasks of all
/// kinds in factorizations of generated problems. The options must choose the policy halo.
/// Predictions for the host use its current table. Calls `found` with the architecture of the
/// devices first. Takes about a minute with coprocessors, eight seconds with an H200. Throws
/// UsageError if devices are missing, and the errors of StarpuInstance.
DeviceFile calibrate_devices(const RuntimeOptions& runtime, const CalibrationOptions& options,
                             const std::function<void(const std::string& architecture)>& found);

}  // namespace espalier::internal
