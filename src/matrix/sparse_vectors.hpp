// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/coordinate_entries.hpp"

namespace espalier::internal {

/// `count` sparse vectors of length n, stored as entries. Entries at the same position are summed.
struct SparseVectors {
  using Entry = CoordinateEntry;  ///< the column is the number of the vector

  Index n = 0;
  Index count = 0;
  std::vector<Entry> entry;  ///< sorted by column

  Count bytes() const { return std::ssize(entry) * static_cast<Count>(sizeof(Entry)); }
  /// Writes the vectors from number `first` on to b, including their zeros, until b is full.
  void copy(Index first, std::span<double> b) const;
};

/// Throws InputError, with the current line of the source, unless `columns` vectors with `rows`
/// rows can be right-hand sides of a matrix of order n.
void expect_vector_sizes(const TextSource& source, Index n, Count rows, Count columns);

/// Reads a Matrix Market coordinate file after its banner. Each column is a vector of length n.
/// Throws InputError, with the line number if there is one, if the file has another format, or if
/// the sum of entries at one position is not finite. Throws MemoryError if memory does not suffice
/// for one vector. Time O(n + entries log entries), memory O(n + entries).
SparseVectors read_sparse_vectors(TextSource& source, Index n);

}  // namespace espalier::internal
