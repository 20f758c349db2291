// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/access.hpp"
#include "base/shape.hpp"
#include "codelets/context.hpp"

namespace espalier::internal {

/// Returns the range of the accesses that write. They must be contiguous.
WrittenData written_of(std::span<const Access> accesses);

/// The functions of one type of arguments, for the runtime and the accelerators.
struct TaskType {
  void (*run)(const Arguments& arguments, TaskData data, Worker& worker);
  bool (*is_for_accelerators)(const Arguments& arguments, const Shape& shape);
  void (*write)(const Arguments& arguments, MessageWriter& message, Workspace& workspace);
  Index (*results)(const Arguments& arguments, const Shape& shape);
  void (*take_result)(const Arguments& arguments, std::span<const double> result);
  OperationCounts (*operations)(const Arguments& arguments, const Shape& shape);
};

template <class Task>
class TypeOf {
  static const Task& task(const Arguments& arguments) {
    return static_cast<const Task&>(arguments);
  }
  static void run(const Arguments& arguments, TaskData data, Worker& worker) {
    task(arguments).run(data, worker);
  }
  static bool is_for_accelerators(const Arguments& arguments, const Shape& shape) {
    return task(arguments).is_for_accelerators(shape);
  }
  static void write(const Arguments& arguments, MessageWriter& message, Workspace& workspace) {
    task(arguments).write(message, workspace);
  }
  static Index results(const Arguments& arguments, const Shape& shape) {
    return task(arguments).results(shape);
  }
  static void take_result(const Arguments& arguments, std::span<const double> result) {
    task(arguments).take_result(result);
  }
  static OperationCounts operations(const Arguments& arguments, const Shape& shape) {
    return task(arguments).operations(shape);
  }

 public:
  static constexpr TaskType value{run,     is_for_accelerators, write,
                                  results, take_result,         operations};
};

/// A task that is ready to be run or submitted: its shape, its arguments, and its accesses. The
/// shape comes first, because models and schedulers expect it there.
struct BoundTask {
  Shape shape;
  const TaskType* type;
  const Arguments* arguments;
  Count access_begin;
  Count access_end;
  WrittenData written{};
  mutable TaskRecord record{};   ///< last run; the only state that running the task changes
  mutable QueueRecord queued{};  ///< state that the policy changes

  /// Runs the task and records the run in `record` and in the worker's tally. If another task has
  /// failed, does not run it, but marks the data that it would have written. Marks in the data read
  /// show a failure on another rank. If several workers run the task together, each tallies its
  /// own time. Only the first worker tallies the rest. If such a task is skipped, only the first
  /// worker marks data, and only the first piece.
  void perform(TaskData data, Worker& worker) const;
  /// Tallies the work of a worker from `begin` to `end`, in seconds of the context's clock.
  void note_run(Worker& worker, double begin, double end) const;
  /// Records a run of the task in `record`, and in a worker's tally except for the seconds.
  void enter(const TaskRecord& run, Workspace::Tally& tally) const;
};

class TaskPayloads;
struct BatchList;

/// Tasks in an order in which they can run one after another, with the data that they share.
struct TaskList {
  std::vector<BoundTask> task;
  std::vector<Access> access;
  std::vector<DataView> data;
  /// Payloads of these tasks; null: accelerators run none of them.
  const TaskPayloads* payloads = nullptr;
  /// The same tasks in batches; null: StarPU gets each task by itself.
  const BatchList* batches = nullptr;

  std::span<const Access> accesses(const BoundTask& t) const {
    return {access.data() + t.access_begin, access.data() + t.access_end};
  }

  template <class Task>
  void append(const Shape& shape, const Task& arguments, std::span<const Access> accesses,
              float path) {
    const auto begin = static_cast<Count>(access.size());
    access.insert(access.end(), accesses.begin(), accesses.end());
    const auto end = static_cast<Count>(access.size());
    task.push_back(
        {shape, &TypeOf<Task>::value, &arguments, begin, end, written_of(accesses), {}, {}});
    task.back().shape.path = path;
    task.back().shape.announced = shape.seconds;
    task.back().shape.device_budget = &arguments.context->device_budget;
  }
};

/// Runs the tasks one after another on this thread, with any kernels. Tests use the reference
/// kernels for the expected result. With other kernels, this is the fastest method for small
/// problems, because it does without StarPU.
void run_sequentially(const TaskList& list, Worker& worker);

}  // namespace espalier::internal
