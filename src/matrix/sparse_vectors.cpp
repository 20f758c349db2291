// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/sparse_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/memory.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Throws InputError if the sum of finite entries at one position is not finite.
void expect_finite_sums(const TextSource& source, const SparseVectors& vectors) {
  std::vector<double> sum(vectors.n, 0.0);
  const auto end = vectors.entry.end();
  for (auto begin = vectors.entry.begin(); begin != end;) {
    const auto next = std::find_if(
        begin, end, [begin](const CoordinateEntry& e) { return e.column != begin->column; });
    for (auto at = begin; at != next; ++at) {
      sum[at->row] += at->value;
      if (std::isfinite(sum[at->row])) continue;
      throw InputError(source.path() + ": the entry (" + std::to_string(at->row + Count{1}) + ", " +
                       std::to_string(at->column + Count{1}) +
                       ") has duplicates whose sum is not finite");
    }
    for (; begin != next; ++begin) sum[begin->row] = 0;
  }
}

}  // namespace

void SparseVectors::copy(Index first, std::span<double> b) const {
  if (b.empty()) return;
  std::ranges::fill(b, 0.0);
  const Count end = first + std::ssize(b) / n;
  auto at = std::ranges::lower_bound(entry, first, {}, &CoordinateEntry::column);
  for (; at != entry.end() && at->column < end; ++at) {
    b[static_cast<std::size_t>(at->column - first) * n + at->row] += at->value;
  }
}

std::string wrong_rows(std::string_view noun, Count rows, Index n) {
  return "the " + std::string(noun) + " have " + std::to_string(rows) +
         " rows, but the matrix has " + std::to_string(n);
}

void expect_vector_sizes(const TextSource& source, Index n, Count rows, Count columns,
                         std::string_view noun) {
  if (rows != n) source.fail(wrong_rows(noun, rows, n));
  if (columns < 1 || columns > std::numeric_limits<Index>::max()) {
    source.fail("the file announces " + std::to_string(columns) + " vectors; expected 1 to " +
                std::to_string(std::numeric_limits<Index>::max()));
  }
}

SparseVectors read_sparse_vectors(TextSource& source, Index n, std::string_view noun) {
  const CoordinateSizes sizes = read_coordinate_sizes(source);
  expect_vector_sizes(source, n, sizes.rows, sizes.columns, noun);
  SparseVectors vectors{n, static_cast<Index>(sizes.columns), {}};
  expect_possible(source, sizes, true);
  read_entries(source, sizes, true, [&](std::span<const CoordinateEntry> entries) {
    vectors.entry.insert(vectors.entry.end(), entries.begin(), entries.end());
  });
  if (!std::ranges::is_sorted(vectors.entry, {}, &CoordinateEntry::column)) {
    std::ranges::stable_sort(vectors.entry, {}, &CoordinateEntry::column);
  }
  expect_available("a right-hand side", Count{n} * static_cast<Count>(sizeof(double)));
  expect_finite_sums(source, vectors);
  return vectors;
}

}  // namespace espalier::internal
