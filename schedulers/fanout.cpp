// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/fanout.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/device_budget.hpp"
#include "schedulers/fixed_places.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// Reads "2x3", which the table of options has checked.
BlockGrid parse_grid(const std::string& text) {
  BlockGrid grid;
  const char* const end = text.data() + text.size();
  const char* const cross = std::from_chars(text.data(), end, grid.rows).ptr;
  std::from_chars(cross + 1, end, grid.columns);
  return grid;
}

class Fanout final : public Policy {
 public:
  void add_worker(int worker) override {
    auto& workers = is_device(worker) ? devices_ : cells_;
    workers.insert(std::upper_bound(workers.begin(), workers.end(), worker), worker);
    renew_map();
    WakeSet unused;  // the new worker asks first of its own accord
    for (starpu_task* const task : std::exchange(nobodys_, {})) place(task, owner(task), unused);
  }

  void remove_worker(int worker, WakeSet& wake) override {
    std::erase(cells_, worker);
    std::erase(devices_, worker);
    renew_map();
    while (starpu_task* const task = queue_[worker].ready.pop()) place(task, owner(task), wake);
  }

  void submitted(starpu_task* task) override {
    const int worker = owner(task);
    task->sched_data = worker == nobody ? nullptr : &queue_[worker];
    if (worker != nobody) ++queue_[worker].waiting;
  }

  void push(starpu_task* task, WakeSet& wake) override {
    int worker = nobody;
    if (auto* const queue = static_cast<Queue*>(std::exchange(task->sched_data, nullptr))) {
      --queue->waiting;
      worker = static_cast<int>(queue - queue_.data());
    }
    place(task, is_here(worker) ? worker : owner(task), wake);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    starpu_task* const task = queue_[worker].ready.pop_for(worker);
    return task == nullptr && steal_ ? steal(worker) : task;
  }

 private:
  static constexpr int nobody = -1;

  struct Queue {
    Count waiting = 0;  ///< submitted, but not ready
    ReadyHeap ready;
  };

  /// Returns the owners: the CPU workers, or all where there are none.
  const std::vector<int>& owners() const { return cells_.empty() ? devices_ : cells_; }

  bool is_here(int worker) const {
    return std::binary_search(cells_.begin(), cells_.end(), worker) ||
           std::binary_search(devices_.begin(), devices_.end(), worker);
  }

  void renew_map() {
    const auto count = std::max<Index>(1, static_cast<Index>(owners().size()));
    map_ = FanoutMap(grid_ == "auto" ? most_square_grid(count) : parse_grid(grid_));
  }

  int owner(starpu_task* task) {
    const auto& workers = owners();
    if (workers.empty()) return nobody;
    const std::optional<Index> cell = map_.owner(facts_at_submission(task));
    return workers[cell ? *cell % workers.size() : least_loaded(load())];
  }

  std::vector<Count> load() const {
    std::vector<Count> tasks;
    for (const int worker : owners()) {
      tasks.push_back(queue_[worker].waiting + queue_[worker].ready.size());
    }
    return tasks;
  }

  void place(starpu_task* task, int owner, WakeSet& wake) {
    const int worker = executor(task, owner);
    if (worker == nobody) {
      nobodys_.push_back(task);
      return;
    }
    queue_[worker].ready.push(task, rank(*task));
    wake.set(static_cast<std::size_t>(worker));
    if (!steal_) return;
    for (const auto* workers : {&cells_, &devices_}) {
      for (const int other : *workers) wake.set(static_cast<std::size_t>(other));
    }
  }

  /// Returns a device where the task is large and fits; else the owner; where that one cannot
  /// execute the task, the next worker who can.
  int executor(starpu_task* task, int owner) {
    if (const int device = device_for(task); device != nobody) return device;
    std::vector<int> candidates;
    const auto at = std::find(cells_.begin(), cells_.end(), owner);
    candidates.insert(candidates.end(), at, cells_.end());
    candidates.insert(candidates.end(), cells_.begin(), at);
    candidates.insert(candidates.end(), devices_.begin(), devices_.end());
    const auto first = std::find_if(candidates.begin(), candidates.end(),
                                    [&](int worker) { return can_execute(worker, task); });
    return first == candidates.end() ? nobody : *first;
  }

  int device_for(starpu_task* task) {
    if (devices_.empty()) return nobody;
    const TaskFacts facts = facts_at_submission(task);
    if (!is_for_device(facts, thresholds_)) return nobody;
    const int device = devices_[device_of(facts, static_cast<Index>(devices_.size()))];
    if (!can_execute(device, task)) return nobody;
    if (fits(task, starpu_worker_get_memory_node(static_cast<unsigned>(device)))) return device;
    if (fail_on_full_) facts.device_budget->exceeded = true;
    return nobody;
  }

  bool fits(starpu_task* task, unsigned node) {
    if (device_memory_ == DeviceMemory::unlimited) return true;
    std::vector<DeviceMemory::Piece> pieces;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
      const starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(task, i);
      pieces.push_back({data, static_cast<Count>(starpu_data_get_size(data))});
    }
    return memory_.try_emplace(node, device_memory_).first->second.admit(pieces);
  }

  double rank(const starpu_task& task) {
    if (order_ == "priority") return task.priority;
    return order_ == "lifo" ? ++pushed_ : 0;
  }

  /// Takes a task of the worker with the most ready ones that has one for the thief. Devices with
  /// little memory keep to what fits.
  starpu_task* steal(int thief) {
    if (is_device(thief) && device_memory_ != DeviceMemory::unlimited) return nullptr;
    std::vector<int> victims = cells_;
    victims.insert(victims.end(), devices_.begin(), devices_.end());
    std::stable_sort(victims.begin(), victims.end(), [this](int a, int b) {
      return queue_[a].ready.size() > queue_[b].ready.size();
    });
    for (const int victim : victims) {
      if (starpu_task* const task = queue_[victim].ready.pop_for(thief)) return task;
    }
    return nullptr;
  }

  const PolicySettings settings_ = policy_settings("fanout");
  const std::string grid_ = settings_.text("grid");
  const std::string order_ = settings_.text("ready_order");
  const bool steal_ = settings_.number("steal") != 0;
  const DeviceThresholds thresholds_ = device_thresholds(settings_);
  const double device_memory_ = settings_.number("device_memory", DeviceMemory::unlimited);
  const bool fail_on_full_ = settings_.text("on_device_full") == "fail";

  std::vector<int> cells_;
  std::vector<int> devices_;
  std::unordered_map<unsigned, DeviceMemory> memory_;  ///< by memory node
  FanoutMap map_{BlockGrid{}};
  std::vector<Queue> queue_{STARPU_NMAXWORKERS};  ///< by worker
  std::vector<starpu_task*> nobodys_;             ///< ready, but no worker here can execute them
  double pushed_ = 0;
};

}  // namespace

const starpu_sched_policy fanout_policy =
    adapt<Fanout>("fanout", "each task on the worker that owns the block it writes");

}  // namespace espalier::internal
