// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/halo.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedulers/adaptor.hpp"
#include "schedulers/decide/halo.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier {

namespace {

class Halo final : public Policy {
 public:
  void add_worker(int worker) override {
    side_with(worker).workers.set(static_cast<std::size_t>(worker));
  }

  void remove_worker(int worker, WakeSet& wake) override {
    Side& side = side_with(worker);
    side.workers.reset(static_cast<std::size_t>(worker));
    if (side.workers.any()) return;
    ReadyHeap left = std::exchange(side.ready, {});
    if (&side != &host_) std::erase_if(devices_, [](const Side& s) { return s.workers.none(); });
    while (starpu_task* const task = left.pop()) push(task, wake);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    Side* const side = side_for(task);
    if (side == nullptr) {
      anyones_.push(task, task->priority);
      wake |= host_.workers;
      for (const Side& device : devices_) wake |= device.workers;
      return;
    }
    side->ready.push(task, task->priority);
    wake |= side->workers;
    starpu_prefetch_task_input_on_node(task, side->memory);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    starpu_task* const task = side_with(worker).ready.pop_for(worker);
    return task ? task : anyones_.pop_for(worker);
  }

 private:
  /// Workers with one memory.
  struct Side {
    unsigned memory;
    WakeSet workers{};
    ReadyHeap ready{};
  };

  Side& side_with(int worker) {
    if (starpu_worker_get_type(worker) == STARPU_CPU_WORKER) return host_;
    const unsigned memory = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    const auto at =
        std::lower_bound(devices_.begin(), devices_.end(), memory,
                         [](const Side& side, unsigned node) { return side.memory < node; });
    if (at != devices_.end() && at->memory == memory) return *at;
    return *devices_.insert(at, Side{memory});
  }

  /// Null where any side may have it.
  Side* side_for(starpu_task* task) {
    const TaskFacts facts = facts_at_submission(task);
    const bool has_host = host_.workers.any();
    HaloSide side = halo_side(facts, static_cast<Index>(devices_.size()), has_host);
    if (side.kind == HaloSide::Kind::device) {
      Side& device = devices_[side.device];
      if (is_for(device, task)) return &device;
      side = halo_side(facts, 0, has_host);
    }
    return side.kind == HaloSide::Kind::host && is_for(host_, task) ? &host_ : nullptr;
  }

  static bool is_for(const Side& side, starpu_task* task) {
    for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
      if (side.workers.test(worker)) return can_execute(static_cast<int>(worker), task);
    }
    return false;
  }

  Side host_{STARPU_MAIN_RAM};
  std::vector<Side> devices_;  ///< by memory
  ReadyHeap anyones_;
};

}  // namespace

starpu_sched_policy halo_policy =
    adapt<Halo>("halo", "what writes shadows on devices, all else on CPUs");

}  // namespace espalier
