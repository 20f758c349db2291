// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A table of costs of devices with its origin.
struct DeviceFile {
  std::string host;
  std::string cpu;  ///< processor of the host; a table is used on machines with the same one
  std::string architecture;  ///< "cuda", or the result of coprocessor_architecture()
  std::string date;          ///< year-month-day
  DeviceTable table;
};

void to_json(nlohmann::ordered_json& json, const DeviceTable::Link& link);
void from_json(const nlohmann::ordered_json& json, DeviceTable::Link& link);

/// Conversion of the costs in such a file. Reading throws std::domain_error if the costs are not
/// valid.
void to_json(nlohmann::ordered_json& json, const DeviceTable& table);
void from_json(const nlohmann::ordered_json& json, DeviceTable& table);

std::string to_json(const DeviceFile& file);

/// Returns the table in a text that to_json() wrote. Throws InputError with the name of the file
/// and the error.
DeviceFile device_file_from_json(const std::string& text, const std::string& name);

/// Reads such a file. Throws InputError if the text is wrong or the file cannot be read.
DeviceFile read_device_file(const std::string& path);

/// Costs that predict the times of devices, and their source.
struct DeviceChoice {
  std::string source;  ///< "calibrated" by the user, "named" by an option, or "analytic"
  std::shared_ptr<const DeviceTable> table;
  std::string warning{};  ///< reason why the user's file is not used; empty if it is used
};

/// Returns the user's calibration for this architecture if the file exists, is valid and was made
/// on such a processor. Otherwise returns estimates.
DeviceChoice choose_device_costs(const std::string& user_file, const std::string& architecture,
                                 const std::string& cpu);

/// Returns the costs in this file, made on any processor. Throws InputError if it cannot be used or
/// is for other devices.
DeviceChoice named_device_costs(const std::string& file, const std::string& architecture);

/// Returns estimated costs of such devices.
DeviceChoice estimated_device_costs(const std::string& architecture);

/// Returns whether such devices run tasks A. CUDA devices do not, because A on them made most
/// simulated factorizations slower.
bool runs_assembles(const std::string& architecture);

/// Returns the architecture of coprocessors whose workers have this number of threads:
/// "coprocessor", or, for example, "coprocessor-4-threads". The names differ because several
/// threads run a task in another time.
std::string coprocessor_architecture(Index threads_of_worker);

/// Returns the options of espalier calibrate that measure these coprocessors, or CUDA devices. The
/// caller appends the number of devices.
std::string options_that_calibrate(bool cuda, Index threads_of_worker);

/// Returns the path of costs-ARCHITECTURE-HOST.json in the user's data folder, or an empty path if
/// there is no such folder.
std::string user_device_file(const std::string& architecture);

}  // namespace espalier::internal
