// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A table of costs with where it comes from.
struct CostFile {
  std::string host;
  std::string cpu;      ///< as cpu_name() gives it; a table serves machines with the same one
  std::string kernels;  ///< instruction set and BLAS
  std::string date;     ///< year-month-day
  Index workers = 0;    ///< how many were busy at once
  CostTable table;
};

/// Returns the processor's name, with family and model where the system tells them. The system is
/// asked once.
const std::string& cpu_name();

/// How switch points stand in the table of the host, and a history in those of devices, too.
void to_json(nlohmann::ordered_json& json, const SwitchPoints& points);
void from_json(const nlohmann::ordered_json& json, SwitchPoints& points);
void to_json(nlohmann::ordered_json& json, const TaskHistory& history);
void from_json(const nlohmann::ordered_json& json, TaskHistory& history);

std::string to_json(const CostFile& file);

/// Reads what to_json() wrote. Throws InputError, naming the file and what is wrong with it.
CostFile cost_file_from_json(const std::string& text, const std::string& name);

/// Throws InputError also where the file cannot be read.
CostFile read_cost_file(const std::string& path);

/// The source of predictions.
struct CostChoice {
  /// "calibrated" by the user, "shipped" for this processor, "named" by an option, or "analytic".
  std::string source;
  std::string file;  ///< the path, or the name of the shipped table; empty for "analytic"
  std::shared_ptr<const CostTable> table;  ///< null for "analytic"
  std::string warning{};  ///< why the user's file is left out; empty where it is not
  std::string date{};     ///< when the table was measured; empty for "analytic"
};

/// Returns the user's calibration where the file exists, is sound and was made on such a processor,
/// else the shipped table for it, else none.
CostChoice choose_costs(const std::string& user_file, const std::string& cpu);

/// Returns the costs of this file, of whatever processor. Throws InputError if it cannot be used.
CostChoice named_costs(const std::string& file);

/// Returns the path costs-HOST.json in the user's data folder; empty where there is none.
std::string user_cost_file();

/// Tables that come with the library, as text; see perfmodels/tables.
struct ShippedTable {
  std::string name;
  std::string json;
};
std::span<const ShippedTable> shipped_tables();

}  // namespace espalier::internal
