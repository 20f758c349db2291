// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// A renumbering of 0..n-1, kept with its inverse: new number of old i is new_of[i], and
/// old_of[new_of[i]] == i.
struct Permutation {
  std::vector<Index> new_of;
  std::vector<Index> old_of;

  Index size() const { return static_cast<Index>(old_of.size()); }

  static Permutation identity(Index n);
  /// Takes the list of old numbers in their new order. Throws InputError unless it holds 0..n-1
  /// once each.
  static Permutation from_old_of(std::vector<Index> old_of);
};

/// The renumbering `first`, then `second` applied to its result. Both of the same size, else
/// UsageError.
Permutation compose(const Permutation& first, const Permutation& second);

/// Throws InputError at the first i that breaks old_of[new_of[i]] == i.
void check(const Permutation& permutation);

}  // namespace espalier
