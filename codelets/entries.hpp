// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/dense_view.hpp"
#include "espalier/types.hpp"

namespace espalier {

/// Where the entries of A go in L: column j (numbering of L) takes value[source[k]] at row
/// local_row[k] of its panel for k in [begin[j], begin[j+1]), rows ascending, the diagonal first.
struct PanelEntries {
  std::vector<Count> begin{0};
  std::vector<Index> local_row;
  std::vector<Count> source;
};

/// Rows [row_begin, row_begin + rows of the view) of the panel whose first column is given.
struct PanelPart {
  Index first_column = 0;
  Index row_begin = 0;
};

/// Sets the part of the panel to the entries of A with the given values, zero elsewhere.
void fill(const PanelEntries& entries, const double* value, PanelPart part, MatrixView target);

/// The first column of a factored diagonal block whose pivot kept nothing of the diagonal entry of
/// A but rounding, or -1: L is then not the factor of a matrix that is positive definite to working
/// precision.
Index lost_pivot(const PanelEntries& entries, const double* value, Index first_column,
                 ConstMatrixView l);

}  // namespace espalier
