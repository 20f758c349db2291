// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/entries.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Returns the position in L of each entry of A. Throws UsageError if there are more than
/// PanelEntry::most_sources entries. Uses `workers` threads; the result does not depend on their
/// number. Several threads need 4 more bytes per entry of A until it returns. Cost O(nnz(A)
/// log(height)) in total, in parallel.
PanelEntries map_entries(const PatternView& pattern, const SymbolicFactor& symbolic,
                         Index workers = 1);

/// Returns the position in L of each of `entries`. Their columns are numbered as in the structure.
PanelEntries map_entries(std::span<const ColumnPair> entries, const PanelStructure& structure,
                         Index workers = 1);

}  // namespace espalier::internal
