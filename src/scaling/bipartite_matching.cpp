// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/bipartite_matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace espalier::internal {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Entry of a column of the whole matrix. Its cost is -log2|b_ij|, so that the matching
/// with the lowest sum of costs has the largest product.
struct CostEntry {
  Index row;
  double cost;
};

/// All columns of a symmetric matrix, both triangles, without zeros.
struct CostColumns {
  Index n;
  std::vector<Count> begin;
  std::vector<CostEntry> entry;

  Index degree(Index j) const { return static_cast<Index>(begin[j + 1] - begin[j]); }
  std::span<CostEntry> of(Index j) {
    return {entry.data() + begin[j], entry.data() + begin[j + 1]};
  }
  std::span<const CostEntry> of(Index j) const {
    return {entry.data() + begin[j], entry.data() + begin[j + 1]};
  }
};

/// Calls f(i, j, value) for every nonzero entry of the lower triangle whose row and column take
/// part.
template <typename Function>
void for_each_entry(const SparseMatrixView& a, const std::vector<char>& takes_part, Function f) {
  const auto& pattern = a.pattern;
  for (Index j = 0; j < pattern.n; ++j) {
    if (!takes_part.empty() && !takes_part[j]) continue;
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index i = pattern.row[k];
      if (a.value[k] != 0 && (takes_part.empty() || takes_part[i])) f(i, j, a.value[k]);
    }
  }
}

CostColumns cost_columns(const SparseMatrixView& a, std::span<const double> log_scale,
                         const std::vector<char>& takes_part) {
  CostColumns columns{a.pattern.n, {}, {}};
  columns.begin.assign(static_cast<std::size_t>(columns.n) + 1, 0);
  for_each_entry(a, takes_part, [&](Index i, Index j, double) {
    ++columns.begin[j + 1];
    if (i != j) ++columns.begin[i + 1];
  });
  std::partial_sum(columns.begin.begin(), columns.begin.end(), columns.begin.begin());
  columns.entry.resize(static_cast<std::size_t>(columns.begin.back()));
  std::vector<Count> next(columns.begin.begin(), columns.begin.end() - 1);
  for_each_entry(a, takes_part, [&](Index i, Index j, double value) {
    const double cost = -std::log2(std::abs(value)) - log_scale[i] - log_scale[j];
    columns.entry[next[j]++] = {i, cost};
    if (i != j) columns.entry[next[i]++] = {j, cost};
  });
  return columns;
}

/// Subtracts the lowest cost of each column from its entries, then the lowest remaining cost of
/// each row. The entries of a column are then sorted by cost. Returns the sums that were subtracted
/// from each row, as if those of the columns were 0.
std::vector<double> reduce(CostColumns& columns) {
  std::vector<double> of_row(static_cast<std::size_t>(columns.n), infinity);
  for (Index j = 0; j < columns.n; ++j) {
    double lowest = infinity;
    for (const CostEntry& e : columns.of(j)) lowest = std::min(lowest, e.cost);
    for (const CostEntry& e : columns.of(j)) {
      of_row[e.row] = std::min(of_row[e.row], e.cost - lowest);
    }
  }
  for (Index j = 0; j < columns.n; ++j) {
    for (CostEntry& e : columns.of(j)) e.cost -= of_row[e.row];
    std::sort(columns.of(j).begin(), columns.of(j).end(),
              [](const CostEntry& a, const CostEntry& b) { return a.cost < b.cost; });
  }
  return of_row;
}

/// Matching in progress. The dual variables u of rows and v of columns keep u_i + v_j <= cost_ij,
/// with equality for matched entries. The reduced cost of an entry is cost_ij - u_i - v_j.
///
/// The dual variable of a free row is 0, and none is positive. So the nearest free row of a column
/// is the first one among its sorted entries, and entries whose cost is too high end a scan.
class Matching {
 public:
  explicit Matching(const CostColumns& columns);

  /// Matches as many columns as possible by their cheapest entries. In each phase, paths for all
  /// unmatched columns together visit a row at most once. Columns with few entries come first,
  /// because they have the least choice. Pothen and Fan, "Computing the block triangular form of a
  /// sparse matrix", 1990.
  void match_cheapest();
  /// Matches all columns that can still be matched.
  void match_by_paths();
  /// Returns the matching, with `row_cost` added to the dual variables of the rows.
  BipartiteMatching finish(const std::vector<double>& row_cost);

 private:
  /// Row on the heap. Of rows at equal distances, the first one that was reached comes first,
  /// because a free row at that distance is often few steps away.
  struct Reached {
    double distance;
    std::size_t turn;  ///< number of rows that were reached before
    Index row;
    bool operator<(const Reached& other) const {
      return distance != other.distance ? distance > other.distance : turn > other.turn;
    }
  };
  /// End of the best augmenting path that the search has found.
  struct FreeRow {
    double distance = infinity;
    Index row = -1;
  };

  std::vector<Index> columns_by_degree() const;
  const CostEntry* cheapest_free(Index j);
  bool match_directly(Index j);
  bool match_by_cheapest_path(Index root, Index phase);
  void match(Index j, const CostEntry& e);
  void search(Index root);
  void scan(Index j, double distance, FreeRow& free);
  void reach(const CostEntry& e, Index from, double distance);
  bool pop_nearest(double limit, Reached& nearest);
  void change_duals(double path_length);
  void augment(Index root, Index row);
  void forget_search(bool close_reached);

  const CostColumns& columns_;
  std::vector<double> u_, v_;
  std::vector<Index> row_of_;     ///< of columns
  std::vector<Index> column_of_;  ///< of rows
  std::vector<double> cost_of_;   ///< cost of each column's matched entry
  std::vector<Count> next_;       ///< position of each column's first entry whose row may be free

  struct PathStep {
    Index column;
    Count entry;  ///< position of the column's next entry
  };
  std::vector<PathStep> path_;
  std::vector<Index> visited_in_;  ///< last phase that visited each row

  // The current search of a shortest path.
  std::vector<double> distance_;     ///< of rows
  std::vector<Index> reached_from_;  ///< column before each row on its shortest path
  std::vector<double> step_cost_;    ///< cost of the entry of that column and row
  std::vector<char> closed_;         ///< rows whose distance is final, or that lead to no free row
  std::vector<Index> reached_;       ///< rows with a distance
  std::vector<Index> settled_;       ///< rows whose distance is final
  std::vector<Reached> heap_;        ///< may have outdated distances
  std::size_t turn_ = 0;
};

Matching::Matching(const CostColumns& columns)
    : columns_(columns),
      u_(columns.n, 0),
      v_(columns.n, 0),
      row_of_(columns.n, -1),
      column_of_(columns.n, -1),
      cost_of_(columns.n),
      next_(columns.begin.begin(), columns.begin.end() - 1),
      visited_in_(columns.n, -1),
      distance_(columns.n, infinity),
      reached_from_(columns.n, -1),
      step_cost_(columns.n),
      closed_(columns.n, 0) {
  for (Index j = 0; j < columns.n; ++j) {
    if (columns.degree(j) > 0) v_[j] = columns.of(j).front().cost;
  }
}

std::vector<Index> Matching::columns_by_degree() const {
  std::vector<Index> order(static_cast<std::size_t>(columns_.n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return columns_.degree(a) < columns_.degree(b); });
  return order;
}

/// Returns the cheapest entry of column j in a free row, or nullptr. Rows that are matched stay
/// matched, so that no entry is read twice.
const CostEntry* Matching::cheapest_free(Index j) {
  for (Count& k = next_[j]; k < columns_.begin[j + 1]; ++k) {
    if (column_of_[columns_.entry[k].row] < 0) return &columns_.entry[k];
  }
  return nullptr;
}

void Matching::match(Index j, const CostEntry& e) {
  row_of_[j] = e.row;
  column_of_[e.row] = j;
  cost_of_[j] = e.cost;
}

/// Matches column j with a free row of reduced cost 0 if there is one.
bool Matching::match_directly(Index j) {
  const CostEntry* const e = cheapest_free(j);
  if (e == nullptr || e->cost != v_[j]) return false;
  match(j, *e);
  return true;
}

/// Matches along a path of reduced cost 0 from an unmatched column to a free row, if depth-first
/// search finds one among the rows that this phase has not yet visited.
bool Matching::match_by_cheapest_path(Index root, Index phase) {
  path_.assign(1, {root, columns_.begin[root]});
  while (!path_.empty()) {
    auto& [j, k] = path_.back();
    if (match_directly(j)) {
      path_.pop_back();
      for (; !path_.empty(); path_.pop_back()) {
        match(path_.back().column, columns_.entry[path_.back().entry - 1]);
      }
      return true;
    }
    if (k == columns_.begin[j + 1] || columns_.entry[k].cost != v_[j]) {
      path_.pop_back();
      continue;
    }
    const Index row = columns_.entry[k++].row;
    if (std::exchange(visited_in_[row], phase) == phase) continue;
    path_.push_back({column_of_[row], columns_.begin[column_of_[row]]});
  }
  return false;
}

void Matching::match_cheapest() {
  std::vector<Index> open = columns_by_degree();
  std::erase_if(open, [&](Index j) { return columns_.degree(j) == 0 || match_directly(j); });
  std::size_t before = open.size() + 1;
  for (Index phase = 0; open.size() < before; ++phase) {
    before = open.size();
    std::erase_if(open, [&](Index j) { return match_by_cheapest_path(j, phase); });
  }
}

void Matching::match_by_paths() {
  for (const Index j : columns_by_degree()) {
    if (row_of_[j] < 0) search(j);
  }
}

/// Takes the nearest row from the heap. Returns false if none is nearer than the limit.
bool Matching::pop_nearest(double limit, Reached& nearest) {
  while (!heap_.empty() && heap_.front().distance < limit) {
    nearest = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    if (!closed_[nearest.row]) return true;
  }
  return false;
}

void Matching::reach(const CostEntry& e, Index from, double distance) {
  if (distance_[e.row] == infinity) reached_.push_back(e.row);
  distance_[e.row] = distance;
  reached_from_[e.row] = from;
  step_cost_[e.row] = e.cost;
}

/// Extends the search by the entries of column j, which is at this distance. The entry of the
/// nearest free row comes first, because it limits the other entries.
void Matching::scan(Index j, double distance, FreeRow& free) {
  const auto distance_by = [&](double cost) { return distance + std::max(cost - v_[j], 0.0); };
  const CostEntry* const cheapest = cheapest_free(j);
  if (cheapest != nullptr && distance_by(cheapest->cost) < free.distance) {
    free = {distance_by(cheapest->cost), cheapest->row};
    reach(*cheapest, j, free.distance);
  }
  for (const CostEntry& e : columns_.of(j)) {
    if (distance_by(e.cost) >= free.distance) return;
    const double at = distance_by(e.cost - u_[e.row]);
    if (closed_[e.row] || at >= free.distance || at >= distance_[e.row]) continue;
    reach(e, j, at);
    heap_.push_back({at, turn_++, e.row});
    std::push_heap(heap_.begin(), heap_.end());
  }
}

/// Searches for the shortest path from an unmatched column to a free row, by Dijkstra's algorithm
/// over reduced costs, and matches along it.
void Matching::search(Index root) {
  FreeRow free;
  v_[root] = infinity;
  for (const CostEntry& e : columns_.of(root)) {
    if (!closed_[e.row]) v_[root] = std::min(v_[root], e.cost - u_[e.row]);
  }
  scan(root, 0, free);
  Reached nearest{};
  while (pop_nearest(free.distance, nearest)) {
    closed_[nearest.row] = 1;
    settled_.push_back(nearest.row);
    scan(column_of_[nearest.row], nearest.distance, free);
  }
  if (free.row >= 0) {
    change_duals(free.distance);
    augment(root, free.row);
  }
  forget_search(free.row < 0);
}

/// Keeps reduced costs at least 0 when the matching changes along a path of this length.
void Matching::change_duals(double path_length) {
  for (const Index row : settled_) u_[row] += distance_[row] - path_length;
}

/// Matches along the path from the root to a free row, and makes the reduced costs of the matched
/// entries 0 again.
void Matching::augment(Index root, Index row) {
  for (Index j = -1; j != root;) {
    j = reached_from_[row];
    const Index left = row_of_[j];
    match(j, {row, step_cost_[row]});
    v_[j] = cost_of_[j] - u_[row];
    row = left;
  }
  for (const Index settled : settled_) {
    const Index j = column_of_[settled];
    v_[j] = cost_of_[j] - u_[settled];
  }
}

void Matching::forget_search(bool close_reached) {
  for (const Index row : reached_) distance_[row] = infinity;
  for (const Index row : settled_) closed_[row] = close_reached ? 1 : 0;
  reached_.clear();
  settled_.clear();
  heap_.clear();
}

BipartiteMatching Matching::finish(const std::vector<double>& row_cost) {
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += row_cost[i];
  BipartiteMatching result;
  result.matched = static_cast<Index>(
      std::count_if(row_of_.begin(), row_of_.end(), [](Index row) { return row >= 0; }));
  result.row_of = std::move(row_of_);
  result.row_log = std::move(u_);
  result.column_log = std::move(v_);
  return result;
}

}  // namespace

BipartiteMatching bipartite_matching(const SparseMatrixView& a, std::span<const double> log_scale,
                                     const std::vector<char>& takes_part) {
  CostColumns columns = cost_columns(a, log_scale, takes_part);
  const std::vector<double> row_cost = reduce(columns);
  Matching matching(columns);
  matching.match_cheapest();
  matching.match_by_paths();
  return matching.finish(row_cost);
}

}  // namespace espalier::internal
