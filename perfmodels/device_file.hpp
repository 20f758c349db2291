// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A table of what devices cost with where it comes from.
struct DeviceFile {
  std::string host;
  std::string cpu;           ///< the host's processor; a table serves machines with the same one
  std::string architecture;  ///< "cuda", or what coprocessor_architecture() returns
  std::string date;          ///< year-month-day
  DeviceTable table;
};

void to_json(nlohmann::ordered_json& json, const DeviceTable::Way& way);
void from_json(const nlohmann::ordered_json& json, DeviceTable::Way& way);

/// The costs of such a file. Reading throws std::domain_error where they make no sense.
void to_json(nlohmann::ordered_json& json, const DeviceTable& table);
void from_json(const nlohmann::ordered_json& json, DeviceTable& table);

std::string to_json(const DeviceFile& file);

/// Reads what to_json() wrote. Throws InputError, naming the file and what is wrong with it.
DeviceFile device_file_from_json(const std::string& text, const std::string& name);

/// Reads such a file. Throws InputError likewise, or where it cannot be read.
DeviceFile read_device_file(const std::string& path);

/// The source of predictions for devices.
struct DeviceChoice {
  std::string source;  ///< "calibrated" by the user, "named" by an option, or "analytic"
  std::shared_ptr<const DeviceTable> table;
  std::string warning{};  ///< why the user's file is left out; empty where it is not
};

/// Returns the user's calibration for that architecture where the file exists, is sound and was
/// made on such a processor, else rules of thumb.
DeviceChoice choose_device_costs(const std::string& user_file, const std::string& architecture,
                                 const std::string& cpu);

/// Returns the costs of this file, of whatever processor. Throws InputError if it cannot be used or
/// is of other devices.
DeviceChoice named_device_costs(const std::string& file, const std::string& architecture);

/// Returns rules of thumb for such devices.
DeviceChoice estimated_device_costs(const std::string& architecture);

/// Returns whether such devices run A: not those of CUDA. Simulated on one H200 beside 15 workers,
/// where A took the device no longer than a GEMM of its size, `espalier` took 84 ms without it for
/// 110 (laplace3d:60), 299 for 312 (:80), 93 for 113 and 276 for 294 (elasticity3d of 30 and 40
/// nodes a side), `dmdas` 94 for 98, 315 for 313, 100 for 102 and 310 for 302.
bool runs_assembles(const std::string& architecture);

/// Returns what coprocessors are called whose workers have so many threads each: "coprocessor", or,
/// because those of one worker do a task in other times, "coprocessor-4-threads".
std::string coprocessor_architecture(Index threads_of_worker);

/// Returns the options, but for the number of devices after the last one, by which espalier
/// calibrate measures these coprocessors, or CUDA devices.
std::string options_that_calibrate(bool cuda, Index threads_of_worker);

/// Returns the path costs-ARCHITECTURE-HOST.json in the user's data folder; empty where there is
/// none.
std::string user_device_file(const std::string& architecture);

}  // namespace espalier::internal
