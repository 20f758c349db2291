// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/refinement.hpp"
#include "espalier/error.hpp"
#include "espalier/tuning.hpp"
#include "perfmodels/device_file.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/factor_data.hpp"

namespace espalier {

using namespace internal;

bool learn_costs(const Factor& factor) {
  const FactorData& data = Internals::data(factor);
  const StarpuInstance& starpu = *data.state.starpu;
  const Count entries = data.analysis->symbolic.nnz_l;
  if (!data.state.factored || data.state.history.factor_seconds.size() < 2) {
    throw UsageError(
        "costs are learned from a second successful factorization; call factorize() "
        "again");
  }
  const auto& [host, devices] = starpu.costs();
  const bool has_devices = starpu.devices().workers > 0;
  if ((has_devices ? devices.source : host.source) != "calibrated") return false;
  if (has_devices) {
    refine_device_calibration(user_device_file(architecture_of(starpu)), factor.schedule(),
                              entries);
  } else {
    refine_calibration(host.file, factor.schedule(), entries, starpu.cpu_workers());
  }
  return true;
}

}  // namespace espalier
