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
  /// Returns the row of each column.
  std::vector<Index> finish() { return std::move(row_of_); }

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
  std::vector<float> cost_of_;    ///< cost of each column's matched entry
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
  std::vector<float> step_cost_;     ///< cost of the entry of that column and row
  std::vector<char> closed_;         ///< rows whose distance is final, or that lead to no free row
  std::vector<Index> reached_;       ///< rows with a distance
  std::vector<Index> settled_;       ///< rows whose distance is final
  std::vector<Reached> heap_;        ///< may have outdated distances
  std::size_t turn_ = 0;
};

Matching::Matching(const CostColumns& columns)
    : columns_(columns),
      u_(columns.rows, 0),
      v_(columns.columns(), 0),
      row_of_(columns.columns(), -1),
      column_of_(columns.rows, -1),
      cost_of_(columns.columns()),
      next_(columns.begin.begin(), columns.begin.end() - 1),
      visited_in_(columns.rows, -1),
      distance_(columns.rows, infinity),
      reached_from_(columns.rows, -1),
      step_cost_(columns.rows),
      closed_(columns.rows, 0) {
  for (Index j = 0; j < columns.columns(); ++j) {
    if (!columns.of(j).empty()) v_[j] = columns.of(j).front().cost;
  }
}

std::vector<Index> Matching::columns_by_degree() const {
  std::vector<Index> order(row_of_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return columns_.of(a).size() < columns_.of(b).size(); });
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
  std::erase_if(open, [&](Index j) { return columns_.of(j).empty() || match_directly(j); });
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

}  // namespace

std::vector<Index> bipartite_matching(const CostColumns& columns) {
  Matching matching(columns);
  matching.match_cheapest();
  matching.match_by_paths();
  return matching.finish();
}

}  // namespace espalier::internal
