// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/weighted_matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "scaling/bipartite_matching.hpp"
#include "scaling/coarse_log2.hpp"
#include "scaling/cycle_pairs.hpp"
#include "scaling/equilibration.hpp"

namespace espalier::internal {

namespace {

/// Smallest equilibrated diagonal entry of a 1 x 1 pivot that needs no other column.
constexpr double large_diagonal = 0.01;

/// The equilibrated matrix, and the columns whose diagonal entries are small.
struct Equilibrated {
  explicit Equilibrated(const SparseMatrixView& matrix)
      : a(matrix),
        scale(diagonal_equilibration(matrix)),
        diagonal(scale.size()),
        number(scale.size(), -1) {
    for (std::size_t k = 0; k < scale.size(); ++k) {
      const auto j = static_cast<Index>(k);
      diagonal[j] = entry(a.pattern.column_begin[j], j, j);
      if (std::abs(diagonal[j]) >= large_diagonal) continue;
      number[j] = static_cast<Index>(small.size());
      small.push_back(j);
    }
  }

  double entry(Count k, Index i, Index j) const { return a.value[k] * (scale[i] * scale[j]); }
  bool is_small(Index j) const { return number[j] >= 0; }

  const SparseMatrixView& a;
  std::vector<double> scale;
  std::vector<double> diagonal;
  std::vector<Index> small;   ///< columns with small diagonal entries
  std::vector<Index> number;  ///< position of each column in `small`; -1 for the others
};

/// Calls f(i, j, b_ij) for every entry of a column j with a small diagonal entry. Zeros are left
/// out.
template <typename Function>
void for_each_entry(const Equilibrated& b, Function f) {
  const auto& pattern = b.a.pattern;
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index i = pattern.row[k];
      if (!b.is_small(i) && !b.is_small(j)) continue;
      const double value = b.entry(k, i, j);
      if (value == 0) continue;
      if (b.is_small(j)) f(i, j, value);
      if (b.is_small(i) && i != j) f(j, i, value);
    }
  }
}

/// Returns the columns with small diagonal entries. The cost of an entry is -log2 of the pivot that
/// its row gives the column: |b_ij| in a 2 x 2 pivot, or b_ij^2 / |b_ii|.
CostColumns cost_columns(const Equilibrated& b) {
  CostColumns columns;
  columns.rows = b.a.pattern.n;
  columns.begin.assign(b.small.size() + 1, 0);
  for_each_entry(b, [&](Index, Index j, double) { ++columns.begin[b.number[j] + 1]; });
  std::partial_sum(columns.begin.begin(), columns.begin.end(), columns.begin.begin());
  columns.entry.resize(static_cast<std::size_t>(columns.begin.back()));
  std::vector<Count> next(columns.begin.begin(), columns.begin.end() - 1);
  for_each_entry(b, [&](Index i, Index j, double value) {
    const float log = coarse_log2(value);
    const float cost = b.is_small(i) ? -log : coarse_log2(b.diagonal[i]) - 2 * log;
    columns.entry[next[b.number[j]]++] = {i, cost};
  });
  for (Index c = 0; c < columns.columns(); ++c) {
    std::ranges::sort(columns.of(c), {}, &CostEntry::cost);
  }
  return columns;
}

/// Relations in progress. `row_of` has the matched row of each column with a small diagonal entry,
/// and -1 for all other columns.
class Relations {
 public:
  Relations(const Equilibrated& b, std::vector<Index> row_of)
      : b_(b), row_of_(std::move(row_of)), column_of_(row_of_.size(), -1) {
    for (std::size_t j = 0; j < row_of_.size(); ++j) {
      if (row_of_[j] >= 0) column_of_[row_of_[j]] = static_cast<Index>(j);
    }
    result_.partner.resize(row_of_.size());
    std::iota(result_.partner.begin(), result_.partner.end(), 0);
    result_.predecessor.assign(row_of_.size(), -1);
  }

  MatchedColumns find() {
    for (std::size_t j = 0; j < row_of_.size(); ++j) {
      if (row_of_[j] < 0 && column_of_[j] >= 0) divide(chain_from(static_cast<Index>(j)));
    }
    for (const Index j : chained_) row_of_[j] = -1;
    const std::vector<Index> in_cycles = cycle_pairs(row_of_, b_.diagonal);
    for (std::size_t j = 0; j < row_of_.size(); ++j) {
      if (row_of_[j] >= 0) result_.partner[j] = in_cycles[j];
    }
    return std::move(result_);
  }

 private:
  /// Returns the column, the column that is matched with its row, and so on.
  std::vector<Index> chain_from(Index start) {
    std::vector<Index> chain;
    for (Index j = start; j >= 0; j = column_of_[j]) chain.push_back(j);
    chained_.insert(chained_.end(), chain.begin(), chain.end());
    return chain;
  }

  void divide(const std::vector<Index>& chain) {
    std::size_t first = b_.is_small(chain[0]) ? 0 : 1;
    if ((chain.size() - first) % 2 == 1) {
      if (first == 1) result_.predecessor[chain[1]] = chain[0];
      ++first;
    }
    for (std::size_t k = first; k < chain.size(); k += 2) {
      result_.partner[chain[k]] = chain[k + 1];
      result_.partner[chain[k + 1]] = chain[k];
    }
  }

  const Equilibrated& b_;
  std::vector<Index> row_of_;
  std::vector<Index> column_of_;
  std::vector<Index> chained_;  ///< columns in chains
  MatchedColumns result_;
};

}  // namespace

Index MatchedColumns::pairs() const {
  Index columns = 0;
  for (std::size_t j = 0; j < partner.size(); ++j) {
    columns += partner[j] != static_cast<Index>(j) ? 1 : 0;
  }
  return columns / 2;
}

bool MatchedColumns::relates_columns() const {
  return pairs() > 0 || std::ranges::any_of(predecessor, [](Index i) { return i >= 0; });
}

MatchedColumns weighted_matching(const SparseMatrixView& a) {
  const Equilibrated b(a);
  const CostColumns columns = cost_columns(b);
  const std::vector<Index> matched = bipartite_matching(columns);
  std::vector<Index> row_of(b.scale.size(), -1);
  for (std::size_t k = 0; k < matched.size(); ++k) row_of[b.small[k]] = matched[k];
  return Relations(b, std::move(row_of)).find();
}

}  // namespace espalier::internal
