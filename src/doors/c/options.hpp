// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/options.hpp"

namespace espalier::internal {

/// The options of all phases.
struct DoorOptions {
  AnalysisOptions analysis;
  FactorOptions factor;
  RuntimeOptions runtime;
  SolveOptions solve;
};

/// Reads strings "name=value", the names being those of the program's long options, up to a null
/// pointer; a null list has none. Throws UsageError that names an option that is unknown or whose
/// value cannot be read; limits of numbers are for those who take the options.
DoorOptions read_options(const char* const* options);

}  // namespace espalier::internal
