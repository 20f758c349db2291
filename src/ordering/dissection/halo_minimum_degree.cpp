// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/halo_minimum_degree.hpp"

#include <camd.h>

#include <algorithm>
#include <array>

#include "ordering/methods.hpp"

namespace espalier::internal {

namespace {

/// In parts with at most this number of vertices, no vertex is treated as dense.
constexpr Index small_part = 1000;

}  // namespace

void HaloMinimumDegree::number(std::span<const Index> part) {
  vertex_.assign(part.begin(), part.end());
  for (std::size_t k = 0; k < part.size(); ++k) local_[part[k]] = static_cast<Index>(k);
  for (const Index v : part) {
    for (const Index u : graph_.of(v)) {
      if (local_[u] != outside) continue;
      local_[u] = static_cast<Index>(vertex_.size());
      vertex_.push_back(u);
    }
  }
}

/// Counts neighbours, without edges inside the halo, because degrees of halo vertices are never
/// compared.
void HaloMinimumDegree::count_neighbours(Index part_size) {
  length_.assign(vertex_.size(), 0);
  for (Index k = 0; k < part_size; ++k) {
    for (const Index u : graph_.of(vertex_[k])) {
      ++length_[k];
      if (local_[u] >= part_size) ++length_[local_[u]];
    }
  }
}

void HaloMinimumDegree::list_neighbours(Index part_size) {
  begin_.resize(vertex_.size());
  int end = 0;
  for (std::size_t k = 0; k < vertex_.size(); ++k) {
    begin_[k] = end;
    end += length_[k];
    length_[k] = 0;
  }
  // A fifth of spare space keeps garbage collections rare.
  lists_.resize(end + end / 5 + vertex_.size() + 1);
  for (Index k = 0; k < part_size; ++k) {
    for (const Index u : graph_.of(vertex_[k])) {
      const Index l = local_[u];
      lists_[begin_[k] + length_[k]++] = l;
      if (l >= part_size) lists_[begin_[l] + length_[l]++] = k;
    }
  }
  neighbours_ = end;
}

OrderingCost HaloMinimumDegree::eliminate(Index part_size) {
  const auto n = static_cast<int>(vertex_.size());
  const std::size_t stride = vertex_.size() + 1;
  constexpr std::size_t arrays = 9;
  work_.resize(arrays * stride);
  std::array<int*, arrays> work;
  for (std::size_t k = 0; k < arrays; ++k) work[k] = work_.data() + k * stride;
  const auto [sizes, next, order, head, elements, degrees, marks, last, buckets] = work;
  int* const eliminated_last = last;
  std::fill(eliminated_last, eliminated_last + n, 1);
  std::fill(eliminated_last, eliminated_last + part_size, 0);
  std::array<double, CAMD_CONTROL> control{};
  camd_defaults(control.data());
  control[CAMD_DENSE] = part_size > small_part ? dense_degree_factor(n, neighbours_) : -1;
  std::array<double, CAMD_INFO> info{};
  camd_2(n, begin_.data(), lists_.data(), length_.data(), static_cast<int>(lists_.size()),
         neighbours_, sizes, next, order, head, elements, degrees, marks, control.data(),
         info.data(), eliminated_last, buckets);
  // CAMD counts as AMD does: the entries below the diagonal, and the sum of the squared numbers of
  // these entries per column.
  return {info[CAMD_NMULTSUBS_LU] + 2 * info[CAMD_LNZ] + n, info[CAMD_LNZ] + n};
}

OrderingCost HaloMinimumDegree::order(std::span<Index> part) {
  const auto part_size = static_cast<Index>(part.size());
  if (part_size == 0) return {};
  number(part);
  count_neighbours(part_size);
  list_neighbours(part_size);
  for (const Index v : vertex_) local_[v] = outside;
  const OrderingCost estimate = eliminate(part_size);
  const int* const order = work_.data() + 2 * (vertex_.size() + 1);
  for (Index k = 0; k < part_size; ++k) part[k] = vertex_[order[k]];
  return estimate;
}

}  // namespace espalier::internal
