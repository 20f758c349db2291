// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace espalier::internal {

/// Configuration for which a tuning was found. Other numbers of workers, ranks and devices have
/// other best parameters.
struct TuningPlace {
  /// CPU workers of each rank, or of rank 0 if they differ.
  Index workers = 0;
  Index ranks = 1;
  Index coprocessors = 0;         ///< workers of coprocessors per rank
  Index coprocessor_threads = 1;  ///< threads per worker of a coprocessor
  Index cuda_devices = 0;         ///< CUDA devices per rank

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm at defaulted comparisons
  auto operator<=>(const TuningPlace&) const = default;
  bool is_one_process_without_devices() const {
    return ranks == 1 && coprocessors == 0 && cuda_devices == 0;
  }
  Index all_workers() const { return ranks * (workers + coprocessors + cuda_devices); }
};

/// A tuning with its origin.
struct TuningFile {
  std::string cpu;   ///< result of cpu_name(); a tuning is used on machines with the same name
  std::string date;  ///< year-month-day
  TuningPlace place;
  std::vector<std::string> matrices;
  double predicted_gain = 0;  ///< predicted saving on these matrices: mean fraction of the time
  double measured_gain = 0;
  Tuning tuning;
};

std::string to_json(const TuningFile& file);

/// Returns the tuning in a text that to_json() wrote. Throws InputError with the name of the file
/// and the error.
TuningFile tuning_file_from_json(const std::string& text, const std::string& name);

/// Reads such a file. Throws InputError if the text is wrong or the file cannot be read.
TuningFile read_tuning_file(const std::string& path);

/// Parameters for empty options, and their source.
struct TuningChoice {
  std::string source = "defaults";  ///< or "tuned"
  std::string file;                 ///< empty for "defaults"
  Tuning tuning;
  std::string warning{};  ///< reason why the user's file is not used; empty if it is used
};

/// Returns the user's tuning if the file exists, is valid and was made on such a processor; else
/// the defaults.
TuningChoice choose_tuning(const std::string& user_file, const std::string& cpu);

/// Returns the tuning in a file that an option names, for any machine and configuration. Throws
/// InputError if it cannot be used.
TuningChoice named_tuning(const std::string& file);

/// Returns the choice for this machine, user and configuration. The choice is made once.
const TuningChoice& this_machines_tuning(const TuningPlace& place);

/// Returns the path of the file of a configuration in the user's data folder, or an empty path if
/// there is no such folder. The name is tuning-WORKERS-HOST.json for one process without devices,
/// else tuning-RANKSxWORKERS-HOST.json. After the number of workers it may have "+Ccoprocessors"
/// or, if T threads run each task together, "+Ccoprocessors-of-T", and "+Gcuda".
std::string user_tuning_file(const TuningPlace& place);

}  // namespace espalier::internal
