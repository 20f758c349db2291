// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/rank_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

RankVectors::RankVectors(const Communicator& comm, const RankPart& part)
    : comm_(comm), part_(part) {
  const LocalStructure& structure = part.structure;
  for (Index p = 0; p < structure.panels(); ++p) {
    if (structure.owner(p, p) != structure.rank) continue;
    for (Index j = structure.panel_begin[p]; j < structure.panel_begin[p + 1]; ++j) {
      kept_.push_back(j);
    }
  }
  std::vector<Index> own;
  own.reserve(kept_.size());
  for (const Index j : kept_) own.push_back(part.original[j]);
  if (!comm.is_root()) {
    comm.send(std::span<const Index>(own), 0);
    return;
  }
  rows_.resize(static_cast<std::size_t>(comm.size()));
  rows_[0] = std::move(own);
  for (Index r = 1; r < comm.size(); ++r) comm.receive(rows_[r], r);
  for (const auto& rows : rows_) whole_rows_ += std::ssize(rows);
}

/// Calls move(i, k) for each entry of the vectors of a rank. i is its position in the whole
/// vectors, k its position in the rank's vectors. Call it only on the root.
template <class Move>
void RankVectors::for_each_kept(Index rank, Index count, Move move) const {
  const std::vector<Index>& rows = rows_[rank];
  std::size_t at = 0;
  for (Count r = 0; r < count; ++r) {
    for (const Index row : rows) move(static_cast<std::size_t>(r * whole_rows_ + row), at++);
  }
}

std::vector<double> RankVectors::scatter(std::span<const double> whole, Index count) const {
  std::vector<double> own;
  if (comm_.is_root()) {
    for (Index rank = comm_.size(); rank-- > 0;) {
      own.resize(rows_[rank].size() * static_cast<std::size_t>(count));
      for_each_kept(rank, count, [&](std::size_t from, std::size_t to) { own[to] = whole[from]; });
      if (rank > 0) comm_.send(std::span<const double>(own), rank);
    }
  } else {
    comm_.receive(own, 0);
  }
  std::vector<double> local(entries(count), 0.0);
  auto from = own.begin();
  for (Index r = 0; r < count; ++r) {
    double* const vector = local.data() + entries(r);
    for (const Index j : kept_) vector[j] = *from++;
  }
  return local;
}

std::vector<double> RankVectors::gather(std::span<const double> local, Index count) const {
  std::vector<double> own;
  own.reserve(kept_.size() * static_cast<std::size_t>(count));
  for (Index r = 0; r < count; ++r) {
    for (const Index j : kept_) own.push_back(local[entries(r) + static_cast<std::size_t>(j)]);
  }
  std::vector<double> whole;
  if (!comm_.is_root()) {
    comm_.send(std::span<const double>(own), 0);
    return whole;
  }
  whole.resize(static_cast<std::size_t>(whole_rows_ * count));
  for (Index rank = 0; rank < comm_.size(); ++rank) {
    if (rank > 0) comm_.receive(own, rank);
    for_each_kept(rank, count, [&](std::size_t to, std::size_t from) { whole[to] = own[from]; });
  }
  return whole;
}

void RankVectors::add_up_shared(std::span<double> local, Index count) const {
  const auto first = static_cast<std::size_t>(part_.structure.own_columns());
  const std::size_t shared = entries(1) - first;
  std::vector<double> together;
  together.reserve(shared * static_cast<std::size_t>(count));
  for (Index r = 0; r < count; ++r) {
    const auto rows = local.subspan(entries(r) + first, shared);
    together.insert(together.end(), rows.begin(), rows.end());
  }
  comm_.add_up(together);
  for (Index r = 0; r < count; ++r) {
    std::copy_n(together.begin() + static_cast<Count>(shared) * r, shared,
                local.begin() + static_cast<Count>(entries(r) + first));
  }
}

void RankVectors::clear_rows_of_others(std::span<double> local, Index count) const {
  auto keeps = std::lower_bound(kept_.begin(), kept_.end(), part_.structure.own_columns());
  for (Index j = part_.structure.own_columns(); j < part_.structure.n; ++j) {
    if (keeps != kept_.end() && *keeps == j) {
      ++keeps;
      continue;
    }
    for (Index r = 0; r < count; ++r) local[entries(r) + static_cast<std::size_t>(j)] = 0;
  }
}

void RankVectors::spread_shared(std::span<double> local, Index count) const {
  clear_rows_of_others(local, count);
  add_up_shared(local, count);
}

void RankVectors::find_largest(std::span<double> values) const {
  const std::size_t count = values.size();
  std::vector<double> numbers(values.begin(), values.end());
  numbers.resize(2 * count);
  for (std::size_t i = 0; i < count; ++i) {  // MPI does not define the order of NaN and numbers
    if (!std::isnan(numbers[i])) continue;
    numbers[i] = 0;
    numbers[count + i] = 1;
  }
  comm_.find_largest(numbers);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = numbers[count + i] > 0 ? std::numeric_limits<double>::quiet_NaN() : numbers[i];
  }
}

/// Calls f(row, column, value), with local numbers, for all entries that this rank multiplies with.
template <class F>
void RankMatrix::for_each_entry(F f) const {
  for (Index p = 0; p < structure_.panels(); ++p) {
    if (structure_.owner(p, p) != structure_.rank) continue;
    internal::for_each_entry(structure_, entries_, p, [&](Index row, Index column, Count source) {
      f(row, column, values_[source]);
    });
  }
}

double RankMatrix::norm_inf() const {
  std::vector<double> sums(vectors_.entries(1));
  for_each_entry([&](Index i, Index j, double value) {
    sums[i] += std::fabs(value);
    if (i != j) sums[j] += std::fabs(value);
  });
  vectors_.add_up_shared(sums, 1);
  std::array largest{max_abs(sums)};
  vectors_.find_largest(largest);
  return largest[0];
}

void RankMatrix::residual(std::span<const double> b, std::span<double> x, std::span<double> r,
                          Index count) const {
  std::ranges::copy(b, r.begin());
  vectors_.spread_shared(x, count);
  const std::size_t rows = vectors_.entries(1);
  for (Index first = 0; first < count; first += at_once) {
    const Index width = std::min(at_once, count - first);
    const double* const from = x.data() + vectors_.entries(first);
    double* const to = r.data() + vectors_.entries(first);
    for_each_entry([=](Index i, Index j, double value) {
      for (Index c = 0; c < width; ++c) {
        to[c * rows + i] -= value * from[c * rows + j];
        if (i != j) to[c * rows + j] -= value * from[c * rows + i];
      }
    });
  }
  vectors_.add_up_shared(r, count);
}

double RankMatrix::backward_error(double norm, std::span<const double> x, std::span<const double> b,
                                  std::span<const double> r, Index count) const {
  std::vector<double> largest;
  const std::size_t rows = vectors_.entries(1);
  for (const auto vectors : {x, b, r}) {
    for (Index c = 0; c < count; ++c) {
      largest.push_back(max_abs(vectors.subspan(vectors_.entries(c), rows)));
    }
  }
  vectors_.find_largest(largest);
  const auto one = [&](Index which, Index c) {
    const auto at = static_cast<std::size_t>(which * Count{count} + c);
    return std::span<const double>(largest).subspan(at, 1);
  };
  double worst = 0;
  for (Index c = 0; c < count && !std::isnan(worst); ++c) {
    const double error = internal::backward_error(norm, one(0, c), one(1, c), one(2, c));
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}

void RankSystem::solve(std::span<const double> b, std::span<double> x, Index columns) {
  factor_.submit_solve({b.data(), x.data(), columns});
  factor_.wait();
}

double RankSystem::residual(const RefinedVectors& vectors, double norm, Index columns) const {
  const auto& [b, x, r] = vectors;
  a_.residual(b, x, r, columns);
  return a_.backward_error(norm, x, b, r, columns);
}

double RankSystem::error(std::span<const double> b, std::span<double> x, double norm,
                         Index columns) const {
  double worst = 0;
  const auto add = [&](Index first, Index some) {
    const auto part = [&](auto all) {
      return all.subspan(vectors_.entries(first), vectors_.entries(some));
    };
    std::vector<double> r(vectors_.entries(some));
    worst = max_or_nan(residual({part(b), part(x), r}, norm, some), worst);
  };
  for_each_block(columns, add, RankMatrix::at_once);
  return worst;
}

Index first_of_all(const Communicator& comm, const LocalStructure& structure, Index failed) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index column = comm.least_of_all(failed < 0 ? none : structure.column[failed]);
  return column == none ? -1 : column;
}

}  // namespace espalier::internal
