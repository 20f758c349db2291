// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bindings/pardiso/arguments.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the caller's permutation as an elimination order: the row of A at each position. With
/// MKL, perm(i) is the row of A at position i. With Panua, perm(i) is the position of row i of A.
/// Throws PardisoFailure if it is not a permutation, and UsageError if it is null. Cost O(n).
std::vector<Index> elimination_order(const Call& call, Index base);

/// Stores an elimination order in the caller's permutation. Throws UsageError if it is null.
void return_permutation(const Call& call, Index base, std::span<const Index> order);

/// A permutation file in memory, for the option `ordering`. It is removed with the object.
class PermutationFile {
 public:
  /// Throws RuntimeFailure if the system cannot make the file.
  explicit PermutationFile(std::span<const Index> order);
  ~PermutationFile();
  PermutationFile(const PermutationFile&) = delete;
  PermutationFile& operator=(const PermutationFile&) = delete;

  /// Returns the path of the file, which exists only for this process.
  std::string path() const;

 private:
  int descriptor_;
};

}  // namespace espalier::internal
