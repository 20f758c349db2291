// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/context.hpp"

namespace espalier::internal {

/// The vectors of a solve. b and x are n-by-`count` by columns, in the numbering of A. They may be
/// the same memory with the same leading dimension.
struct SolveVectors {
  const double* b = nullptr;
  double* x = nullptr;
  Index count = 0;
  Count ldb = 0;  ///< distance between columns of b; 0: n
  Count ldx = 0;
  const double* scale_b = nullptr;  ///< factors of the rows of b; null: 1
  const double* scale_x = nullptr;  ///< as scale_b, for x
};

/// A node of the tree for the triangular solves: consecutive panels and the external rows that they
/// reach. `vectors` is the local vector of the node: first the rows of its columns, then its
/// external rows. Entry (r, i) is row i of vector r.
struct SolveNode {
  Index first_column = 0;
  Index columns = 0;
  bool supernode = false;  ///< each panel has all rows of the node from its own first row on
  std::span<const Index> external_rows;
  const SolveNode* parent = nullptr;
  std::vector<const SolveNode*> children;
  std::vector<Index> in_parent;  ///< positions of the external rows in the parent
  MatrixView vectors;
};

/// Adds the children's contributions to rows [row_begin, row_end) of a node.
void add_children(const SolveNode& node, Index row_begin, Index row_end);

/// Maps columns of L to rows of b and x.
struct VectorArguments : Arguments {
  const SolveVectors* vectors = nullptr;
  const Index* old_of = nullptr;  ///< maps the numbering of L to that of A
};

/// Copies b at the columns of L that begin with `first` to rows of a node.
void load_columns(const VectorArguments& task, Index first, MatrixView rows);
/// Copies rows of a node to x at the columns of L that begin with `first`.
void store_columns(const VectorArguments& task, Index first, ConstMatrixView rows);

/// The arguments that both triangular solves share. A task works on rows [row_begin, row_end) of
/// its node in panels [panel_begin, panel_end). If the rows begin below the diagonal block, there
/// is only one panel. The accesses of a task are segments of nodes. They only order the tasks,
/// which find their memory through the node.
struct SolveArguments : VectorArguments {
  const SolveNode* node = nullptr;
  const double* values = nullptr;  ///< values of all of L
  Index panel_begin = 0;
  Index panel_end = 0;
  Index row_begin = 0;
  Index row_end = 0;
  /// Result of count_operations(), stored because counting takes long.
  OperationCounts on_panels{};

  OperationCounts operations(const Shape& /*shape*/) const { return on_panels; }
  /// Counts the operations of each panel for `columns` right-hand sides: a TRSM if its triangle is
  /// among the rows, and a GEMM for the rows below. Cost O(panels).
  OperationCounts count_operations(Index columns) const;
  ConstMatrixView panel(Index p) const;
  Index first_column(Index p) const { return context->structure->panel_begin[p]; }
  Signs signs(Index p) const { return context->signs.at(first_column(p)); }
  const BlockPivots& pivots() const { return context->signs.chosen; }
  /// Returns the row of the node at which panel p begins.
  Index place(Index p) const { return context->structure->panel_begin[p] - node->first_column; }
  MatrixView node_rows(Index begin, Index end) const {
    return node->vectors.column_range(begin, end - begin);
  }
};

/// Moves the rows of one panel at a time between the node of a subtree and consecutive memory for
/// the kernels.
class SubtreeRows {
 public:
  SubtreeRows(const SolveArguments& task, Worker& worker);

  /// Returns the rows of panel p: in the node itself if they are consecutive, else copied to
  /// contiguous memory.
  MatrixView gather(Index p);
  /// Copies the first `rows` rows of the last gather() back.
  void scatter(Index rows) const;
  /// Returns the position of a row in the node.
  Index place(Index row) const {
    const Index inside = row - node_.first_column;
    return inside < node_.columns ? inside : position_[row];
  }

 private:
  const SolveNode& node_;
  const PanelStructure& structure_;
  double* gathered_;
  Index* position_;              ///< positions of external rows in the node
  std::span<const Index> rows_;  ///< rows of the current panel
  Index inside_ = 0;             ///< number of these rows that are columns of the node
  bool in_place_ = false;
};

/// Some rows and panels of a node in L y = b. The first task on a row initializes it and adds the
/// children's contributions. A column of the node starts with b, an external row with zero. At the
/// end, the external rows are the contribution to the parent.
struct ForwardTask : SolveArguments {
  bool first = false;  ///< whether it is the first task on its rows

  void run(TaskData data, Worker& worker) const;
};

/// Some rows and panels of a node in Lᵀ x = y. Subtracts the contribution of x at these rows from
/// the columns of the panels. If the rows include the diagonal block, also solves for the columns
/// and stores x in the numbering of A. A task without panels only copies x at the external rows
/// from the parent.
struct BackwardTask : SolveArguments {
  bool first = false;  ///< first task on the external rows of the node: copies them from the parent

  void run(TaskData data, Worker& worker) const;
};

/// Stores a vector at some columns of L in the numbering of A. Data: the segment of a node that
/// begins with these columns.
struct StoreTask : VectorArguments {
  Index first_column = 0;
  Index columns = 0;

  void run(TaskData data, Worker& worker) const;
};

/// Loads b at some columns of L into a node. Data as for StoreTask.
struct LoadTask : VectorArguments {
  Index first_column = 0;
  Index columns = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier::internal
