// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/tuning.hpp"

namespace espalier {

/// A tuning with where it comes from.
struct TuningFile {
  std::string cpu;    ///< as cpu_name() gives it; a tuning serves machines with the same one
  std::string date;   ///< year-month-day
  Index workers = 0;  ///< that it was found with, and serves
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

}  // namespace espalier
