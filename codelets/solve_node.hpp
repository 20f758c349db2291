// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/arguments.hpp"

namespace espalier {

/// The vectors of a solve: b and x are n-by-`count` by columns, in the numbering of A; they may be
/// the same.
struct SolveVectors {
  const double* b = nullptr;
  double* x = nullptr;
  Index count = 0;
};

/// A node of the tree that the triangular solves walk: consecutive panels and the rows outside that
/// they reach. Its front holds the node's rows of the vectors: first its columns, then its external
/// rows.
struct SolveNode {
  Index panel_begin = 0;
  Index panel_end = 0;
  std::span<const Index> external_rows;
  const SolveNode* parent = nullptr;
  std::vector<const SolveNode*> children;
};

/// The part of both triangular solves that does not depend on the direction.
struct SolveArguments : Arguments {
  const SolveNode* node = nullptr;
  const SolveVectors* vectors = nullptr;
  const double* values = nullptr;  ///< all of L
  const Index* old_of = nullptr;   ///< numbering of L to numbering of A
};

/// Panels and rows of one node during a task.
class NodeFront {
 public:
  NodeFront(const SolveArguments& task, MatrixView front, Worker& worker);

  Index first_column() const { return first_; }
  Index columns() const { return columns_; }
  const MatrixView& front() const { return front_; }
  ConstMatrixView panel(Index p) const;
  /// The rows of the front that belong to the columns of panel p.
  MatrixView own_rows(Index p) const;
  /// Where a row of L is in the front.
  Index place(Index row) const {
    return row < first_ + columns_ ? row - first_ : columns_ + position_[row];
  }

 private:
  const PanelStructure& structure_;
  const double* values_;
  MatrixView front_;
  Index first_;
  Index columns_;
  Index* position_;
};

}  // namespace espalier
