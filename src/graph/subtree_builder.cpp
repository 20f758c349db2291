// SPDX-License-Identifier: BSD-3-Clause
#include "graph/subtree_builder.hpp"

#include <algorithm>

#include "base/dense.hpp"
#include "base/parallel.hpp"

namespace espalier::internal {

/// Sums the kernels of one group after the other.
class SubtreeBuilder::Summation {
 public:
  Summation(GraphBuilder& builder, std::span<const double> block_seconds)
      : builder_(builder),
        structure_(builder.structure()),
        block_seconds_(block_seconds),
        assemble_(builder.graph().tiling.tile.size()) {}

  Kernels of(Index r) {
    const auto& group = builder_.graph().cut.groups[r];
    Kernels kernels;
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      add_panel(r, p, group.panel_end, kernels.inside);
    }
    std::sort(assembled_.begin(), assembled_.end());
    kernels.assemble.reserve(assembled_.size());
    for (const Index t : assembled_) kernels.assemble.emplace_back(t, assemble_[t].kernels);
    assembled_.clear();
    return kernels;
  }

 private:
  struct Assemble {
    Index group = -1;
    KernelSum kernels;
  };

  void add_panel(Index r, Index p, Index panel_end, KernelSum& inside) {
    const UpdateParts& parts = builder_.parts();
    const Index width = structure_.width(p);
    const Index height = structure_.height(p);
    inside.add(flops::potrf(width) + flops::trsm(height - width, width),
               block_seconds_[structure_.block_begin[p]], width);
    for (Count b = structure_.block_begin[p] + 1; b < structure_.block_begin[p + 1]; ++b) {
      const Task::Range columns{structure_.block[b].row_offset, structure_.block_end(p, b)};
      const double flops = flops::trapezoid(height - columns.begin, columns.size(), width);
      const Index k = structure_.block[b].facing;
      if (k < panel_end) {
        inside.add(flops, block_seconds_[b], width);
      } else if (parts.is_one_tile(k)) {
        assemble_into(r, parts.first_tile(k)).add(flops, block_seconds_[b], width);
      } else {
        add_parts(r, p, columns, k);
      }
    }
  }

  /// Adds the update of panel k by panel p to A(r, t) of each tile t that it updates. `columns` are
  /// the rows of panel p that face panel k.
  void add_parts(Index r, Index p, Task::Range columns, Index k) {
    const Index width = structure_.width(p);
    builder_.parts().for_each_part(p, columns, k, [&](Index t, Task::Range rows) {
      assemble_into(r, t).add(size_of(rows, columns, width), builder_.cost(), Target::again);
    });
  }

  /// Returns the kernels of A(r,t) for the current group r.
  KernelSum& assemble_into(Index r, Index t) {
    Assemble& a = assemble_[t];
    if (a.group != r) {
      a = {r, {}};
      assembled_.push_back(t);
    }
    return a.kernels;
  }

  GraphBuilder& builder_;
  const PanelStructure& structure_;
  std::span<const double> block_seconds_;
  std::vector<Assemble> assemble_;  ///< for each tile t, A(r,t) of the last group r that updates it
  std::vector<Index> assembled_;    ///< tiles that the current group updates
};

SubtreeBuilder::SubtreeBuilder(GraphBuilder& builder, const Exchange& exchange,
                               std::span<const double> block_seconds)
    : builder_(builder), exchange_(exchange), block_seconds_(block_seconds) {}

void SubtreeBuilder::add_groups(Index threads) {
  constexpr Index panels_a_thread = 1'000;
  constexpr Index tasks_a_thread = 4;
  const auto groups = static_cast<Index>(builder_.graph().cut.groups.size());
  threads = std::clamp<Index>(builder_.structure().panels() / panels_a_thread, 1, threads);
  const Index tasks = threads > 1 ? std::min(tasks_a_thread * threads, groups) : 1;
  const auto border = [&](Count task) { return static_cast<Index>(groups * task / tasks); };
  std::vector<Kernels> kernels(static_cast<std::size_t>(groups));
  parallel_for(tasks, threads, [&](Index task) {
    Summation sums(builder_, block_seconds_);
    for (Index r = border(task); r < border(task + 1); ++r) kernels[r] = sums.of(r);
  });
  for (Index r = 0; r < groups; ++r) append(r, kernels[r]);
}

void SubtreeBuilder::append(Index r, const Kernels& kernels) {
  const Index s = builder_.append({.kind = TaskKind::subtree, .group = r}, kernels.inside);
  for (const auto& [t, sum] : kernels.assemble) {
    const Index a = builder_.append_writer({.kind = TaskKind::assemble,
                                            .group = r,
                                            .target = t,
                                            .contribution = exchange_.outgoing(t)},
                                           sum);
    builder_.edges().add(s, a);
  }
}

}  // namespace espalier::internal
