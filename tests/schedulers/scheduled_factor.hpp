// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/sample_factor.hpp"
#include "runtime/starpu/completion.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"
#include "schedulers/watchdog.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal::support {

/// Factorizes small matrices with StarPU under one policy. Expects from every policy that all tasks
/// run once, no task runs before a task that it depends on, and the factor equals that of the
/// reference kernels.
class ScheduledFactors {
 public:
  /// Whether workers start with the first submitted task, or when all tasks are submitted.
  enum class Start { at_once, when_submitted };

  ScheduledFactors(const std::string& policy, Index workers,
                   const std::vector<std::string>& options = {}, Start start = Start::at_once)
      : starpu_(RuntimeOptions{workers, policy, options}), start_(start) {}

  /// Calls visit(tasks of the graph, bound tasks with the records of their run) after each
  /// factorization. Every matrix is run with every granularity. Every second factorization has
  /// subtrees below a cut.
  template <class Visit>
  void for_each(Visit visit) {
    bool cuts = false;
    for (const auto& problem : small_matrices()) {
      for (const Granularity granularity : granularities) {
        const double share = cuts ? 0.1 : 0.0;
        cuts = !cuts;
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share) + ", granularity " +
                     std::to_string(static_cast<int>(granularity)));
        SampleFactor factor(problem.matrix, share, granularity);
        run(factor);
        visit(factor.graph(), factor.list());
        if (testing::Test::HasFailure()) return;
      }
    }
  }

 private:
  void run(SampleFactor& factor) {
    const std::vector<double> expected = factor.run();
    factor.context().workspace = workspaces(factor.symbolic());
    const Handles handles(factor.list().data);
    const std::vector<double> lower = factor.run_by([&] {
      for (const BoundTask& task : factor.list().task) task.record = {};
      Completion completion;
      if (start_ == Start::at_once) starpu_.resume();
      submit(factor.list(), handles.all(), completion);
      if (start_ == Start::when_submitted) starpu_.resume();
      completion.wait();
      starpu_.pause();
    });
    EXPECT_TRUE(close(lower, expected, factor.symbolic().n));
    expect_all_once(factor);
    expect_order_kept(factor);
  }

  std::vector<Workspace> workspaces(const SymbolicFactor& symbolic) const {
    std::vector<Workspace> made(starpu_.workers());
    for (Workspace& workspace : made) {
      workspace.worker = static_cast<Index>(&workspace - made.data());
      workspace.buffer = Buffer(update_buffer_entries);
      workspace.position.resize(symbolic.n, -1);
      workspace.row_map.resize(symbolic.n, -1);
      workspace.column_map.resize(symbolic.n, -1);
    }
    return made;
  }

  static void expect_all_once(SampleFactor& factor) {
    Count runs = 0;
    for (const Workspace& workspace : factor.context().workspace) {
      for (const auto& tally : workspace.tally) runs += tally.count;
    }
    EXPECT_EQ(runs, factor.graph().size());
    for (const BoundTask& task : factor.list().task) EXPECT_GE(task.record.worker, 0);
  }

  static void expect_order_kept(const SampleFactor& factor) {
    const auto& task = factor.list().task;
    for (Index t = 0; t < factor.graph().size(); ++t) {
      for (const Index next : factor.graph().successors(t)) {
        EXPECT_LE(task[t].record.end, task[next].record.begin) << t << " -> " << next;
      }
    }
  }

  Watchdog watchdog_;
  StarpuInstance starpu_;
  Start start_;
};

}  // namespace espalier::internal::support
