// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {

/// Calls f(i, j, value) for each stored entry of the lower triangle.
template <typename Function>
void for_each_stored(const SparseMatrix& a, Function f) {
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      f(a.pattern.row[k], j, a.value[k]);
    }
  }
}

/// Returns the largest |s_i a_ij s_j| of each row.
inline std::vector<double> largest_scaled(const SparseMatrix& a, std::span<const double> scale) {
  std::vector<double> largest(static_cast<std::size_t>(a.pattern.n));
  for_each_stored(a, [&](Index i, Index j, double value) {
    const double scaled = std::abs(value * (scale[i] * scale[j]));
    largest[i] = std::max(largest[i], scaled);
    largest[j] = std::max(largest[j], scaled);
  });
  return largest;
}

/// Returns a random symmetric matrix whose entries, also those on the diagonal, are nonzero with
/// this probability. Each row has a nonzero entry: one to its neighbour, if there is one.
inline SparseMatrix random_symmetric(Index n, double density, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<support::Entry> entries;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, uniform(engine) < density ? uniform(engine) - 0.5 : 0});
    for (Index i = j + 1; i < n; ++i) {
      if (i == j + 1 || uniform(engine) < density) entries.push_back({i, j, uniform(engine) - 0.5});
    }
  }
  return support::from_entries(n, entries);
}

/// Returns D A D with random diagonal entries of D between 10^-digits and 10^digits, where all
/// scaled entries stay finite and nonzero.
inline SparseMatrix graded(SparseMatrix a, int digits, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> exponent(-digits, digits);
  std::vector<double> d(static_cast<std::size_t>(a.pattern.n));
  for (double& value : d) value = std::pow(10, exponent(engine));
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      a.value[k] *= d[j] * d[a.pattern.row[k]];
    }
  }
  return a;
}

}  // namespace espalier::internal
