// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier::internal {

/// Right-hand sides of length n, made block by block of what is kept of them.
class RightHandSides {
 public:
  /// Those of known solutions: the k-th of `count`, from 1, is k times the vector.
  RightHandSides(std::vector<double> vector, Index count);
  /// Those of the files side by side, in the order of the files. Throws as read_vectors(), and
  /// InputError where they are more together than Index can count.
  RightHandSides(const std::vector<std::string>& paths, Index n);

  Index count() const { return count_; }
  /// Returns what is kept of them.
  Count bytes() const;
  /// Sets b to those from the first one on.
  void copy(Index first, std::span<double> b) const;
  /// Gives all of them, one after the other. Throws MemoryError where memory is too little.
  std::vector<double> dense() &&;

 private:
  /// Multiples of one vector, 1 to `count`.
  struct Multiples {
    Index n = 0;
    Index count = 0;
    std::vector<double> value;

    Count bytes() const;
    void copy(Index first, std::span<double> b) const;
  };
  using Part = std::variant<DenseVectors, SparseVectors, Multiples>;

  Index n_;
  Index count_ = 0;
  std::vector<Part> parts_;
};

}  // namespace espalier::internal
