// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <span>
#include <string>
#include <string_view>
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

/// Name of the vectors that most files have, for messages.
inline constexpr std::string_view usual_vectors = "right-hand sides";

/// Returns the message that vectors have another number of rows than their matrix.
std::string wrong_rows(std::string_view noun, Count rows, Index n);

/// Throws InputError, with the current line of the source, unless the file can have `columns`
/// vectors with `rows` rows, for a matrix of order n. The message calls the vectors `noun`.
void expect_vector_sizes(const TextSource& source, Index n, Count rows, Count columns,
                         std::string_view noun);

/// Reads a Matrix Market coordinate file after its banner. Each column is a vector of length n.
/// Throws InputError, with the line number if there is one, if the file has another format, or if
/// the sum of entries at one position is not finite. Throws MemoryError if memory does not suffice
/// for one vector. Time O(n + entries log entries), memory O(n + entries).
SparseVectors read_sparse_vectors(TextSource& source, Index n,
                                  std::string_view noun = usual_vectors);

}  // namespace espalier::internal
