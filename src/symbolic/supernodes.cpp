// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/supernodes.hpp"

#include <algorithm>

namespace espalier {

std::vector<Index> supernode_of_column(std::span<const Index> begin) {
  std::vector<Index> result(begin.back());
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    std::fill(result.begin() + begin[s], result.begin() + begin[s + 1], static_cast<Index>(s));
  }
  return result;
}

Supernodes fundamental_supernodes(std::span<const Index> parent,
                                  std::span<const Index> column_count,
                                  std::span<const Index> weight) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> children(n, 0);
  for (const Index p : parent) {
    if (p != -1) ++children[p];
  }
  Supernodes result;
  std::vector<Index> supernode(n);
  for (Index v = 0; v < n; ++v) {
    const bool continues = v > 0 && parent[v - 1] == v && children[v] == 1 &&
                           column_count[v - 1] == column_count[v] + weight[v - 1];
    if (!continues) {
      if (v > 0) result.begin.push_back(v);
      result.width.push_back(0);
      result.height.push_back(column_count[v]);
    }
    result.width.back() += weight[v];
    supernode[v] = static_cast<Index>(result.width.size()) - 1;
  }
  if (n > 0) result.begin.push_back(n);
  result.parent.reserve(result.width.size());
  for (std::size_t s = 0; s < result.width.size(); ++s) {
    const Index above = parent[result.begin[s + 1] - 1];
    result.parent.push_back(above == -1 ? -1 : supernode[above]);
  }
  return result;
}

}  // namespace espalier
