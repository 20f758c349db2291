// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/entries.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Returns where each entry of A goes in L. Throws UsageError for more than
/// PanelEntry::most_sources entries. Cost O(nnz(A) + rows of all panels), on as many threads as
/// workers; the result is the same for any number.
PanelEntries map_entries(const PatternView& pattern, const SymbolicFactor& symbolic,
                         Index workers = 1);

/// Maps entries of some columns, numbered as those of the structure, in the same way.
PanelEntries map_entries(std::span<const ColumnPair> entries, const PanelStructure& structure,
                         Index workers = 1);

}  // namespace espalier::internal
