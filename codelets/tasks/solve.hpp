// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/context.hpp"

namespace espalier::internal {

/// The vectors of a solve: b and x are n-by-`count` by columns, in the numbering of A; they may be
/// the same, with the same leading dimension.
struct SolveVectors {
  const double* b = nullptr;
  double* x = nullptr;
  Index count = 0;
  Count ldb = 0;  ///< from one column of b to the next; 0 stands for n
  Count ldx = 0;
};

/// A node of the tree that the triangular solves walk: consecutive panels and the rows outside that
/// they reach. Its front holds its rows of the vectors, first its columns, then its external rows;
/// entry (r, i) is row i of vector r.
struct SolveNode {
  Index first_column = 0;
  Index columns = 0;
  bool supernode = false;  ///< its panels reach all rows of the front below their own first one
  std::span<const Index> external_rows;
  const SolveNode* parent = nullptr;
  std::vector<const SolveNode*> children;
  std::vector<Index> in_parent;  ///< where the external rows are in the front of the parent
  MatrixView front;
};

/// Adds what the children of a node left for rows [row_begin, row_end) of its front.
void add_children(const SolveNode& node, Index row_begin, Index row_end);

/// What leads from columns of L to rows of b and x.
struct VectorArguments : Arguments {
  const SolveVectors* vectors = nullptr;
  const Index* old_of = nullptr;  ///< numbering of L to numbering of A
};

/// Takes b at the columns of L that begin with `first`, to rows of a front.
void load_columns(const VectorArguments& task, Index first, MatrixView rows);
/// Rows of a front to x at the columns of L that begin with `first`.
void store_columns(const VectorArguments& task, Index first, ConstMatrixView rows);

/// The part of both triangular solves that does not depend on the direction: a task works on rows
/// [row_begin, row_end) of the front in panels [panel_begin, panel_end). Where these begin below
/// the diagonal block there is one panel only. The accesses of a task are segments of fronts; they
/// order the tasks, which find their memory through the node.
struct SolveArguments : VectorArguments {
  const SolveNode* node = nullptr;
  const double* values = nullptr;  ///< all of L
  Index panel_begin = 0;
  Index panel_end = 0;
  Index row_begin = 0;
  Index row_end = 0;
  OperationCounts on_panels{};  ///< what count_operations() returns; counting takes a while

  OperationCounts operations(const Shape& /*shape*/) const { return on_panels; }
  /// Counts for each panel a TRSM where its triangle is among the rows, for so many right-hand
  /// sides, and a GEMM for the rows below. Cost O(panels).
  OperationCounts count_operations(Index columns) const;
  ConstMatrixView panel(Index p) const;
  /// Returns the row of the front where panel p begins.
  Index place(Index p) const { return context->structure->panel_begin[p] - node->first_column; }
  MatrixView front_rows(Index begin, Index end) const {
    return node->front.column_range(begin, end - begin);
  }
};

/// Moves the rows of one panel at a time between the front of a subtree and consecutive memory,
/// where kernels work on them.
class SubtreeRows {
 public:
  SubtreeRows(const SolveArguments& task, Worker& worker);

  /// Returns the rows of panel p: copied together, or in the front itself where they follow one
  /// another.
  MatrixView gather(Index p);
  /// Writes back what gather() returned last: its first `rows` rows.
  void scatter(Index rows) const;

 private:
  const SolveNode& node_;
  const PanelStructure& structure_;
  double* gathered_;
  Index* position_;              ///< where external rows are in the front
  std::span<const Index> rows_;  ///< the rows of the panel at hand
  Index inside_ = 0;             ///< so many of them are columns of the node
  bool in_place_ = false;
};

/// Some rows and panels of a node in L y = b. The first task on a row takes it from b, or from
/// zero outside the node's columns, and adds what the children of the node left for it. What is
/// left in the external rows at the end is for the parent.
struct ForwardTask : SolveArguments {
  bool first = false;  ///< it is the first task on its rows

  void run(TaskData data, Worker& worker) const;
};

/// Some rows and panels of a node in Lᵀ x = y: takes away what x at these rows contributes to the
/// columns of the panels and, with the diagonal block, solves for them and stores x in the
/// numbering of A. Without panels it only takes x at external rows from the parent.
struct BackwardTask : SolveArguments {
  bool first = false;  ///< it is the first on the node's external rows: takes them from the parent

  void run(TaskData data, Worker& worker) const;
};

/// Takes a vector at some columns of L to the numbering of A. Data: the segment of a front that
/// begins with them.
struct StoreTask : VectorArguments {
  Index first_column = 0;
  Index columns = 0;

  void run(TaskData data, Worker& worker) const;
};

/// The opposite: takes b at some columns of L to the front.
struct LoadTask : VectorArguments {
  Index first_column = 0;
  Index columns = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier::internal
