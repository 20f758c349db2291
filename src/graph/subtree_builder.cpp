// SPDX-License-Identifier: BSD-3-Clause
#include "graph/subtree_builder.hpp"

#include <algorithm>

#include "base/dense.hpp"

namespace espalier::internal {

SubtreeBuilder::SubtreeBuilder(GraphBuilder& builder, const Exchange& exchange,
                               std::span<const double> block_seconds)
    : builder_(builder),
      exchange_(exchange),
      block_seconds_(block_seconds),
      assemble_(builder.graph().tiling.tile.size()) {}

void SubtreeBuilder::add(Index r) {
  const PanelStructure& structure = builder_.structure();
  const UpdateParts& parts = builder_.parts();
  const auto& group = builder_.graph().cut.groups[r];
  KernelSum inside;
  for (Index p = group.panel_begin; p < group.panel_end; ++p) {
    const Index width = structure.width(p);
    const Index height = structure.height(p);
    inside.add(flops::potrf(width) + flops::trsm(height - width, width),
               block_seconds_[structure.block_begin[p]], width);
    for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
      const Task::Range columns{structure.block[b].row_offset, structure.block_end(p, b)};
      const double flops = flops::trapezoid(height - columns.begin, columns.size(), width);
      const Index k = structure.block[b].facing;
      if (k < group.panel_end) {
        inside.add(flops, block_seconds_[b], width);
      } else if (parts.is_one_tile(k)) {
        assemble_into(r, parts.first_tile(k)).add(flops, block_seconds_[b], width);
      } else {
        add_parts(r, p, columns, k);
      }
    }
  }
  const Index s = builder_.append({.kind = TaskKind::subtree, .group = r}, inside);
  append_assembles(r, s);
}

/// Adds the update of panel k by panel p to A(r, t) of each tile t that it updates. `columns` are
/// the rows of panel p that face panel k.
void SubtreeBuilder::add_parts(Index r, Index p, Task::Range columns, Index k) {
  const Index width = builder_.structure().width(p);
  builder_.parts().for_each_part(p, columns, k, [&](Index t, Task::Range rows) {
    assemble_into(r, t).add(size_of(rows, columns, width), builder_.cost(), Target::again);
  });
}

void SubtreeBuilder::append_assembles(Index r, Index s) {
  std::sort(assembled_.begin(), assembled_.end());
  for (const Index t : assembled_) {
    const Index a = builder_.append_writer({.kind = TaskKind::assemble,
                                            .group = r,
                                            .target = t,
                                            .contribution = exchange_.outgoing(t)},
                                           assemble_[t].kernels);
    builder_.edges().add(s, a);
  }
  assembled_.clear();
}

/// Returns the kernels of A(r,t) for the current group r.
KernelSum& SubtreeBuilder::assemble_into(Index r, Index t) {
  Assemble& a = assemble_[t];
  if (a.group != r) {
    a = {r, {}};
    assembled_.push_back(t);
  }
  return a.kernels;
}

}  // namespace espalier::internal
