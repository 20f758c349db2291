// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/gang.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "schedulers/ready_heap.hpp"

namespace espalier::internal {

namespace {

/// The gangs that run a task now. The whole process has one list, because it has one StarPU and the
/// gangs of several scheduling contexts may share workers.
class GangsAtWork {
 public:
  /// Records that a gang starts a task. Returns false and does nothing if one of the workers
  /// belongs to a running gang.
  bool begin(const Gang* gang, const WakeSet& members, const void* task) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : at_work_) {
      if ((entry.members & members).any()) return false;
    }
    at_work_.push_back({gang, members, task});
    return true;
  }
  void end(const void* task) {
    const std::lock_guard lock(mutex_);
    std::erase_if(at_work_, [&](const Entry& entry) { return entry.task == task; });
  }
  bool include(const Gang* gang) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(at_work_, [&](const Entry& entry) { return entry.gang == gang; });
  }

 private:
  struct Entry {
    const Gang* gang;
    WakeSet members;
    const void* task;
  };
  std::mutex mutex_;
  std::vector<Entry> at_work_;
};

GangsAtWork& gangs_at_work() {
  static GangsAtWork gangs;
  return gangs;
}

/// Returns StarPU's combined worker of exactly these workers (in ascending order), or -1.
int combined_worker_of(const std::vector<int>& workers) {
  const auto first = static_cast<int>(starpu_worker_get_count());
  const auto count = static_cast<int>(starpu_combined_worker_get_count());
  for (int id = first; id < first + count; ++id) {
    int size = 0;
    int* members = nullptr;
    starpu_combined_worker_get_description(id, &size, &members);
    if (std::equal(members, members + size, workers.begin(), workers.end())) return id;
  }
  return -1;
}

}  // namespace

void Gang::assemble(std::vector<int> workers, bool make) {
  workers_ = std::move(workers);
  std::sort(workers_.begin(), workers_.end());
  members_.reset();
  for (const int worker : workers_) members_.set(static_cast<std::size_t>(worker));
  combined_ = -1;
  if (workers_.size() < 2) return;
  combined_ = combined_worker_of(workers_);
  if (combined_ < 0 && make) {
    combined_ =
        starpu_combined_worker_assign_workerid(static_cast<int>(workers_.size()), workers_.data());
  }
}

bool Gang::at_work() const { return gangs_at_work().include(this); }

bool Gang::can_execute(starpu_task* task) const {
  return exists() && internal::can_execute(workers_.front(), task) &&
         starpu_combined_worker_can_execute_task(static_cast<unsigned>(combined_), task,
                                                 starpu_task_get_implementation(task)) != 0;
}

starpu_task* Gang::start(starpu_task* task, int leader) {
  if (!gangs_at_work().begin(this, members_, task)) return nullptr;
  leader_ = leader;
  starpu_parallel_task_barrier_init(task, combined_);
  const auto part = [&] {
    starpu_task* const alias = starpu_task_dup(task);
    alias->destroy = 1;
    return alias;
  };
  starpu_task* const own = part();
  own->sched_data = task;  // only the leader's part refers to the whole task
  for (const int worker : workers_) {
    if (worker != leader) starpu_push_local_task(worker, part(), 0);
  }
  return own;
}

void Gang::ended(starpu_task* part, unsigned /*context*/) noexcept {
  if (part->sched_data != nullptr) gangs_at_work().end(part->sched_data);
}

}  // namespace espalier::internal
