// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/ordered_run.hpp"

#include <mutex>
#include <utility>

#include "base/memory.hpp"
#include "codelets/codelet.hpp"
#include "espalier/error.hpp"
#include "runtime/starpu/new_task.hpp"

namespace espalier::internal {

namespace {

constexpr Index none = -1;

/// Returns the scheduling context in which the calling thread submits tasks.
unsigned context_here() {
  const unsigned context = starpu_sched_ctx_get_context();
  return context == STARPU_NMAX_SCHED_CTXS ? 0 : context;
}

}  // namespace

OrderedRun::OrderedRun(TaskList& list)
    : list_(list),
      order_(list),
      node_(std::make_unique<Node[]>(list.task.size())),
      unfinished_(
          std::make_unique<std::atomic<Index>[]>(static_cast<std::size_t>(order_.phases()))),
      turn_of_(static_cast<std::size_t>(order_.phases()), none) {
  data_.reserve(list.access.size());
  for (const BoundTask& task : list.task) {
    for (const Access& access : list.accesses(task)) {
      data_.push_back(list.data[access.data].as<double>());
    }
  }
  std::size_t place = 0;
  for (Index t = 0; t < order_.tasks(); ++t) {
    Node& node = node_[t];
    const std::size_t count = order_.phases(t).size();
    node.data = {data_.data() + place, count};
    node.run = this;
    node.task = &list.task[t];
    node.number = t;
    place += count;
    if (order_.waits(t) == 0) first_.push_back(t);
  }
  for (Index p = 0; p < order_.phases(); ++p) {
    if (order_.takes_turns(p)) turn_of_[p] = turns_++;
  }
  turn_ = std::make_unique<Turn<Node>[]>(static_cast<std::size_t>(turns_));
  announce_at_first(list);
}

void OrderedRun::announce_at_first(TaskList& list) const {
  double all = 0;
  for (BoundTask& task : list.task) {
    all += task.shape.seconds;
    task.shape.announced = 0;
  }
  const double share = all / static_cast<double>(first_.size());
  for (const Index t : first_) list.task[t].shape.announced = share;
}

void OrderedRun::start(Completion& completion, OrderedRun* before) {
  prepare(completion);
  completion.begin_one();
  if (before != nullptr && before->is_deferred(*this)) return;
  begin();
}

/// Returns whether this run is unfinished. The later run then starts at its end.
bool OrderedRun::is_deferred(OrderedRun& later) {
  const std::lock_guard lock(mutex_);
  if (is_running_) later_ = &later;
  return is_running_;
}

void OrderedRun::prepare(Completion& completion) {
  for (Index t = 0; t < order_.tasks(); ++t) {
    node_[t].waits.store(order_.waits(t), std::memory_order_relaxed);
    node_[t].next = 0;
  }
  for (Index p = 0; p < order_.phases(); ++p) {
    unfinished_[p].store(static_cast<Index>(order_.members(p).size()), std::memory_order_relaxed);
  }
  if (is_lost_) turn_ = std::make_unique<Turn<Node>[]>(static_cast<std::size_t>(turns_));
  completion_ = &completion;
  priority_.emplace(list_);
  context_ = context_here();
  under_way_ = 1;
  is_lost_ = false;
  is_running_ = true;
}

void OrderedRun::begin() {
  for (const Index t : first_) take_turns(node_[t]);
  end_one();
}

/// Submits the task if it can take the turns of all its phases, else queues it for the first turn
/// that it cannot take. Tasks take turns in ascending order, so they never wait for each other in a
/// circle.
void OrderedRun::take_turns(Node& node) {
  const std::span<const Index> phases = order_.phases(node.number);
  while (node.next < std::ssize(phases)) {
    const Index turn = turn_of_[phases[node.next++]];
    if (turn != none && !turn_[turn].take(node)) return;
  }
  submit(node);
}

void OrderedRun::submit(Node& node) {
  const BoundTask& bound = *node.task;
  NewTask task(starpu_task_create());
  task->cl = ordered_codelet(bound.shape.kind);
  task->cl_arg = const_cast<BoundTask*>(&bound);
  task->flops = bound.shape.flops;
  task->priority = (*priority_)(bound.shape.path);
  task->callback_func = ended;
  task->callback_arg = &node;
  task->sched_ctx = context_;
  ++under_way_;
  if (starpu_task_submit(task.get()) == 0) {
    std::ignore = task.release();
    return;
  }
  is_lost_ = true;  // neither this task nor the tasks after it will run
  bound.arguments->context->failure.report_elsewhere();
  end_one();
}

void OrderedRun::ended(void* node) noexcept {
  Node& task = *static_cast<Node*>(node);
  task.run->end(task);
}

void OrderedRun::end(Node& node) {
  for (const Index phase : order_.phases(node.number)) {
    if (turn_of_[phase] != none) {
      if (Node* const next = turn_[turn_of_[phase]].pass_on()) take_turns(*next);
    }
    if (unfinished_[phase].fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
    for (const Index next : order_.successors(phase)) {
      if (node_[next].waits.fetch_sub(1, std::memory_order_acq_rel) == 1) take_turns(node_[next]);
    }
  }
  end_one();
}

void OrderedRun::end_one() {
  if (under_way_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  Completion& completion = *completion_;
  OrderedRun* later = nullptr;
  {
    const std::lock_guard lock(mutex_);
    is_running_ = false;
    later = std::exchange(later_, nullptr);
  }
  if (later != nullptr) later->begin();
  completion.end_one();  // a waiting thread may then destroy this object
}

Count OrderedRun::bytes() const {
  const auto of = [](auto count, std::size_t size) { return static_cast<Count>(count * size); };
  return order_.bytes() + bytes_of(first_) + bytes_of(data_) + bytes_of(turn_of_) +
         of(list_.task.size(), sizeof(Node)) + of(turn_of_.size(), sizeof(std::atomic<Index>)) +
         of(turns_, sizeof(Turn<Node>));
}

}  // namespace espalier::internal
