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
  Index rounds = 4;          ///< over all test problems: what tasks take beside kernels
  Index factorizations = 3;  ///< of each problem in each round
  bool all_problems = true;  ///< false: only the smallest ones
  Index load_rounds = 7;     ///< in which some workers and all of them take turns
};

/// Is told what comes next, and what share of steps like it is done, 0 before the first.
using CalibrationProgress = std::function<void(const std::string& next, double share)>;

/// What a calibration found.
struct Calibration {
  CostFile file;
  std::vector<UnsteadyKernel> unsteady;  ///< kernels whose repeats differed
};

/// Measures this machine with StarPU started by these options: the kernels' costs over grids of
/// sizes, then whole tasks in factorizations of generated problems. `progress` is told what comes
/// next, and what share of the factorizations is done. `keep` is given the table before StarPU
/// writes the kernels' costs for its own tools, which may end the program. About a minute on two
/// cores, and up to two where other programs run. Throws what StarpuInstance throws.
Calibration calibrate(const RuntimeOptions& runtime, const CalibrationOptions& options,
                      const CalibrationProgress& progress,
                      const std::function<void(const CostFile& table)>& keep);

/// Measures the devices of StarPU started by these options, which are to name the policy halo:
/// updates, copies, then tasks of all kinds in factorizations of generated problems, by what the
/// host's table in use says of them. `found` is told their architecture before. About a minute with
/// coprocessors, eight seconds with an H200. Throws UsageError where there are none, and what
/// StarpuInstance throws.
DeviceFile calibrate_devices(const RuntimeOptions& runtime, const CalibrationOptions& options,
                             const std::function<void(const std::string& architecture)>& found);

}  // namespace espalier::internal
