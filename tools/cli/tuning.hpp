// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "perfmodels/tuning_file.hpp"

namespace espalier::internal {

class StarpuInstance;

/// Returns the place of a solve, read from its report.
TuningPlace place_of_report(const nlohmann::ordered_json& report);

/// Value of --tuning that selects the defaults.
inline constexpr const char* no_tuning = "none";

/// Returns the file that --tuning names, or an empty string if it names none.
std::string file_of_tuning(const std::string& named);

/// Returns the tuning for values that the options do not set. It comes from the file that --tuning
/// names; `none` gives the defaults. If --tuning is empty, it is the result that `espalier tune`
/// has kept for the place. Throws InputError if a named file cannot be used.
TuningChoice chosen_tuning(const std::string& named, const TuningPlace& place);

/// Like chosen_tuning(), for a solve with this StarPU on `ranks` ranks. Its policy and devices
/// influence the defaults.
TuningChoice tuning_of_run(const std::string& named, const StarpuInstance& starpu, Index ranks);

}  // namespace espalier::internal
