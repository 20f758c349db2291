// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A table of measured costs with its origin.
struct CostFile {
  std::string host;
  std::string cpu;      ///< result of cpu_name(); a table is used on machines with the same name
  std::string kernels;  ///< instruction set and BLAS
  std::string date;     ///< year-month-day
  Index workers = 0;    ///< number of workers that were busy at once
  CostTable table;
};

/// Returns the name of the processor, with family and model if the system reports them. Asks the
/// system only once.
const std::string& cpu_name();

/// Conversion of switch points in the table of the host, and of histories, which tables of devices
/// also have.
void to_json(nlohmann::ordered_json& json, const SwitchPoints& points);
void from_json(const nlohmann::ordered_json& json, SwitchPoints& points);
void to_json(nlohmann::ordered_json& json, const TaskHistory& history);
void from_json(const nlohmann::ordered_json& json, TaskHistory& history);

std::string to_json(const CostFile& file);

/// Returns the table in a text that to_json() wrote. Throws InputError with the name of the file
/// and the error.
CostFile cost_file_from_json(const std::string& text, const std::string& name);

/// Reads such a file. Throws InputError if the text is wrong or the file cannot be read.
CostFile read_cost_file(const std::string& path);

/// Costs that predict times, and their source.
struct CostChoice {
  /// "calibrated" by the user, "shipped" for this processor, "named" by an option, or "analytic".
  std::string source;
  std::string file;  ///< path, or name of the shipped table; empty for "analytic"
  std::shared_ptr<const CostTable> table;  ///< null for "analytic"
  std::string warning{};  ///< reason why the user's file is not used; empty if it is used
  std::string date{};     ///< when the table was measured; empty for "analytic"
};

/// Returns the user's calibration if the file exists, is valid and was made on such a processor;
/// else the shipped table for this processor; else no table.
CostChoice choose_costs(const std::string& user_file, const std::string& cpu);

/// Returns the costs in this file, made on any processor. Throws InputError if it cannot be used.
CostChoice named_costs(const std::string& file);

/// Returns the path of costs-HOST.json in the user's data folder, or an empty path if there is no
/// such folder.
std::string user_cost_file();

/// Table that comes with the library, as text; see perfmodels/tables.
struct ShippedTable {
  std::string name;
  std::string json;
};
std::span<const ShippedTable> shipped_tables();

}  // namespace espalier::internal
