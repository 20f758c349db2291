// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/entries.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {

/// Where each entry of A goes in L. Throws UsageError for more than PanelEntry::most_sources
/// entries. Cost O(nnz(A) + rows of all panels), on
/// as many threads as workers; the result is the same for any number.
PanelEntries map_entries(const LowerPattern& pattern, const SymbolicFactor& symbolic,
                         Index workers = 1);

}  // namespace espalier
