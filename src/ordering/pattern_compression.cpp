// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/pattern_compression.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace espalier {

namespace {

/// Whether some column left of v holds only one of the rows v and v + 1: such pairs are where runs
/// of consecutive rows begin or end.
std::vector<std::uint8_t> separated_by_columns(const LowerPattern& pattern) {
  std::vector<std::uint8_t> separated(Count{pattern.n} + 1, 0);
  for (Index j = 0; j < pattern.n; ++j) {
    Index last = j;
    for (const Index i : pattern.column(j).subspan(1)) {
      if (i != last + 1) {
        if (last != j) separated[last] = 1;
        separated[i - 1] = 1;
      }
      last = i;
    }
    if (last != j) separated[last] = 1;
  }
  return separated;
}

/// Whether column v holds the rows of column v + 1 and its own diagonal.
bool same_below(const LowerPattern& pattern, Index v) {
  const auto of_v = pattern.column(v).subspan(1);
  const auto of_next = pattern.column(v + 1);
  return std::equal(of_v.begin(), of_v.end(), of_next.begin(), of_next.end());
}

/// The pattern of one column and row of each group.
LowerPattern leading_pattern(const LowerPattern& pattern, const std::vector<Index>& group_begin) {
  std::vector<Index> led(pattern.n, -1);
  LowerPattern result;
  result.n = static_cast<Index>(group_begin.size()) - 1;
  for (Index g = 0; g < result.n; ++g) led[group_begin[g]] = g;
  result.column_begin.reserve(group_begin.size());
  for (Index g = 0; g < result.n; ++g) {
    for (const Index i : pattern.column(group_begin[g])) {
      if (led[i] >= 0) result.row.push_back(led[i]);
    }
    result.column_begin.push_back(static_cast<Count>(result.row.size()));
  }
  return result;
}

/// Replaces members that are groups by the columns of these.
void expand_members(CompressedGraph& compressed, const std::vector<Index>& group_begin) {
  std::vector<Index> member;
  member.reserve(group_begin.back());
  std::vector<Index> member_begin{0};
  member_begin.reserve(compressed.member_begin.size());
  for (Index c = 0; c < compressed.graph.n; ++c) {
    for (const Index g : compressed.members(c)) {
      for (Index v = group_begin[g]; v < group_begin[g + 1]; ++v) member.push_back(v);
    }
    member_begin.push_back(static_cast<Index>(member.size()));
    compressed.weight[c] = member_begin[c + 1] - member_begin[c];
  }
  compressed.member = std::move(member);
  compressed.member_begin = std::move(member_begin);
}

}  // namespace

std::vector<Index> consecutive_groups(const LowerPattern& pattern) {
  const auto separated = separated_by_columns(pattern);
  std::vector<Index> begin{0};
  for (Index v = 1; v < pattern.n; ++v) {
    if (separated[v - 1] || !same_below(pattern, v - 1)) begin.push_back(v);
  }
  if (pattern.n > 0) begin.push_back(pattern.n);
  return begin;
}

CompressedGraph compress(const LowerPattern& pattern) {
  const std::vector<Index> group_begin = consecutive_groups(pattern);
  if (static_cast<Index>(group_begin.size()) == pattern.n + 1) return compress(adjacency(pattern));
  CompressedGraph compressed = compress(adjacency(leading_pattern(pattern, group_begin)));
  expand_members(compressed, group_begin);
  return compressed;
}

}  // namespace espalier
