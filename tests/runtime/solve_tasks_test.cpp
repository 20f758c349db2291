// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/solve_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/sample_factor.hpp"
#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::SampleFactor;

/// A factor computed without StarPU, and the tasks of a solve with it.
class SampleSolve {
 public:
  /// With `devices`, tasks are made for accelerators as well.
  SampleSolve(const SparseMatrix& a, double share, Count tile_entries, Index columns,
              bool devices = false, SolvePart part = SolvePart::both)
      : factor_(a, share, Granularity::tile),
        tree_(build_solve_tree({factor_.symbolic(), sole_ownership(factor_.symbolic())},
                               factor_.graph().cut, tile_entries)),
        sample_(factor_.symbolic().n),
        ready_(factor_.context(), factor_.tasks().list().data) {
    factor_.run();
    sample_.workspace.vectors.resize(sample_.workspace.row_map.size() * columns);
    SolveInput input{factor_.symbolic(),
                     tree_,
                     cost_,
                     factor_.context(),
                     factor_.values(),
                     factor_.symbolic().permutation.old_of.data()};
    input.part = part;
    if (devices) {
      input.tiling = &factor_.graph().tiling;
      input.tiles = std::span(factor_.tasks().list().data).first(input.tiling->tile.size());
    }
    tasks_.emplace(input, ready_, columns);
  }

  /// The leading dimensions of the vectors are n by default.
  void run(const double* b, double* x, const Kernels& kernels, Count ldb = 0, Count ldx = 0) {
    tasks_->set_vectors({b, x, tasks_->columns(), ldb, ldx});
    Worker worker{kernels, sample_.workspace};
    run_sequentially(tasks_->list(), worker);
  }

  const Permutation& permutation() const { return factor_.symbolic().permutation; }
  const SolveTasks& tasks() const { return *tasks_; }
  const SolveTree& tree() const { return tree_; }
  const FactorReady& ready() const { return ready_; }

 private:
  SampleFactor factor_;
  SolveTree tree_;
  KernelCost cost_;
  support::SampleWorker sample_;
  FactorReady ready_;
  std::optional<SolveTasks> tasks_;
};

/// Tiles with about one entry, with some, and one tile per node.
constexpr Count tile_sizes[] = {1, 30, 1000000};

/// Sizes of tiles, without and with devices.
constexpr std::pair<Count, bool> ways[] = {
    {1, false}, {30, false}, {1000000, false}, {1, true}, {30, true}};

/// Returns all combinations of `ways` with the parts of a solve.
std::vector<std::pair<std::pair<Count, bool>, SolvePart>> ways_and_parts() {
  std::vector<std::pair<std::pair<Count, bool>, SolvePart>> all;
  for (const auto& way : ways) {
    for (const SolvePart part : {SolvePart::both, SolvePart::forward, SolvePart::backward}) {
      all.emplace_back(way, part);
    }
  }
  return all;
}

void check_solve(const support::NamedMatrix& problem, double share, Count tile_entries, Index count,
                 const Kernels& kernels, bool devices = false) {
  SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share) + ", tiles of " +
               std::to_string(tile_entries) + ", " + std::to_string(count) + " right-hand sides");
  const Index n = problem.matrix.pattern.n;
  const auto a = support::permuted(problem.matrix, Permutation::identity(n));
  const auto l = support::dense_cholesky(a);
  const double condition = support::condition(a, l);
  const std::vector<double> b = support::random_vector(static_cast<std::size_t>(n) * count, 4);
  SampleSolve solve(problem.matrix, share, tile_entries, count, devices);
  std::vector<double> x(b.size());
  solve.run(b.data(), x.data(), kernels);
  std::vector<double> in_place = b;
  solve.run(in_place.data(), in_place.data(), kernels);
  EXPECT_EQ(in_place, x);
  for (Index r = 0; r < count; ++r) {
    const std::span column(b.data() + static_cast<std::size_t>(r) * n, n);
    const std::span actual(x.data() + static_cast<std::size_t>(r) * n, n);
    EXPECT_TRUE(support::close(actual, support::dense_solve(l, column), n, condition));
  }
}

TEST(SolveTasks, SolveForEveryCutAndNumberOfVectors) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Count size : tile_sizes) {
        for (const Index count : {1, 3}) {
          check_solve(problem, share, size, count, reference::kernels);
          check_solve(problem, share, size, count, cpu::kernels);
          check_solve(problem, share, size, count, reference::kernels, true);
          if (HasFailure()) return;
        }
      }
    }
  }
}

/// Solves with L or its transpose, for vectors with gaps, and compares with triple loops.
void check_part(const support::NamedMatrix& problem, SolvePart part, Count tile_entries,
                bool devices) {
  SCOPED_TRACE(problem.name + ", tiles of " + std::to_string(tile_entries));
  const Index n = problem.matrix.pattern.n;
  constexpr Index count = 3;
  const Count ldb = n + 2;
  const Count ldx = n + 1;
  SampleSolve solve(problem.matrix, 0.1, tile_entries, count, devices, part);
  const auto a = support::permuted(problem.matrix, solve.permutation());
  const auto l = support::dense_cholesky(a);
  const std::vector<double> b = support::random_vector(static_cast<std::size_t>(ldb * count), 4);
  std::vector<double> x(static_cast<std::size_t>(ldx * count));
  solve.run(b.data(), x.data(), cpu::kernels, ldb, ldx);
  for (Index r = 0; r < count; ++r) {
    std::vector<double> right(n);
    std::vector<double> actual(n);
    for (Index i = 0; i < n; ++i) {
      right[solve.permutation().new_of[i]] = b[r * ldb + i];
      actual[solve.permutation().new_of[i]] = x[r * ldx + i];
    }
    const auto expected = part == SolvePart::forward ? support::dense_forward(l, right)
                                                     : support::dense_backward(l, right);
    EXPECT_TRUE(support::close(actual, expected, n, support::condition(a, l)));
  }
}

TEST(SolveTasks, SolveWithLOrItsTransposeAlone) {
  for (const auto& problem : support::small_matrices()) {
    for (const auto& [size, devices] : ways) {
      check_part(problem, SolvePart::forward, size, devices);
      check_part(problem, SolvePart::backward, size, devices);
      if (HasFailure()) return;
    }
  }
}

/// Executors find the data of a task in its list, and StarPU refuses duplicate data in a task.
TEST(SolveTasks, AccessDataOfTheirListOnceATask) {
  for (const auto& [size, devices] : ways) {
    const SampleSolve solve(support::small_matrices().back().matrix, 0.1, size, 1, devices);
    const TaskList& list = solve.tasks().list();
    EXPECT_EQ(solve.tasks().segments().size(), solve.tree().segment.size());
    for (const BoundTask& task : list.task) {
      std::set<Index> data;
      for (const Access& access : list.accesses(task)) {
        EXPECT_LT(access.data, std::ssize(list.data));
        EXPECT_TRUE(data.insert(access.data).second);
      }
    }
  }
}

/// Data are written by an earlier task of the list before a task reads them, and the factor is
/// complete. So any order that respects the accesses is right.
TEST(SolveTasks, ReadWhatEarlierTasksWrote) {
  for (const auto& [way, part] : ways_and_parts()) {
    const auto& [size, devices] = way;
    const SampleSolve solve(support::small_matrices().back().matrix, 0.1, size, 1, devices, part);
    const TaskList& list = solve.tasks().list();
    const auto ready = std::ssize(solve.tasks().segments());
    std::vector<bool> written(list.data.size());
    std::fill(written.begin() + ready, written.end(), true);
    for (const BoundTask& task : list.task) {
      for (const Access& access : list.accesses(task)) {
        if (access.mode == AccessMode::write) {
          written[access.data] = true;
        } else {
          EXPECT_TRUE(written[access.data]) << "data " << access.data;
        }
      }
    }
    for (std::size_t t = 0; t < list.task.size(); ++t) {
      if (list.accesses(list.task[t]).front().mode != AccessMode::write) continue;
      if (list.task[t].shape.kind == TaskKind::backward) continue;
      EXPECT_EQ(list.accesses(list.task[t]).back().data, ready);
    }
    EXPECT_EQ(list.accesses(list.task.front()).back().data, ready);
  }
}

TEST(SolveTasks, AreOneATileAndDirectionAndOneACutNodeBelowAnother) {
  for (const Count size : tile_sizes) {
    const SampleSolve solve(support::small_matrices().back().matrix, 0.1, size, 2);
    const auto& list = solve.tasks().list();
    const auto& tree = solve.tree();
    const auto takers = std::count_if(tree.node.begin(), tree.node.end(), [](const auto& node) {
      return node.parent >= 0 && node.tile_end - node.tile_begin > 1;
    });
    ASSERT_EQ(list.task.size(), 2 * tree.tile.size() + takers);
    for (std::size_t t = 0; t < list.task.size(); ++t) {
      EXPECT_EQ(list.task[t].shape.kind,
                t < tree.tile.size() ? TaskKind::forward : TaskKind::backward);
      EXPECT_EQ(list.task[t].shape.n, 2);
    }
  }
}

/// Accelerators can run all tasks of a cut node that name few pieces of data, except the tasks that
/// copy b and x.
TEST(SolveTasks, OfCutNodesAreForAccelerators) {
  const SampleSolve solve(support::small_matrices().back().matrix, 0.1, 1, 2, true);
  const TaskList& list = solve.tasks().list();
  const auto& tree = solve.tree();
  const auto tiles = std::count_if(tree.tile.begin(), tree.tile.end(), [&](const auto& tile) {
    return tree.node[tile.node].tile_end - tree.node[tile.node].tile_begin > 1;
  });
  ASSERT_GT(tiles, 0);
  Index of_blocks = 0;
  Index with_payload = 0;
  double flops = 0;
  for (Index t = 0; t < std::ssize(list.task); ++t) {
    const bool of_block = list.task[t].shape.column >= 0;
    const bool has_payload = !list.payloads->of(t).empty();
    const bool few = std::ssize(list.accesses(list.task[t])) <= most_data_of_payload;
    EXPECT_EQ(has_payload, of_block && few);
    of_blocks += static_cast<Index>(of_block);
    with_payload += static_cast<Index>(has_payload);
    flops += list.task[t].shape.flops;
  }
  EXPECT_EQ(of_blocks, 2 * tiles);
  EXPECT_GT(with_payload, tiles / 2);
  const SampleSolve on_cpus(support::small_matrices().back().matrix, 0.1, 1, 2);
  double same_flops = 0;
  for (const BoundTask& task : on_cpus.tasks().list().task) same_flops += task.shape.flops;
  EXPECT_DOUBLE_EQ(flops, same_flops);
}

TEST(FactorReady, IsWrittenByATaskThatReadsTheWholeFactor) {
  const SampleSolve solve(support::small_matrices().back().matrix, 0.1, 30, 1);
  const TaskList& list = solve.ready().list();
  ASSERT_EQ(list.task.size(), 1u);
  ASSERT_EQ(list.access.size(), list.data.size());
  EXPECT_EQ(list.access[0].data, 0);
  EXPECT_EQ(list.access[0].mode, AccessMode::write);
  for (std::size_t k = 1; k < list.access.size(); ++k) {
    EXPECT_EQ(list.access[k].data, static_cast<Index>(k));
    EXPECT_EQ(list.access[k].mode, AccessMode::read);
  }
}

TEST(FactorReady, IsWrittenBySeveralTasksWhereOneCannotReadAll) {
  constexpr std::size_t most = 3;
  std::vector<double> memory(11);
  std::vector<DataView> data;
  for (double& entry : memory) data.push_back({&entry, 1, 1, 1});
  data[4] = MatrixView{nullptr, 1, 1, 1};
  FactorContext context;
  const FactorReady ready(context, data, most);
  std::vector<Index> read;
  for (const BoundTask& task : ready.list().task) {
    const auto accesses = ready.list().accesses(task);
    ASSERT_LE(accesses.size(), most + 1);
    EXPECT_EQ(accesses.front().data, 0);
    EXPECT_EQ(accesses.front().mode, read.empty() ? AccessMode::write : AccessMode::read_write);
    for (const Access& access : accesses.subspan(1)) {
      EXPECT_EQ(access.mode, AccessMode::read);
      read.push_back(access.data);
    }
  }
  EXPECT_EQ(ready.list().task.size(), 4u);
  EXPECT_THAT(read, testing::ElementsAre(1, 2, 3, 4, 6, 7, 8, 9, 10, 11));
}

}  // namespace
}  // namespace espalier::internal
