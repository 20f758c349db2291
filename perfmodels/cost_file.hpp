// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A table of costs with its origin.
struct CostFile {
  std::string host;
  std::string cpu;      ///< result of cpu_name()
  std::string kernels;  ///< instruction set and BLAS
  std::string date;     ///< year-month-day
  Index workers = 0;    ///< number of workers that were busy at once
  CostTable table;
  std::string provenance{};  ///< source of the numbers, in whole sentences; may be empty
  bool scaled = false;       ///< whether the costs are those of another processor, scaled
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

/// Returns the table in a text. It is a text that to_json() wrote, or has the processor ("cpu"),
/// the source of its rates ("provenance") and a reference as in scaled_costs(). Throws InputError
/// with the name of the file and the error.
CostFile cost_file_from_json(const std::string& text, const std::string& name);

/// Returns a shipped table with other rates: {"table": its name, "scale": factor on the times of
/// computations, "memory_scale": factor on the times of accesses to memory}. Without
/// "memory_scale", "scale" holds for both; without "scale" it is 1. Throws std::domain_error if
/// there is no such table or a factor is not positive.
CostFile scaled_costs(const nlohmann::ordered_json& json);

/// Reads such a file. Throws InputError if the text is wrong or the file cannot be read.
CostFile read_cost_file(const std::string& path);

/// Costs that predict times, and their source.
struct CostChoice {
  /// "calibrated" by the user, "shipped" for this processor, "scaled" from a shipped table of
  /// another processor, "named" by an option, or "analytic".
  std::string source;
  std::string file;  ///< path, or name of the shipped table; empty for "analytic"
  std::shared_ptr<const CostTable> table;  ///< null for "analytic"
  std::string warning{};  ///< reason why the user's file is not used; empty if it is used
  std::string date{};     ///< when the table was measured; empty for "analytic"
};

/// Returns the user's calibration if the file exists, is valid and was made on a processor with the
/// name `cpu`; else the shipped table for this family and model of processors; else no table.
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

/// Returns the shipped table with this name. Throws std::domain_error if there is none.
const ShippedTable& shipped_table(const std::string& name);

}  // namespace espalier::internal
