// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "espalier/options.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier {

/// An ordering and, where it was chosen by them, its column counts.
struct CountedOrdering {
  Ordering ordering;
  std::optional<CountedOrder> counted;
};

/// Orders as the options say; no tuning makes a difference to that.
CountedOrdering counted_ordering(const CompressedGraph& graph, const AnalysisOptions& options,
                                 Index workers);

}  // namespace espalier
