// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/coordinate_entries.hpp"

namespace espalier::internal {

/// `count` vectors of length n, of which the entries alone are kept. Entries at the same place are
/// summed.
struct SparseVectors {
  using Entry = CoordinateEntry;  ///< the column is the vector

  Index n = 0;
  Index count = 0;
  std::vector<Entry> entry;  ///< in the order of their columns

  Count bytes() const { return std::ssize(entry) * static_cast<Count>(sizeof(Entry)); }
  /// Sets b to the vectors from the first one on, zeros included.
  void copy(Index first, std::span<double> b) const;
};

/// Throws InputError, at the source's line, unless vectors with so many rows, so many of them, may
/// stand beside each other as right-hand sides of a matrix of order n.
void expect_vector_sizes(const TextSource& source, Index n, Count rows, Count columns);

/// Reads what follows the banner of a Matrix Market coordinate file with vectors of length n side
/// by side. Throws InputError, with the line where there is one, where it is not that, and where
/// the sum of entries at one place is not finite; MemoryError where there is too little memory for
/// one of the vectors. Time O(n + entries log entries), memory O(n + entries).
SparseVectors read_sparse_vectors(TextSource& source, Index n);

}  // namespace espalier::internal
