// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier::internal {

/// Right-hand sides of length n. They are stored compactly and expanded block by block.
class RightHandSides {
 public:
  /// Makes multiples of one vector: right-hand side k is k times the vector, for k from 1 to
  /// `count`.
  RightHandSides(std::vector<double> vector, Index count);
  /// Reads the vectors of all files, in the order of the files. Throws like read_vectors(), and
  /// InputError if their number does not fit into Index. Messages call them `noun`.
  RightHandSides(const std::vector<std::string>& paths, Index n,
                 std::string_view noun = usual_vectors);

  Index count() const { return count_; }
  /// Returns the bytes of the stored form.
  Count bytes() const;
  /// Writes the right-hand sides from number `first` on to b, until b is full.
  void copy(Index first, std::span<double> b) const;
  /// Returns all right-hand sides, one after the other. Throws MemoryError if memory does not
  /// suffice.
  std::vector<double> dense() &&;

 private:
  /// Multiples of one vector, with factors 1 to `count`.
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
