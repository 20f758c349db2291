// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cmath>
#include <deque>
#include <numeric>
#include <vector>

#include "codelets/cpu/kernels.hpp"
#include "codelets/task_list.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/ordered_run.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal::support {

/// data[0] := 3 data[0] + sum of all others + 1, modulo a prime, so that the result depends on the
/// order.
struct Mix : Arguments {
  std::atomic<int>* in_progress = nullptr;
  std::atomic<int>* most = nullptr;

  void run(TaskData data, Worker& /*worker*/) const {
    const int now = ++*in_progress;
    for (int seen = *most; now > seen && !most->compare_exchange_weak(seen, now);) {
    }
    double sum = 3 * data[0](0, 0) + 1;
    for (const MatrixView& view : data.subspan(1)) sum += view(0, 0);
    data[0](0, 0) = std::fmod(sum, 65537);
    --*in_progress;
  }
};

/// Numbers and tasks that mix them. StarPU runs the tasks, with handles or as an OrderedRun, and
/// this thread runs them for comparison.
class Numbers {
 public:
  explicit Numbers(Index count) : number_(count) {
    for (double& number : number_) list_.data.push_back({&number, 1, 1, 1});
  }

  void add(const std::vector<Access>& accesses) {
    const Mix& task = task_.emplace_back(Mix{{&context_}, &in_progress_, &most_});
    list_.append({TaskKind::update}, task, accesses, static_cast<float>(task_.size() % 7));
  }

  std::vector<double> run_here() {
    start(1);
    Worker worker{cpu::kernels, context_.workspace.front()};
    run_sequentially(list_, worker);
    return number_;
  }

  std::vector<double> run_by_starpu(const StarpuInstance& starpu) {
    start(starpu.workers());
    const Handles handles(list_.data);
    starpu.resume();
    Completion completion;
    submit(list_, handles.all(), completion);
    completion.wait();
    starpu.pause();
    return number_;
  }

  std::vector<double> run_ordered(const StarpuInstance& starpu) {
    start(starpu.workers());
    OrderedRun run(list_);
    TaskRunner runner(starpu);
    runner.start(run);
    runner.wait();
    return number_;
  }

  /// Returns the number of tasks that ran on all workers.
  Count tally() const {
    Count count = 0;
    for (const Workspace& workspace : context_.workspace) {
      count += workspace.tally[static_cast<std::size_t>(TaskKind::update)].count;
    }
    return count;
  }
  int most_at_once() const { return most_; }
  TaskList& list() { return list_; }
  const std::vector<double>& numbers() const { return number_; }
  /// Gives all numbers their first value, for runs on this number of workers.
  void start(Index workers) {
    std::iota(number_.begin(), number_.end(), 1.0);
    context_.workspace = std::vector<Workspace>(workers);
    most_ = 0;
  }
  Count size() const { return std::ssize(list_.task); }
  FactorContext& context() { return context_; }

 private:
  std::vector<double> number_;
  FactorContext context_;
  std::deque<Mix> task_;
  TaskList list_;
  std::atomic<int> in_progress_ = 0;
  std::atomic<int> most_ = 0;
};

}  // namespace espalier::internal::support
