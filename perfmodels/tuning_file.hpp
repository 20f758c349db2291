// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace espalier::internal {

/// What a tuning was found with, and serves: for more or fewer workers, messages and devices other
/// parameters are the best ones.
struct TuningPlace {
  Index workers = 0;  ///< CPU workers of each rank, or, where they differ, of rank 0
  Index ranks = 1;
  Index coprocessors = 0;         ///< workers of coprocessors, of each rank
  Index coprocessor_threads = 1;  ///< of each of these
  Index cuda_devices = 0;         ///< of each rank

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm at defaulted comparisons
  auto operator<=>(const TuningPlace&) const = default;
  bool is_one_process_without_devices() const {
    return ranks == 1 && coprocessors == 0 && cuda_devices == 0;
  }
  Index all_workers() const { return ranks * (workers + coprocessors + cuda_devices); }
};

/// A tuning with where it comes from.
struct TuningFile {
  std::string cpu;   ///< as cpu_name() gives it; a tuning serves machines with the same one
  std::string date;  ///< year-month-day
  TuningPlace place;
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

/// Returns the tuning of a file that somebody has named, whatever it was made on and for. Throws
/// InputError where it is of no use.
TuningChoice named_tuning(const std::string& file);

/// Returns the choice for this machine, user and place, made once.
const TuningChoice& this_machines_tuning(const TuningPlace& place);

/// Returns the path of a place's file in the user's data folder; empty where there is no such
/// folder. It is tuning-WORKERS-HOST.json for one process without devices, else
/// tuning-RANKSxWORKERS-HOST.json, where "+Ccoprocessors", or "+Ccoprocessors-of-T" where T threads
/// do each task together, and "+Gcuda" follow the workers.
std::string user_tuning_file(const TuningPlace& place);

}  // namespace espalier::internal
