// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "matrix/generators.hpp"
#include "matrix/symmetric_builder.hpp"

namespace espalier::internal {

namespace {

constexpr Index ties = 6;         // number of neighbours that each point is connected to
constexpr Index most_reach = 21;  // maximum distance of the search for them, in cells
constexpr double shift = 1e-3;    // added to the diagonal and to all distances

struct Point {
  double x, y;
};

/// Returns random points. Half of them lie left of 0.31, so that the mesh is graded.
std::vector<Point> random_points(Index n) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Point> points(n);
  for (Point& point : points) {
    point.x = std::pow(uniform(generator), 1.7);
    point.y = uniform(generator);
  }
  return points;
}

/// Points sorted into square cells, two per cell on average.
class CellGrid {
 public:
  explicit CellGrid(const std::vector<Point>& points)
      : side_(std::max(1, static_cast<Index>(std::sqrt(static_cast<double>(points.size()) / 2)))) {
    begin_.assign(static_cast<std::size_t>(side_) * side_ + 1, 0);
    for (const Point& point : points) ++begin_[cell(along(point.x), along(point.y)) + 1];
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    members_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      members_[next[cell(along(points[i].x), along(points[i].y))]++] = static_cast<Index>(i);
    }
  }

  /// Calls visit(j) for every point at most `reach` cells away along each axis.
  template <typename Visitor>
  void for_each_near(const Point& point, Index reach, Visitor&& visit) const {
    const Index x = along(point.x), y = along(point.y);
    const Index y_first = std::max(0, y - reach), y_last = std::min(side_ - 1, y + reach);
    for (Index cx = std::max(0, x - reach); cx <= std::min(side_ - 1, x + reach); ++cx) {
      const Index end = begin_[cell(cx, y_last) + 1];
      for (Index k = begin_[cell(cx, y_first)]; k < end; ++k) visit(members_[k]);
    }
  }

 private:
  Index along(double position) const {
    return std::min(side_ - 1, static_cast<Index>(position * side_));
  }
  std::size_t cell(Index x, Index y) const { return static_cast<std::size_t>(x) * side_ + y; }

  Index side_;
  std::vector<Index> begin_;
  std::vector<Index> members_;
};

using Neighbour = std::pair<double, Index>;  // distance and number, compared in this order

/// Writes the points nearest to point i, at most `ties`, to `nearest`.
void find_nearest(const std::vector<Point>& points, const CellGrid& grid, Index i,
                  std::vector<Neighbour>& nearest) {
  const Point& own = points[i];
  for (Index reach = 1; reach <= most_reach; ++reach) {
    nearest.clear();
    grid.for_each_near(own, reach, [&](Index j) {
      if (j == i) return;
      nearest.emplace_back(std::hypot(own.x - points[j].x, own.y - points[j].y), j);
    });
    if (nearest.size() >= ties) break;
  }
  const auto kept = std::min<std::ptrdiff_t>(ties, std::ssize(nearest));
  std::partial_sort(nearest.begin(), nearest.begin() + kept, nearest.end());
  nearest.resize(kept);
}

}  // namespace

SparseMatrix irregular2d(Index n) {
  const std::vector<Point> points = random_points(n);
  const CellGrid grid(points);
  const double scale = std::sqrt(n);
  SymmetricBuilder builder(n, Storage::one_triangle, true, (ties + 1) * static_cast<Count>(n));
  std::vector<double> diagonal(n, shift);
  std::vector<Index> tied(static_cast<std::size_t>(n) * ties, -1);
  std::vector<Neighbour> nearest;
  for (Index i = 0; i < n; ++i) {
    find_nearest(points, grid, i, nearest);
    Index* own = &tied[static_cast<std::size_t>(i) * ties];
    for (const auto& [distance, j] : nearest) {
      *own++ = j;
      const Index* theirs = &tied[static_cast<std::size_t>(j) * ties];
      if (j < i && std::find(theirs, theirs + ties, i) != theirs + ties) continue;
      const double weight = 1 / (shift + distance * scale);
      builder.add(std::max(i, j), std::min(i, j), -weight);
      diagonal[i] += weight;
      diagonal[j] += weight;
    }
  }
  for (Index i = 0; i < n; ++i) builder.add(i, i, diagonal[i]);
  InputNotes notes;
  return builder.finish(notes);
}

}  // namespace espalier::internal
