// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/halo.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_data.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

class Halo final : public Policy {
 public:
  void add_worker(int worker) override {
    node_with(worker).workers.set(static_cast<std::size_t>(worker));
  }

  void remove_worker(int worker, WakeSet& wake) override {
    MemoryNode& node = node_with(worker);
    node.workers.reset(static_cast<std::size_t>(worker));
    node.waiting.reset(static_cast<std::size_t>(worker));
    if (node.workers.any()) return wake_all(node, wake);
    if (&node == &host_) receive([](starpu_task* /*task*/) { return true; });
    ReadyHeap left = std::exchange(node.ready, {});
    if (&node != &host_)
      std::erase_if(devices_, [](const MemoryNode& s) { return s.workers.none(); });
    while (starpu_task* const task = left.pop()) {
      sourced_.erase(task);
      push(task, wake);
    }
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    MemoryNode* const node = node_for(task, facts);
    if (node == nullptr) {
      anyones_.push(task, task->priority);
      wake_for(task, host_, wake);
      for (MemoryNode& device : devices_) wake_for(task, device, wake);
      return;
    }
    if (node == &host_ && !has_input(task)) {
      arriving_.push_back(task);
    } else {
      node->ready.push(task, task->priority);
    }
    wake_for(task, *node, wake);
    if (node != &host_ && is_limited_ && facts.device_budget != nullptr) {
      const Sourced sourced{node->memory, facts.device_budget, pieces_of(task, true)};
      node->sources.expect(*sourced.budget, sourced.pieces);
      sourced_.emplace(task, sourced);
    } else {
      starpu_prefetch_task_input_on_node(task, node->memory);
    }
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    MemoryNode& node = node_with(worker);
    starpu_task* const task = next_for(worker, node);
    node.waiting.set(static_cast<std::size_t>(worker), task == nullptr);
    return task;
  }

  void finished(starpu_task* task, WakeSet& wake) override {
    const auto found = sourced_.find(task);
    if (found == sourced_.end()) return;
    const Sourced sourced = std::move(found->second);
    sourced_.erase(found);
    for (MemoryNode& node : devices_) {
      if (node.memory != sourced.memory) continue;
      node.sources.release(*sourced.budget, sourced.pieces, Eviction{node.memory});
      wake_all(node, wake);
    }
  }

 private:
  /// The workers of one memory node and their ready tasks.
  struct MemoryNode {
    unsigned memory;
    WakeSet workers{};
    WakeSet waiting{};  ///< workers that found no task and were not woken since
    ReadyHeap ready{};
    SourcePools sources{};  ///< used only if the memory is limited
  };
  /// A ready or running task of a device with limited memory.
  struct Sourced {
    unsigned memory;
    const DeviceBudget* budget;
    std::vector<SourcePool::Piece> pieces;
  };

  struct Eviction {
    unsigned memory;

    bool operator()(const void* data) const { return evict(data, memory); }
  };

  starpu_task* next_for(int worker, MemoryNode& node) {
    if (&node == &host_) receive(has_input);
    starpu_task* task = node.ready.pop_for(worker);
    if (task != nullptr && !fits(node, task)) {
      node.ready.push(task, task->priority);
      return nullptr;
    }
    if (task == nullptr) task = anyones_.pop_for(worker);
    if (task != nullptr || &node != &host_ || arriving_.empty()) return task;
    receive([](starpu_task* /*task*/) { return true; });
    return host_.ready.pop_for(worker);
  }

  static void wake_for(starpu_task* task, MemoryNode& node, WakeSet& wake) {
    wake_one(node.waiting, wake, [task](int worker) { return can_execute(worker, task); });
  }

  static void wake_all(MemoryNode& node, WakeSet& wake) {
    wake |= node.workers;
    node.waiting.reset();
  }

  bool fits(MemoryNode& node, starpu_task* task) {
    const auto found = sourced_.find(task);
    if (found == sourced_.end()) return true;
    const Sourced& sourced = found->second;
    return node.sources.admit(*sourced.budget, sourced.pieces,
                              static_cast<Index>(node.workers.count()), Eviction{node.memory});
  }

  MemoryNode& node_with(int worker) {
    if (starpu_worker_get_type(worker) == STARPU_CPU_WORKER) return host_;
    const unsigned memory = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    const auto at = std::lower_bound(
        devices_.begin(), devices_.end(), memory,
        [](const MemoryNode& node, unsigned number) { return node.memory < number; });
    if (at != devices_.end() && at->memory == memory) return *at;
    return *devices_.insert(at, MemoryNode{memory});
  }

  /// Returns the memory node for the task, or null if any node may run it.
  MemoryNode* node_for(starpu_task* task, const TaskFacts& facts) {
    const bool has_host = host_.workers.any();
    HaloPlace node = halo_place(facts, static_cast<Index>(devices_.size()), has_host);
    if (node.kind == HaloPlace::Kind::device) {
      MemoryNode& device = node.device >= 0 ? devices_[node.device] : device_with_least();
      if (is_for(device, task)) return &device;
      node = halo_place(facts, 0, has_host);
    }
    return node.kind == HaloPlace::Kind::host && is_for(host_, task) ? &host_ : nullptr;
  }

  /// Returns the device with the fewest waiting tasks.
  MemoryNode& device_with_least() {
    return *std::min_element(
        devices_.begin(), devices_.end(),
        [](const MemoryNode& a, const MemoryNode& b) { return a.ready.size() < b.ready.size(); });
  }

  /// Returns whether the host's memory has all data that the task reads.
  static bool has_input(starpu_task* task) {
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
      if ((STARPU_TASK_GET_MODE(task, i) & STARPU_R) == 0) continue;
      if (!is_valid(STARPU_TASK_GET_HANDLE(task, i), STARPU_MAIN_RAM)) return false;
    }
    return true;
  }

  /// Makes a task of the host ready if its shadows were in transfer and has_arrived(task) is true.
  template <class HasArrived>
  void receive(HasArrived has_arrived) {
    std::erase_if(arriving_, [&](starpu_task* task) {
      if (!has_arrived(task)) return false;
      host_.ready.push(task, task->priority);
      return true;
    });
  }

  static bool is_for(const MemoryNode& node, starpu_task* task) {
    for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
      if (node.workers.test(worker)) return can_execute(static_cast<int>(worker), task);
    }
    return false;
  }

  MemoryNode host_{STARPU_MAIN_RAM};
  /// Tasks of the host whose shadows are still in transfer. Other tasks go first, because a CPU
  /// worker that takes one of these would wait for the transfer.
  std::vector<starpu_task*> arriving_;
  std::vector<MemoryNode> devices_;  ///< ordered by memory node
  ReadyHeap anyones_;
  const bool is_limited_ = policy_settings("halo").text("device_memory") != "auto";
  std::unordered_map<const starpu_task*, Sourced> sourced_;
};

}  // namespace

/// Panels are as narrow as without devices, because the host factors whole panels.
const OwnPolicy halo_policy{
    adapt<Halo>("halo", "tasks that write shadows on devices, all other tasks on CPUs"),
    {.devices = DeviceUse::planned, .widest_panel = 0}};

}  // namespace espalier::internal
