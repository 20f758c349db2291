// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"

namespace espalier::internal {

/// A tuning with where it comes from.
struct TuningFile {
  std::string cpu;    ///< as cpu_name() gives it; a tuning serves machines with the same one
  std::string date;   ///< year-month-day
  Index workers = 0;  ///< how many it was found with, and serves
  std::vector<std::string> matrices;
  double predicted_gain = 0;  ///< mean share of the time that it saves on them
  double measured_gain = 0;
  Tuning tuning;
};

std::string to_json(const TuningFile& file);

/// Reads what to_json() wrote. Throws InputError, naming the file and what is wrong with it.
TuningFile tuning_file_from_json(const std::string& text, const std::string& name);

/// Throws InputError also where the file cannot be read.
TuningFile read_tuning_file(const std::string& path);

/// The source of the parameters that options leave empty.
struct TuningChoice {
  std::string source = "defaults";  ///< or "tuned"
  std::string file;                 ///< empty for "defaults"
  Tuning tuning;
  std::string warning{};  ///< why the user's file is left out; empty where it is not
};

/// Returns the user's tuning where the file exists, is sound and was made on such a processor, else
/// the defaults.
TuningChoice choose_tuning(const std::string& user_file, const std::string& cpu);

/// Returns the choice for this machine, user and number of workers, made once. For more or fewer
/// workers other parameters are the best ones: each number has a tuning of its own.
const TuningChoice& this_machines_tuning(Index workers);

/// Returns the path tuning-WORKERS-HOST.json in the user's data folder; empty where there is none.
std::string user_tuning_file(Index workers);

}  // namespace espalier::internal
