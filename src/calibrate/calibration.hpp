// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

struct CalibrationOptions {
  Index samples = 20;        ///< timings of each size of each kernel
  Index rounds = 4;          ///< over all test problems: what tasks take beside kernels
  Index factorizations = 3;  ///< of each problem in each round
  bool all_problems = true;  ///< false: only the smallest ones
  Index load_rounds = 7;     ///< in which some workers and all of them take turns
};

/// Measures this machine with the workers of the instance: the kernels' costs over grids of sizes,
/// then whole tasks in factorizations of generated problems. `progress` is told what comes next.
/// About a minute on two cores.
CostFile calibrate(const StarpuInstance& starpu, const CalibrationOptions& options,
                   const std::function<void(const std::string& next)>& progress);

/// Measures the devices of an instance that runs the policy halo: updates, copies, then tasks of
/// all kinds in factorizations of generated problems, by what the host's table in use says of them.
/// About a minute. Throws InputError where that table is damaged.
DeviceFile calibrate_devices(const StarpuInstance& starpu, const CalibrationOptions& options);

}  // namespace espalier::internal
