// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/solve_tasks.hpp"

#include <gtest/gtest.h>

#include "runtime/sample_factor.hpp"
#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::SampleFactor;

/// A factor computed without StarPU and the tasks that solve with it.
class SampleSolve {
 public:
  SampleSolve(const SparseMatrix& a, double share, Index columns)
      : factor_(a, share, Granularity::tile),
        tree_(build_solve_tree(factor_.symbolic(), factor_.graph().cut)),
        sample_(factor_.symbolic().n) {
    factor_.run();
    sample_.workspace.vectors.resize(sample_.workspace.row_map.size() * columns);
    SolveInput input{factor_.symbolic(),
                     tree_,
                     cost_,
                     factor_.context(),
                     factor_.values(),
                     factor_.symbolic().permutation.old_of.data(),
                     factor_.tasks().list().data,
                     {}};
    for (const auto& node : tree_.node) {
      auto& pieces = input.factor_data.emplace_back();
      for (Index p = node.panel_begin; p < node.panel_end; ++p) {
        for (const Index d : factor_.tasks().data_of_panel(p)) pieces.push_back(d);
      }
    }
    tasks_.emplace(input, columns);
  }

  void run(const double* b, double* x, const Kernels& kernels) {
    tasks_->set_vectors({b, x, tasks_->columns()});
    Worker worker{kernels, sample_.workspace};
    TaskList list = tasks_->list();
    const auto fronts = static_cast<std::ptrdiff_t>(tasks_->fronts().size());
    EXPECT_EQ(fronts, std::ssize(tree_.node));
    list.data.insert(list.data.end(), factor_.list().data.begin(), factor_.list().data.end());
    run_sequentially(list, worker);
  }

  const SolveTasks& tasks() const { return *tasks_; }
  const SolveTree& tree() const { return tree_; }

 private:
  SampleFactor factor_;
  SolveTree tree_;
  KernelCost cost_;
  support::SampleWorker sample_;
  std::optional<SolveTasks> tasks_;
};

void check_solve(const support::NamedMatrix& problem, double share, Index count,
                 const Kernels& kernels) {
  SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share) + ", " + std::to_string(count) +
               " right-hand sides");
  const Index n = problem.matrix.pattern.n;
  const auto a = support::permuted(problem.matrix, Permutation::identity(n));
  const auto l = support::dense_cholesky(a);
  const double condition = support::condition(a, l);
  const std::vector<double> b = support::random_vector(static_cast<std::size_t>(n) * count, 4);
  SampleSolve solve(problem.matrix, share, count);
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
      for (const Index count : {1, 3}) {
        check_solve(problem, share, count, reference::kernels);
        check_solve(problem, share, count, cpu::kernels);
        if (HasFailure()) return;
      }
    }
  }
}

/// Executors look the data of a task up in its list.
TEST(SolveTasks, AccessDataOfTheirListOnly) {
  const SampleSolve solve(support::small_matrices().back().matrix, 0.1, 1);
  const TaskList& list = solve.tasks().list();
  for (const Access& access : list.access) EXPECT_LT(access.data, std::ssize(list.data));
}

TEST(SolveTasks, AreOneANodeAndDirection) {
  const SampleSolve solve(support::small_matrices().back().matrix, 0.1, 2);
  const auto& list = solve.tasks().list();
  const auto nodes = solve.tree().node.size();
  ASSERT_EQ(list.task.size(), 2 * nodes);
  double seconds = 0;
  for (std::size_t t = 0; t < list.task.size(); ++t) {
    EXPECT_EQ(list.task[t].shape.kind, t < nodes ? TaskKind::forward : TaskKind::backward);
    EXPECT_EQ(list.task[t].shape.n, 2);
    seconds += list.task[t].shape.seconds;
  }
  EXPECT_NEAR(solve.tasks().predicted_seconds(), seconds, 1e-5 * seconds);
}

}  // namespace
}  // namespace espalier
