// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "espalier/espalier.hpp"
#include "mapping/kernel_cost.hpp"
#include "matrix/sparse_matrix.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "solver/numeric_factor.hpp"
#include "symbolic/symbolic_factor.hpp"

/// What the public objects hold.
namespace espalier {

struct Matrix::Data {
  std::string name;
  std::shared_ptr<const LowerPattern> pattern;
  std::vector<double> value;
  Count duplicates_summed = 0;
  Count mirrors_averaged = 0;
  std::vector<PhaseMemory> memory;  ///< of reading
};

struct Runtime::Data {
  std::unique_ptr<StarpuInstance> starpu;
};

struct Analysis::Data {
  std::shared_ptr<const LowerPattern> pattern;
  /// Throws UsageError where there is but an outline.
  void expect_rows() const;

  SymbolicFactor symbolic;
  bool outline = false;  ///< see symbolic_outline(): for ranks
  bool refine_partition = true;
  KernelCost cost;
  Index workers = 1;
  Tuning tuning;  ///< of this machine; what options leave empty
  Report report;
};

}  // namespace espalier
