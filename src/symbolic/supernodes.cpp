// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/supernodes.hpp"

namespace espalier {

std::vector<Index> supernode_of_column(std::span<const Index> begin) {
  std::vector<Index> result(begin.back());
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    for (Index column = begin[s]; column < begin[s + 1]; ++column) {
      result[column] = static_cast<Index>(s);
    }
  }
  return result;
}

Supernodes fundamental_supernodes(std::span<const Index> parent,
                                  std::span<const Index> column_count) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> children(n, 0);
  for (const Index p : parent) {
    if (p != -1) ++children[p];
  }
  Supernodes result;
  for (Index v = 1; v <= n; ++v) {
    const bool continues = v < n && parent[v - 1] == v && children[v] == 1 &&
                           column_count[v - 1] == column_count[v] + 1;
    if (!continues) result.begin.push_back(v);
  }
  const std::vector<Index> supernode = supernode_of_column(result.begin);
  for (std::size_t s = 0; s + 1 < result.begin.size(); ++s) {
    const Index above = parent[result.begin[s + 1] - 1];
    result.parent.push_back(above == -1 ? -1 : supernode[above]);
    result.height.push_back(column_count[result.begin[s]]);
  }
  return result;
}

}  // namespace espalier
