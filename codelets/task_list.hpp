// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelets/context.hpp"
#include "perfmodels/shape.hpp"

namespace espalier {

/// How a task uses a piece of data. Several tasks that `add` to one piece run in any order, one at
/// a time.
enum class AccessMode : std::uint8_t { read, write, read_write, add };

struct Access {
  Index data;  ///< position in TaskList::data
  AccessMode mode;
};

/// A task ready to be run or submitted: its shape, its function with the arguments, and what it
/// reads and writes. The shape comes first, where models and schedulers find it.
struct BoundTask {
  Shape shape;
  void (*perform)(const BoundTask& task, TaskData data, Worker& worker);
  const Arguments* arguments;
  Count access_begin;
  Count access_end;
  mutable TaskRecord record{};  ///< all that running a task changes in it

  /// Enters one run of the task, but for the seconds it took.
  void count_in(Workspace::Tally& tally) const {
    ++tally.count;
    tally.flops += shape.flops;
    tally.predicted_seconds += shape.seconds;
  }
};

class TaskPayloads;

/// Tasks in an order in which they can run one after another, with the data they share.
struct TaskList {
  std::vector<BoundTask> task;
  std::vector<Access> access;
  std::vector<MatrixView> data;
  const TaskPayloads* payloads = nullptr;  ///< of the tasks; null where no accelerator may run them

  std::span<const Access> accesses(const BoundTask& t) const {
    return {access.data() + t.access_begin, access.data() + t.access_end};
  }

  template <class Task>
  void append(const Shape& shape, const Task& arguments, std::span<const Access> accesses,
              float path) {
    const auto begin = static_cast<Count>(access.size());
    access.insert(access.end(), accesses.begin(), accesses.end());
    const auto end = static_cast<Count>(access.size());
    task.push_back({shape, perform<Task>, &arguments, begin, end, {}});
    task.back().shape.path = path;
    task.back().shape.device_budget = &arguments.context->device_budget;
  }

 private:
  /// Runs the task unless another one has failed, and enters it into its record and the worker's
  /// tally. Where several workers run it together each tallies its time, and the first one the
  /// rest.
  template <class Task>
  static void perform(const BoundTask& bound, TaskData data, Worker& worker) {
    const FactorContext& context = *bound.arguments->context;
    if (context.failure.happened()) return;
    const double begin = context.clock.seconds();
    static_cast<const Task*>(bound.arguments)->run(data, worker);
    const double end = context.clock.seconds();
    auto& tally = worker.workspace.tally[static_cast<std::size_t>(bound.shape.kind)];
    tally.seconds += end - begin;
    if (worker.slice.rank > 0) return;
    bound.record = {worker.workspace.worker, begin, end, worker.slice.size};
    bound.count_in(tally);
  }
};

/// Runs the tasks one after another on this thread, with any kernels: the oracle with the reference
/// kernels, the fastest way for problems of less than a few hundred microseconds with the others.
void run_sequentially(const TaskList& list, Worker& worker);

}  // namespace espalier
