// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "base/dense.hpp"
#include "graph/graph_builder.hpp"
#include "graph/subtree_builder.hpp"
#include "graph/task_graph.hpp"
#include "graph/work_division.hpp"

namespace espalier::internal {

namespace {

/// The right-looking algorithm on the panels above the cut. Panel j has the tiles B(i,j), each of
/// one or more of the papers' blocks. Its first tile B(j,j) has the diagonal block.
///
///   D(j)      B(j,j) = L(j,j) L(j,j)ᵀ
///   F(i,j)    B(i,j) := B(i,j) L(j,j)⁻ᵀ
///   U(i,j,k)  B(i,k) := B(i,k) - B(i,j) B(k,j)ᵀ
class RightLooking {
 public:
  RightLooking(GraphBuilder& builder, WorkDivision& division)
      : builder_(builder),
        division_(division),
        structure_(builder.structure()),
        cost_(builder.cost()),
        parts_(builder.parts()),
        edges_(builder.edges()) {}

  void add_column(Index j) {
    division_.begin(j);
    const Index diagonal = parts_.first_tile(j);
    if (division_.runs(j, diagonal)) add_diagonal(j, diagonal);
    for (Index i = diagonal; i < parts_.first_tile(j + 1); ++i) {
      if (division_.runs(j, i)) add_factor(i, j, diagonal);
      division_.complete(i);
    }
    parts_.for_each_update(j, [&](Task update, Count k) {
      if (division_.runs(j, update.target)) add_update(update, j, k);
    });
    division_.end(j);
  }

 private:
  void add_diagonal(Index j, Index diagonal) {
    const Index width = structure_.width(j);
    const Index d = builder_.append({.kind = TaskKind::diagonal, .target = diagonal},
                                    KernelSum(flops::potrf(width), cost_.potrf(width), width));
    edges_.add_after_writers(diagonal, d);
  }

  void add_factor(Index i, Index j, Index diagonal) {
    const Index width = structure_.width(j);
    const Tile& tile = parts_.tile(i);
    const Task::Range rows{std::max(tile.row_begin, width), tile.row_end};
    if (rows.size() == 0) return;
    const Index f = builder_.append(
        {.kind = TaskKind::factor, .target = i, .right = diagonal, .rows = rows},
        KernelSum(flops::trsm(rows.size(), width), cost_.trsm(rows.size(), width), width));
    edges_.add_after_factored(diagonal, f);
    if (i != diagonal) edges_.add_after_writers(i, f);
    edges_.set_factored(i, f);
  }

  void add_update(Task& update, Index j, Count k) {
    KernelSum kernels;
    kernels.add(size_of(update.rows, update.columns, structure_.width(j)), cost_, Target::anew);
    const Index u = division_.append_update(j, k, update, kernels);
    edges_.add_after_factored(update.left, u);
    if (update.right != update.left) edges_.add_after_factored(update.right, u);
  }

  GraphBuilder& builder_;
  WorkDivision& division_;
  const PanelStructure& structure_;
  const KernelCost& cost_;
  const UpdateParts& parts_;
  EdgeList& edges_;
};

}  // namespace

TaskGraph build_factor_graph(const PanelStructure& structure, const Ownership& ownership,
                             SubtreeCut cut, Tiling tiling, const KernelCost& cost,
                             std::span<const double> block_seconds, Fill fill,
                             const OffloadPlan* offload, Index threads) {
  TaskGraph graph;
  graph.cut = std::move(cut);
  graph.tiling = std::move(tiling);
  Exchange exchange(structure, ownership, graph.tiling);
  exchange.find_contributions(graph);
  GraphBuilder builder(structure, cost, fill, graph);
  SubtreeBuilder subtrees(builder, exchange, block_seconds);
  WorkDivision division(exchange, offload, builder);
  RightLooking columns(builder, division);
  subtrees.add_groups(std::max<Index>(threads, 1));
  for (Index j = 0; j < structure.panels(); ++j) {
    if (graph.cut.group_of[j] < 0) columns.add_column(j);
  }
  division.finish();
  builder.finish(threads);
  set_group_bytes(graph, {structure, ownership});
  return graph;
}

TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost, std::span<const double> block_seconds,
                             Fill fill, const OffloadPlan* offload) {
  return build_factor_graph(structure, sole_ownership(structure), std::move(cut), std::move(tiling),
                            cost, block_seconds, fill, offload);
}

}  // namespace espalier::internal
