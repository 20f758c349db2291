// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "codelets/ordered_task.hpp"
#include "codelets/task_list.hpp"
#include "runtime/starpu/completion.hpp"
#include "runtime/starpu/mutex.hpp"
#include "runtime/starpu/priority_scale.hpp"
#include "runtime/task_order.hpp"
#include "runtime/turn.hpp"

namespace espalier::internal {

/// Runs a list of tasks, as often as needed. A task is submitted to StarPU when it is ready, by the
/// worker that ends the last task before it. So StarPU need not know data and dependencies, no
/// thread must submit the whole list, and only ready tasks take memory of StarPU. The experiment is
/// `ready` in docs/experiments.md.
///
/// All data must be in the host's memory, and tasks outside the list must not use them during a
/// run. Policies see only ready tasks; see PolicyTraits::looks_ahead.
class OrderedRun {
 public:
  /// The list must outlive this object. Its first tasks announce the work of all its tasks from now
  /// on; see Shape::announced. Cost O(accesses + data).
  explicit OrderedRun(TaskList& list);
  OrderedRun(const OrderedRun&) = delete;
  OrderedRun& operator=(const OrderedRun&) = delete;

  /// Starts a run, which `completion` counts as one task, or lets it start when the run `before`
  /// has ended (null: at once). The last run of this object must have ended.
  void start(Completion& completion, OrderedRun* before = nullptr);
  /// Returns the number of tasks that are ready at the start.
  Index first_tasks() const { return static_cast<Index>(first_.size()); }
  /// Returns whether the last run ended early because no worker could run one of its tasks. The
  /// context of the tasks then has a failure.
  bool is_lost() const { return is_lost_; }
  /// Returns the size of this object in bytes.
  Count bytes() const;

 private:
  /// A task of the list in a run.
  struct Node : OrderedTask {
    OrderedRun* run = nullptr;
    const BoundTask* task = nullptr;
    Index number = 0;
    Index next = 0;               ///< position, among its phases, of the next turn to take
    std::atomic<Index> waits{0};  ///< unfinished phases before the task
    Node* after = nullptr;        ///< see Turn

    bool goes_before(const Node& other) const { return task->shape.path > other.task->shape.path; }
  };

  void announce_at_first(TaskList& list) const;
  void prepare(Completion& completion);
  void begin();
  bool is_deferred(OrderedRun& later);
  void take_turns(Node& node);
  void submit(Node& node);
  void end(Node& node);
  void end_one();
  static void ended(void* node) noexcept;

  const TaskList& list_;
  const TaskOrder order_;
  std::vector<Index> first_;  ///< tasks that wait for no other
  std::vector<MatrixView> data_;
  std::unique_ptr<Node[]> node_;
  std::unique_ptr<std::atomic<Index>[]> unfinished_;  ///< by phase
  std::vector<Index> turn_of_;                        ///< by phase; none: all tasks at once
  Index turns_ = 0;
  std::unique_ptr<Turn<Node>[]> turn_;

  // State of the current run.
  std::optional<PriorityScale> priority_;
  unsigned context_ = 0;  ///< StarPU's scheduling context
  /// Tasks that StarPU has, and one more while the first ones are submitted. It is zero only when
  /// no task can become ready any more.
  std::atomic<Index> under_way_{0};
  std::atomic<bool> is_lost_{false};
  Completion* completion_ = nullptr;
  Mutex mutex_;  ///< for the members below
  bool is_running_ = false;
  OrderedRun* later_ = nullptr;  ///< starts when this run ends
};

}  // namespace espalier::internal
