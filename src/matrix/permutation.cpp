// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/permutation.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "espalier/error.hpp"

namespace espalier {

Permutation Permutation::identity(Index n) {
  Permutation result;
  result.old_of.resize(n);
  std::iota(result.old_of.begin(), result.old_of.end(), 0);
  result.new_of = result.old_of;
  return result;
}

Permutation Permutation::from_old_of(std::vector<Index> old_of) {
  Permutation result;
  result.old_of = std::move(old_of);
  const Index n = result.size();
  result.new_of.assign(n, -1);
  for (Index i = 0; i < n; ++i) {
    const Index old = result.old_of[i];
    if (old < 0 || old >= n) {
      throw InputError("the permutation of " + std::to_string(n) + " numbers holds " +
                       std::to_string(old) + " at position " + std::to_string(i) +
                       ", which is outside 0.." + std::to_string(n - 1));
    }
    if (result.new_of[old] >= 0) {
      throw InputError("the permutation of " + std::to_string(n) + " numbers holds " +
                       std::to_string(old) + " twice, at positions " +
                       std::to_string(result.new_of[old]) + " and " + std::to_string(i));
    }
    result.new_of[old] = i;
  }
  return result;
}

Permutation compose(const Permutation& first, const Permutation& second) {
  if (first.size() != second.size()) {
    throw UsageError("a permutation of " + std::to_string(first.size()) +
                     " numbers cannot be followed by one of " + std::to_string(second.size()));
  }
  Permutation result;
  const Index n = first.size();
  result.new_of.resize(n);
  result.old_of.resize(n);
  for (Index i = 0; i < n; ++i) {
    result.new_of[i] = second.new_of[first.new_of[i]];
    result.old_of[i] = first.old_of[second.old_of[i]];
  }
  return result;
}

void check(const Permutation& permutation) {
  const Index n = permutation.size();
  if (permutation.new_of.size() != permutation.old_of.size()) {
    throw InputError("the permutation has " + std::to_string(permutation.new_of.size()) +
                     " new numbers for " + std::to_string(n) + " old ones");
  }
  for (Index i = 0; i < n; ++i) {
    const Index moved = permutation.new_of[i];
    if (moved < 0 || moved >= n || permutation.old_of[moved] != i) {
      throw InputError("the permutation moves " + std::to_string(i) + " to " +
                       std::to_string(moved) + ", whose old number is another");
    }
  }
}

}  // namespace espalier
