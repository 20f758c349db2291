// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"

namespace espalier {

/// A table of costs with where it comes from.
struct CostFile {
  std::string host;
  std::string cpu;      ///< as cpu_name() gives it; a table serves machines with the same one
  std::string kernels;  ///< instruction set and BLAS
  std::string date;     ///< year-month-day
  Index workers = 0;    ///< that were busy at once
  CostTable table;
};

/// The processor's name, with family and model where the system tells them. Asked for once.
const std::string& cpu_name();

std::string to_json(const CostFile& file);

/// Reads what to_json() wrote. Throws InputError, naming the file and what is wrong with it.
CostFile cost_file_from_json(const std::string& text, const std::string& name);

/// Throws InputError also where the file cannot be read.
CostFile read_cost_file(const std::string& path);

}  // namespace espalier
