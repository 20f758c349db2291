// SPDX-License-Identifier: BSD-3-Clause
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "matrix/generators.hpp"
#include "matrix/symmetric_builder.hpp"

namespace espalier::internal::support {

SparseMatrix from_entries(Index n, const std::vector<Entry>& entries) {
  SymmetricBuilder builder(n, Storage::one_triangle, true, std::ssize(entries));
  for (const Entry& entry : entries) builder.add(entry.row, entry.column, entry.value);
  InputNotes notes;
  return builder.finish(notes);
}

std::vector<double> to_dense(const SparseMatrixView& a) {
  const std::size_t n = a.pattern.n;
  std::vector<double> dense(n * n, 0);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      dense[i + j * n] = dense[j + i * n] = a.value[k];
    }
  }
  return dense;
}

SparseMatrix tridiagonal(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, 2});
    if (j > 0) entries.push_back({j, j - 1, -1});
  }
  return from_entries(n, entries);
}

SparseMatrix powers_of_two(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      entries.push_back({i, j, (std::ldexp(1, 2 * (j + 1)) - 1) / (3 * std::ldexp(1, i + j))});
    }
  }
  return from_entries(n, entries);
}

SparseMatrix arrow_head_last(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, static_cast<double>(n)});
    if (j + 1 < n) entries.push_back({n - 1, j, -1});
  }
  return from_entries(n, entries);
}

SparseMatrix arrow_head_first(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, static_cast<double>(n)});
    if (j > 0) entries.push_back({j, 0, -1});
  }
  return from_entries(n, entries);
}

SparseMatrix identity(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) entries.push_back({j, j, 1});
  return from_entries(n, entries);
}

SparseMatrix liu_1990() {
  constexpr std::pair<Index, Index> edges[] = {{2, 0}, {7, 0}, {4, 1}, {9, 1}, {6, 2},
                                               {8, 3}, {9, 3}, {8, 4}, {9, 4}, {6, 5},
                                               {7, 5}, {8, 7}, {9, 7}};
  std::vector<Entry> entries;
  for (Index j = 0; j < 10; ++j) entries.push_back({j, j, 5});
  for (const auto& [row, column] : edges) entries.push_back({row, column, -1});
  return from_entries(10, entries);
}

SparseMatrix separable() {
  std::vector<Entry> entries;
  for (Index j = 0; j < 7; ++j) entries.push_back({j, j, 3});
  entries.push_back({4, 1, -1});
  for (const auto& [row, column] : {std::pair(2, 0), std::pair(5, 2), std::pair(6, 5)}) {
    entries.push_back({row, column, -1});
  }
  return from_entries(7, entries);
}

SparseMatrix random_dominant(Index n, double per_column, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<Index> vertex(0, n - 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::map<std::pair<Index, Index>, double> off_diagonal;
  for (Index k = 0; k < static_cast<Index>(per_column * n); ++k) {
    const Index i = vertex(generator), j = vertex(generator);
    if (i != j) off_diagonal[std::minmax(i, j)] = uniform(generator);
  }
  std::vector<Entry> entries;
  std::vector<double> diagonal(n, 1);
  for (const auto& [place, value] : off_diagonal) {
    entries.push_back({place.second, place.first, value});
    diagonal[place.first] += std::fabs(value);
    diagonal[place.second] += std::fabs(value);
  }
  for (Index j = 0; j < n; ++j) entries.push_back({j, j, diagonal[j]});
  return from_entries(n, entries);
}

SparseMatrix bad_pivot(Index n, Index column) {
  SparseMatrix a = tridiagonal(n);
  a.value[a.pattern.column_begin[column]] = 0;
  return a;
}

std::vector<NamedMatrix> small_matrices() {
  std::vector<NamedMatrix> matrices{
      {"1 x 1", identity(1)},
      {"identity", identity(9)},
      {"tridiagonal", tridiagonal(17)},
      {"powers of two", powers_of_two(20)},
      {"arrow, head last", arrow_head_last(12)},
      {"arrow, head first", arrow_head_first(12)},
      {"Liu 1990", liu_1990()},
      {"separable", separable()},
  };
  for (const char* spec :
       {"laplace2d:7", "laplace3d:3", "stencil27:3", "elasticity3d:1x2x1", "irregular2d:60"}) {
    matrices.push_back({spec, generate_matrix(spec)});
  }
  for (const std::uint64_t seed : {1, 2, 3}) {
    matrices.push_back({"random " + std::to_string(seed), random_dominant(40, 1.5, seed)});
  }
  return matrices;
}

}  // namespace espalier::internal::support
