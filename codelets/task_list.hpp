// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/shape.hpp"
#include "codelets/context.hpp"

namespace espalier::internal {

/// How a task uses a piece of data. Several tasks that `add` to one piece run in any order, one at
/// a time.
enum class AccessMode : std::uint8_t { read, write, read_write, add };

struct Access {
  Index data;  ///< position in TaskList::data
  AccessMode mode;
};

/// Returns those of the accesses that write, which are neighbours.
WrittenData written_of(std::span<const Access> accesses);

/// The members of one type of arguments, which the runtime and the accelerators call.
struct TaskType {
  void (*run)(const Arguments& arguments, TaskData data, Worker& worker);
  bool (*is_for_accelerators)(const Arguments& arguments, const Shape& shape);
  void (*write)(const Arguments& arguments, MessageWriter& message, Workspace& workspace);
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
  static void take_result(const Arguments& arguments, std::span<const double> result) {
    task(arguments).take_result(result);
  }
  static OperationCounts operations(const Arguments& arguments, const Shape& shape) {
    return task(arguments).operations(shape);
  }

 public:
  static constexpr TaskType value{run, is_for_accelerators, write, take_result, operations};
};

/// A task ready to be run or submitted: its shape, its arguments, and what it reads and writes. The
/// shape comes first, where models and schedulers find it.
struct BoundTask {
  Shape shape;
  const TaskType* type;
  const Arguments* arguments;
  Count access_begin;
  Count access_end;
  WrittenData written{};
  mutable TaskRecord record{};   ///< all that running a task changes in it
  mutable QueueRecord queued{};  ///< what the policy changes

  /// Runs the task and enters it into its record and the worker's tally; but where another one has
  /// failed, here or, by what this one reads, on the rank that sent it, it marks what it would have
  /// written. Where several workers run it together each tallies its time, and the first one the
  /// rest, and marks the first of the data.
  void perform(TaskData data, Worker& worker) const;
  /// Tallies what a worker did from `begin` to `end`, by the clock of the task's context.
  void note_run(Worker& worker, double begin, double end) const;
  /// Enters a run of the task into its record and, but for the seconds, into a worker's tally.
  void enter(const TaskRecord& run, Workspace::Tally& tally) const;
};

class TaskPayloads;

/// Tasks in an order in which they can run one after another, with the data they share.
struct TaskList {
  std::vector<BoundTask> task;
  std::vector<Access> access;
  std::vector<DataView> data;
  const TaskPayloads* payloads = nullptr;  ///< the tasks' own; null: no accelerator may run them

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
    task.back().shape.device_budget = &arguments.context->device_budget;
  }
};

/// Runs the tasks one after another on this thread, with any kernels: the oracle with the reference
/// kernels, the fastest way for problems of less than a few hundred microseconds with the others.
void run_sequentially(const TaskList& list, Worker& worker);

}  // namespace espalier::internal
