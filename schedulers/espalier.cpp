// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/espalier.hpp"

#include "schedulers/adaptor.hpp"
#include "schedulers/ready_heap.hpp"

namespace espalier {

namespace {

class CriticalPathFirst final : public Policy {
 public:
  void add_worker(int worker) override { workers_.set(static_cast<std::size_t>(worker)); }
  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    wake |= workers_;
  }
  void push(starpu_task* task, WakeSet& wake) override {
    ready_.push(task, task->priority);
    wake |= workers_;
  }
  starpu_task* pop(int worker, WakeSet& /*wake*/) override { return ready_.pop_for(worker); }

 private:
  WakeSet workers_;
  ReadyHeap ready_;
};

}  // namespace

starpu_sched_policy espalier_policy =
    adapt<CriticalPathFirst>("espalier", "longest predicted path to the end first");

}  // namespace espalier
