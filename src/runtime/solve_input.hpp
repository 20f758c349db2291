// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/context.hpp"
#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/tiling.hpp"

namespace espalier {

/// What the tasks of a solve need of the factor; it lives as long as they do.
struct SolveInput {
  const PanelStructure& structure;
  const SolveTree& tree;
  const KernelCost& cost;
  FactorContext& context;
  const double* values;                    ///< L, but for shared panels
  const Index* old_of;                     ///< numbering of L to numbering of A
  const SharedSolve* shared = nullptr;     ///< on several ranks
  std::span<const MatrixView> tiles = {};  ///< of shared panels, or of `tiling`
  /// Of L, where accelerators may solve with its tiles, which are data of the factor's tasks, too.
  const Tiling* tiling = nullptr;
};

}  // namespace espalier
