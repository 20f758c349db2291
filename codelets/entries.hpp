// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/dense.hpp"
#include "base/panel_structure.hpp"
#include "base/uninitialized.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Position of one entry of A in L, in 8 bytes. It is small because there is one per entry of A,
/// for as long as the factor lives.
class PanelEntry {
 public:
  static constexpr int source_bits = 33;
  static constexpr Count most_sources = Count{1} << source_bits;  ///< 69 GB of values

  PanelEntry() = default;
  PanelEntry(Index local_row, Count source)
      : bits_(static_cast<std::uint64_t>(local_row) << source_bits |
              static_cast<std::uint64_t>(source)) {}

  Index local_row() const { return static_cast<Index>(bits_ >> source_bits); }
  Count source() const { return static_cast<Count>(bits_ & (most_sources - 1)); }
  /// Entries are ordered by local row.
  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler generates the 0
  auto operator<=>(const PanelEntry&) const = default;

 private:
  std::uint64_t bits_;  ///< uninitialised by the default constructor
};

/// Positions of the entries of A in L. Column j (numbering of L) has the entries [begin[j],
/// begin[j+1]), with ascending rows, the diagonal first. Each takes value[source] at row local_row
/// of its panel.
struct PanelEntries {
  UninitializedVector<Count> begin{0};
  UninitializedVector<PanelEntry> entry;
};

/// Calls f(row, column, source), with the numbers of L, for all entries of panel p.
template <class F>
void for_each_entry(const PanelStructure& structure, const PanelEntries& entries, Index p, F f) {
  const auto rows = structure.rows(p);
  for (Index j = structure.panel_begin[p]; j < structure.panel_begin[p + 1]; ++j) {
    for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
      const PanelEntry entry = entries.entry[k];
      f(rows[entry.local_row()], j, entry.source());
    }
  }
}

/// Does the same for all panels.
template <class F>
void for_each_entry(const PanelStructure& structure, const PanelEntries& entries, F f) {
  for (Index p = 0; p < structure.panels(); ++p) for_each_entry(structure, entries, p, f);
}

/// Rows [row_begin, row_begin + rows of the view) of the panel that begins with first_column.
struct PanelPart {
  Index first_column = 0;
  Index row_begin = 0;
};

/// Sets the part of the panel to the entries of A with the given values, and to zero elsewhere.
void fill(const PanelEntries& entries, const double* value, PanelPart part, MatrixView target);

void fill_zero(MatrixView target);

/// Returns the largest magnitude of a diagonal entry of A in these columns, 0 if there is none. A
/// process may lack diagonal entries that other ranks have.
double largest_diagonal(const PanelStructure& structure, const PanelEntries& entries,
                        const double* value);

/// Compares the pivots of a factored diagonal block with the diagonal of A. A pivot check fails if
/// only rounding error is left of the diagonal entry. L is then not the factor of a matrix that is
/// positive definite to working precision.
PivotReport check_pivots(const PanelEntries& entries, const double* value, Index first_column,
                         ConstMatrixView l);

}  // namespace espalier::internal
