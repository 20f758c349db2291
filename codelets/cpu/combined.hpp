// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/cost_table.hpp"
#include "codelets/kernels.hpp"
#include "espalier/options.hpp"

namespace espalier::internal::cpu {

/// Widths of the panels that combined kernels can have.
const std::vector<Index>& panel_widths();

/// Returns the kernels that the options ask for; automatic ones have these switch points. Those
/// that are combined from others (swCholesky, section 3.3.2) work by panels of columns: `panel1` of
/// TRSM and `panel2` of POTRF, each of panel_widths(). Throws UsageError for another width, and
/// where POTRF of LAPACK is wanted and the BLAS that is linked has none.
const Kernels& kernels_for(const DenseKernels& wanted, const SwitchPoints& points = {});

}  // namespace espalier::internal::cpu
