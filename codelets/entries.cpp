// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::internal {

namespace {
/// Number of entries between the use of a value and its prefetch. The values of A are read in the
/// order of L, so they are far apart in memory.
constexpr Count prefetch_distance = 64;
}  // namespace

void fill(const PanelEntries& entries, const double* value, PanelPart part, MatrixView target) {
  const Index row_end = part.row_begin + target.rows;
  const auto entry = entries.entry.begin();
  const Count last = static_cast<Count>(entries.entry.size()) - 1;
  for (Index c = 0; c < target.columns; ++c) {
    double* const column = target.column(c);
    std::fill(column, column + target.rows, 0.0);
    const Count end = entries.begin[part.first_column + c + 1];
    Count k = entries.begin[part.first_column + c];
    if (part.row_begin > 0) {
      k = std::lower_bound(entry + k, entry + end, PanelEntry(part.row_begin, 0)) - entry;
    }
    for (; k < end && entry[k].local_row() < row_end; ++k) {
      __builtin_prefetch(value + entry[std::min(k + prefetch_distance, last)].source());
      column[entry[k].local_row() - part.row_begin] = value[entry[k].source()];
    }
  }
}

void fill_zero(MatrixView target) {
  for (Index c = 0; c < target.columns; ++c) std::fill_n(target.column(c), target.rows, 0.0);
}

double largest_diagonal(const PanelStructure& structure, const PanelEntries& entries,
                        const double* value) {
  double largest = 0;
  for (Index p = 0; p < structure.panels(); ++p) {
    for (Index c = structure.panel_begin[p]; c < structure.panel_begin[p + 1]; ++c) {
      const Count first = entries.begin[c];
      if (first == entries.begin[c + 1]) continue;
      const PanelEntry& entry = entries.entry[first];
      if (entry.local_row() != c - structure.panel_begin[p]) continue;
      largest = std::max(largest, std::abs(value[entry.source()]));
    }
  }
  return largest;
}

PivotReport check_pivots(const PanelEntries& entries, const double* value, Index first_column,
                         ConstMatrixView l) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  for (Index c = 0; c < l.columns; ++c) {
    const double diagonal = value[entries.entry[entries.begin[first_column + c]].source()];
    if (!(l(c, c) * l(c, c) > rounding * diagonal)) return {c};
  }
  return {};
}

}  // namespace espalier::internal
