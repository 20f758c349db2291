// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "perfmodels/tuning_file.hpp"

namespace espalier::internal {

class StarpuInstance;

/// Returns the place of a solve by its report.
TuningPlace place_of_report(const nlohmann::ordered_json& report);

/// What --tuning says for the defaults.
inline constexpr const char* no_tuning = "none";

/// Returns the file that --tuning names; empty where it names none.
std::string file_of_tuning(const std::string& named);

/// Returns what fills what options leave empty: the file that --tuning names, or the defaults;
/// where it names nothing, what `espalier tune` has kept for the place. Throws InputError where a
/// named file is of no use.
TuningChoice chosen_tuning(const std::string& named, const TuningPlace& place);

/// Returns that of a solve by this StarPU, on one of so many ranks; its policy and devices have a
/// part in the defaults.
TuningChoice tuning_of_run(const std::string& named, const StarpuInstance& starpu, Index ranks);

}  // namespace espalier::internal
