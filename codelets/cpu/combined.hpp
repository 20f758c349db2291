// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/cost_table.hpp"
#include "codelets/kernels.hpp"
#include "espalier/options.hpp"

namespace espalier::internal::cpu {

/// Returns the panel widths that combined kernels support.
const std::vector<Index>& panel_widths();

/// Returns the kernels that the options select. Automatic kernels have these switch points.
/// Combined kernels (swCholesky, section 3.3.2) work by panels of columns: `panel1` for TRSM and
/// `panel2` for POTRF. Combined kernels and those of the BLAS have the signed_potrf of automatic
/// kernels, which does not use these widths. Throws UsageError if a width is not one of
/// panel_widths(), or if LAPACK's POTRF is needed and the linked BLAS does not have it.
const Kernels& kernels_for(const DenseKernels& wanted, const SwitchPoints& points = {});

}  // namespace espalier::internal::cpu
