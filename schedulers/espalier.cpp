// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/espalier.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "schedulers/decide/memory_nodes.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// Returns the size of a core's private cache in bytes, 0 if the system does not report it.
std::size_t cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>(std::max(bytes, 0L));
}

std::size_t largest_piece(starpu_task* task) {
  std::size_t largest = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    largest = std::max(largest, starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
  }
  return largest;
}

/// Assumed length of a task without a prediction. If all lengths are unknown, loads are thus
/// proportional to the number of tasks.
constexpr double unknown_seconds = 100e-6;

/// Maximum number of ready tasks that a worker examines: on its own device to find one whose data
/// have arrived, on another memory node to find one to take over.
constexpr std::size_t looked_at = 16;

class CriticalPathFirst final : public Policy {
 public:
  void add_worker(int worker) override {
    workers_.set(static_cast<std::size_t>(worker));
    node_with(worker).workers.set(static_cast<std::size_t>(worker));
    if (nodes_.size() > 1) deal_again();
  }
  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    MemoryNode& node = node_with(worker);
    node.workers.reset(static_cast<std::size_t>(worker));
    node.waiting.reset(static_cast<std::size_t>(worker));
    node.ready.forget_keeper(worker);
    begun_[static_cast<std::size_t>(worker)] = none;
    if (nodes_.size() > 1) deal_again();
    wake |= workers_;
    for (MemoryNode& each : nodes_) each.waiting.reset();
  }
  void announced(starpu_task* task) override { ahead_.expect(lengths_of(task).announced); }
  void push(starpu_task* task, WakeSet& wake) override {
    const Lengths known = lengths_of(task);
    place({task, task->priority, known.path, known.seconds});
    wake_for(task, wake);
  }
  starpu_task* pop(int worker, WakeSet& wake) override {
    begun_[static_cast<std::size_t>(worker)] = none;
    MemoryNode& own = node_with(worker);
    Ready ready = next_for(worker, own);
    if (ready.task != nullptr) {
      own.seconds = std::max(0.0, own.seconds - ready.here.seconds);
    } else if (nodes_.size() > 1) {
      ready = take_over(worker, own);
    }
    own.waiting.set(static_cast<std::size_t>(worker), ready.task == nullptr);
    if (ready.task == nullptr) return nullptr;
    begun_[static_cast<std::size_t>(worker)] = ready.here.seconds;
    wake_for_rest(wake);
    ahead_.begin(ready.seconds);
    return ready.task;
  }

 private:
  using Tasks = ReadyTasks<starpu_task*>;
  using Ready = Tasks::Ready;

  /// The workers of one memory node, and the ready tasks that wait for them.
  struct MemoryNode {
    unsigned memory;
    WakeSet workers{};
    WakeSet waiting{};  ///< workers that found no task and were not woken since
    Tasks ready{};
    double seconds = 0;  ///< predicted length of the tasks in `ready`
  };

  MemoryNode& node_with(int worker) {
    const bool is_host = !is_device(worker);
    const unsigned memory =
        is_host ? STARPU_MAIN_RAM : starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    const auto at = std::find_if(nodes_.begin(), nodes_.end(),
                                 [&](const MemoryNode& node) { return node.memory == memory; });
    return at != nodes_.end() ? *at : nodes_.emplace_back(MemoryNode{memory});
  }

  /// Returns the worker's next task. On a device, a task whose data have arrived goes first.
  Ready next_for(int worker, MemoryNode& own) {
    const auto may_take = [&](const Ready& r) { return can_execute(worker, r.task); };
    if (own.memory != STARPU_MAIN_RAM) {
      Ready there = own.ready.pop_arrived(
          may_take, [&](const Ready& r) { return copy_seconds(own.memory, r.task) <= 0; },
          [&](const Ready& r) {
            if (!copies_overlap(r.task)) return false;
            starpu_prefetch_task_input_on_node(r.task, own.memory);
            return true;
          },
          looked_at);
      if (there.task != nullptr) return there;
    }
    return own.ready.pop(worker, share(), may_take);
  }

  double share() const { return ahead_.share(static_cast<Index>(workers_.count())); }

  /// Enters the task at the memory node that is predicted to end it first. Tasks that no worker can
  /// execute, and all tasks if there is only one node, go to the CPUs.
  void place(Ready ready) {
    MemoryNode* node = &nodes_.front();
    if (nodes_.size() > 1) {
      std::vector<NodeCost> costs;
      for (const MemoryNode& each : nodes_) costs.push_back(cost(each, ready.task));
      const Index first = first_to_end(loads(), costs, is_urgent(ready, share()));
      if (first >= 0) {
        node = &nodes_[first];
        ready.here = costs[first];
      }
    }
    node->seconds += ready.here.seconds;
    node->ready.push(ready, keeper(*node, ready.task));
  }

  /// Places all ready tasks anew, because workers came or left.
  void deal_again() {
    std::vector<Ready> all;
    for (MemoryNode& node : nodes_) {
      const auto any = [](const Ready& /*ready*/) { return true; };
      for (Ready r = node.ready.pop_first(any); r.task != nullptr; r = node.ready.pop_first(any)) {
        all.push_back(r);
      }
      node.seconds = 0;
    }
    for (Ready& ready : all) {
      ready.here = {0, 0};
      ready.is_sent_for = false;
      place(ready);
    }
  }

  /// Returns a ready task of another memory node, or none. This worker must be predicted to end the
  /// task sooner than that node, or to relieve that node without delaying the end of the graph.
  /// Skips tasks whose data are already being copied to that node, because the copies would be
  /// wasted.
  Ready take_over(int worker, const MemoryNode& own) {
    const double rest = share();
    for (MemoryNode& other : nodes_) {
      if (&other == &own) continue;
      NodeLoad theirs = load(other);
      double seen = 0;  // predicted seconds of the tasks examined so far, the most urgent first
      NodeCost here;
      Ready found = other.ready.pop_first(
          [&](const Ready& ready) {
            theirs.sooner = std::exchange(seen, seen + ready.here.seconds);
            if (ready.is_sent_for || !can_execute(worker, ready.task)) return false;
            here = {seconds(worker, ready.task), 0, counted(ready.task)};
            // This check rejects most tasks without the slower search for copies of their data.
            if (!takes(ready, rest, here, theirs, ready.here)) return false;
            here.copies = copy_seconds(own.memory, ready.task);
            return takes(ready, rest, here, theirs, cost(other, ready.task));
          },
          looked_at);
      if (found.task == nullptr) continue;
      other.seconds = std::max(0.0, other.seconds - found.here.seconds);
      found.here = here;
      return found;
    }
    return {};
  }

  /// Returns whether an idle worker takes the task. `here` and `there` are its costs on both memory
  /// nodes. `rest` is each worker's share of the remaining work.
  static bool takes(const Ready& ready, double rest, const NodeCost& here, const NodeLoad& theirs,
                    const NodeCost& there) {
    const bool in_time = may_put_off(ready.path, here.all(), rest);
    return (in_time && spares(here, there)) ||
           takes_over(here, theirs, there, is_urgent(ready, rest));
  }

  static bool is_urgent(const Ready& ready, double rest) {
    return ready.path >= 0 && !may_put_off(ready.path, ready.seconds, rest);
  }

  static double seconds(int worker, starpu_task* task) {
    const double known = seconds_on(worker, task);
    return known < 0 ? unknown_seconds : known;
  }

  static double counted(const starpu_task* task) {
    return data_stay(task) ? counted_to_stay : counted_to_and_fro;
  }

  NodeCost cost(const MemoryNode& node, starpu_task* task) const {
    for (auto w = node.workers._Find_first(); w < node.workers.size();
         w = node.workers._Find_next(w)) {
      const int worker = static_cast<int>(w);
      if (!can_execute(worker, task)) continue;
      return {seconds(worker, task), copy_seconds(node.memory, task), counted(task)};
    }
    return {};
  }

  NodeLoad load(const MemoryNode& node) const {
    NodeLoad load{static_cast<Index>(node.workers.count()), 0, 0, node.seconds};
    for (auto w = node.workers._Find_first(); w < node.workers.size();
         w = node.workers._Find_next(w)) {
      if (begun_[w] == none) continue;
      ++load.busy;
      load.begun += begun_[w];
    }
    return load;
  }

  std::vector<NodeLoad> loads() const {
    std::vector<NodeLoad> all;
    for (const MemoryNode& node : nodes_) all.push_back(load(node));
    return all;
  }

  /// Wakes one waiting worker per memory node for the task.
  void wake_for(starpu_task* task, WakeSet& wake) {
    for (MemoryNode& node : nodes_) {
      wake_one(node.waiting, wake, [task](int worker) { return can_execute(worker, task); });
    }
  }

  /// Wakes one waiting worker per memory node if another node has tasks. Called after a worker has
  /// got a task. The other tasks of its node may then end later, so that a worker of another node
  /// may take one over. If it does, it wakes the next such worker.
  void wake_for_rest(WakeSet& wake) {
    for (MemoryNode& node : nodes_) {
      const bool others_have_tasks = std::ranges::any_of(
          nodes_, [&](const MemoryNode& other) { return &other != &node && other.seconds > 0; });
      if (others_have_tasks) wake_one(node.waiting, wake, [](int /*worker*/) { return true; });
    }
  }

  /// Returns the worker that released the task if its cache may still hold the task's data, else
  /// nobody.
  int keeper(const MemoryNode& node, starpu_task* task) const {
    const int releaser = starpu_worker_get_id();
    const bool here = releaser >= 0 && node.workers.test(static_cast<std::size_t>(releaser));
    return here && largest_piece(task) <= cache_ ? releaser : Tasks::nobody;
  }

  static constexpr double none = -1;  ///< the worker has no task

  const std::size_t cache_ = cache_bytes();
  WakeSet workers_;
  std::vector<MemoryNode> nodes_{MemoryNode{STARPU_MAIN_RAM}};  ///< the CPUs come first
  std::vector<double> begun_ = std::vector<double>(STARPU_NMAXWORKERS, none);  ///< by worker
  WorkAhead ahead_;
};

}  // namespace

const OwnPolicy espalier_policy{
    adapt<CriticalPathFirst>("espalier", "longest predicted path to the end first"),
    {.devices = DeviceUse::ends_first, .devices_may_be_idle = true, .looks_ahead = false}};

}  // namespace espalier::internal
