// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "perfmodels/tuning_file.hpp"

namespace espalier {

/// Where the parameters come from that options leave empty.
struct TuningChoice {
  std::string source = "defaults";  ///< or "tuned"
  std::string file;                 ///< empty for "defaults"
  Tuning tuning;
};

/// The user's tuning where the file exists and was made on such a processor, else the defaults.
/// Throws InputError where the file is damaged.
TuningChoice choose_tuning(const std::string& user_file, const std::string& cpu);

/// The choice for this machine, user and number of workers, made once. For more or fewer workers
/// other parameters are the best ones: each number has a tuning of its own.
const TuningChoice& this_machines_tuning(Index workers);

/// tuning-WORKERS-HOST.json in the user's data folder; empty where there is none.
std::string user_tuning_file(Index workers);

}  // namespace espalier
