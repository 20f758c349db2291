// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/fanout.hpp"

#include <algorithm>
#include <charconv>
#include <span>
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
#include "schedulers/task_data.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// Reads a grid such as "2x3". The table of options has checked the text.
BlockGrid parse_grid(const std::string& text) {
  BlockGrid grid;
  const char* const end = text.data() + text.size();
  const char* const cross = std::from_chars(text.data(), end, grid.rows).ptr;
  std::from_chars(cross + 1, end, grid.columns);
  return grid;
}

/// Returns the grid of the option `grid` for this number of workers.
BlockGrid grid_of(const std::string& text, Index workers) {
  return text == "auto" ? most_square_grid(workers) : parse_grid(text);
}

class Fanout final : public Policy {
 public:
  void add_worker(int worker) override {
    auto& workers = is_device(worker) ? devices_ : cells_;
    workers.insert(std::upper_bound(workers.begin(), workers.end(), worker), worker);
    renew_map();
    WakeSet unused;  // the new worker asks for a task anyway
    for (starpu_task* const task : std::exchange(nobodys_, {})) place(task, owner(task), unused);
  }

  void remove_worker(int worker, WakeSet& wake) override {
    std::erase(cells_, worker);
    std::erase(devices_, worker);
    renew_map();
    while (starpu_task* const task = queue_[worker].ready.pop()) place(task, owner(task), wake);
  }

  void submitted(starpu_task* task) override {
    note_submitted(task);
    const int worker = owner(task);
    task->sched_data = worker == nobody ? nullptr : &queue_[worker];
    if (worker != nobody) ++queue_[worker].waiting;
  }

  static bool awaits(const starpu_task& task) { return task.sched_data != nullptr; }

  /// Ends a task on a device. If the device is filling up, marks the written data for a copy to the
  /// host, except data that another task there needs. Data can leave the device only after such a
  /// copy.
  void finished(starpu_task* task, WakeSet& wake) override {
    const auto [there, pieces, is_filling] = *static_cast<Admitted*>(task->sched_data);
    task->sched_data = nullptr;
    admitted_.erase(task);
    there->memory.release(pieces);
    for (const int worker : devices_) wake.set(static_cast<std::size_t>(worker));
    if (!is_filling) return;
    auto& homeward = queue_[starpu_worker_get_id_check()].homeward;
    for (unsigned i = 0; i < pieces.size(); ++i) {
      const bool written = (STARPU_TASK_GET_MODE(task, i) & STARPU_W) != 0;
      if (written && !there->memory.is_needed(pieces[i].data)) homeward.push_back(pieces[i].data);
    }
  }

  void push(starpu_task* task, WakeSet& wake) override {
    note_ready(task);
    int worker = nobody;
    if (auto* const queue = static_cast<Queue*>(std::exchange(task->sched_data, nullptr))) {
      --queue->waiting;
      worker = static_cast<int>(queue - queue_.data());
    }
    place(task, is_here(worker) ? worker : owner(task), wake);
  }

  starpu_task* pop(int worker, WakeSet& wake) override {
    for (;;) {
      starpu_task* task = queue_[worker].ready.pop_for(worker);
      if (task == nullptr && steal_) task = steal(worker);
      if (task == nullptr || !is_device(worker) || admit(task, worker)) return task;
      if (is_at_work(task, worker)) {
        queue_[worker].ready.push(task, rank(*task));
        return nullptr;
      }
      if (refuse(task, worker, wake)) continue;
      return task;
    }
  }

  /// Copies and evicts without the lock. The data live long enough, because they belong to the
  /// factor of the task that the worker starts or ends.
  void without_lock(int worker) override {
    Queue& own = queue_[worker];
    for (const void* const data : std::exchange(own.homeward, {})) copy_home(data);
    for (const void* const data : std::exchange(own.leaving, {})) evict(data, memory_of(worker));
  }

 private:
  static constexpr int nobody = -1;

  /// The two queues of a worker: LTQ and RTQ (symPACK, section 3.4).
  struct Queue {
    Count waiting = 0;  ///< submitted, but not ready
    ReadyHeap ready;
    // Used by the worker only:
    std::vector<const void*> leaving;   ///< data that must leave the device
    std::vector<const void*> homeward;  ///< data to copy to the host
  };
  using OnDevice = DeviceBudget::OnDevice;
  /// A task that a device has accepted and not ended.
  struct Admitted {
    OnDevice* there;
    std::vector<DeviceMemory::Piece> pieces;
    bool is_filling;  ///< more than half of the allowed memory is used
  };

  /// Returns the owners of tasks: the CPU workers, or the workers of devices if there are no CPU
  /// workers.
  const std::vector<int>& owners() const { return cells_.empty() ? devices_ : cells_; }

  bool is_here(int worker) const {
    return std::binary_search(cells_.begin(), cells_.end(), worker) ||
           std::binary_search(devices_.begin(), devices_.end(), worker);
  }

  void renew_map() {
    const auto count = std::max<Index>(1, static_cast<Index>(owners().size()));
    map_ = FanoutMap(grid_of(grid_, count));
    device_map_ = DeviceMap(std::max<Index>(1, static_cast<Index>(devices_.size())));
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
    place_on(executor(task, owner), task, wake);
  }

  void place_on(int worker, starpu_task* task, WakeSet& wake) {
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

  /// Returns a device if the option `thresholds` sends the task to one. Else returns the owner, or
  /// the next worker that can execute the task.
  int executor(starpu_task* task, int owner) {
    const int device = device_for(task);
    return device != nobody ? device : executor_by_owner(task, owner);
  }

  int executor_by_owner(starpu_task* task, int owner) const {
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
    const TaskFacts facts = facts_of(task);
    if (!is_for_device(facts, thresholds_)) return nobody;
    const int device = devices_[device_map_.device(facts)];
    return can_execute(device, task) ? device : nobody;
  }

  static unsigned memory_of(int worker) {
    return starpu_worker_get_memory_node(static_cast<unsigned>(worker));
  }

  static MemoryState state_of(unsigned memory) {
    const starpu_ssize_t total = starpu_memory_get_total(memory);
    if (total < 0) return {};
    return {static_cast<double>(total), static_cast<double>(starpu_memory_get_used(memory))};
  }

  /// Returns the bytes that the data of a factor may occupy on a device. The next task needs
  /// `pieces` there. If they fit into this limit, asks the device to allocate the missing ones. If
  /// the device refuses, the limit becomes the bytes of the factor's data that the device holds
  /// now, because other processes may use memory that counts as free.
  double allowed_bytes(std::span<const DeviceMemory::Piece> pieces, unsigned memory,
                       OnDevice& there) {
    const double allowed =
        std::min(there.found,
                 bytes_allowed_on_device(device_memory_, state_of(memory), there.memory.bytes()));
    const auto coming = missing(pieces, memory);
    double wanted = static_cast<double>(there.memory.bytes());
    for (const auto& piece : coming) wanted += static_cast<double>(piece.bytes);
    if (wanted > allowed || can_allocate(coming, memory)) return allowed;
    return there.found = static_cast<double>(there.memory.bytes());
  }

  /// Returns whether the data of a task fit into the memory of its device now, together with the
  /// data of running tasks. If so, reserves the memory. Tasks of other programs are always
  /// admitted.
  bool admit(starpu_task* task, int worker) {
    DeviceBudget* const budget = facts_at_submission(task).device_budget;
    if (budget == nullptr) return true;
    const unsigned memory = memory_of(worker);
    OnDevice& there = budget->on_device[memory];
    auto pieces = pieces_of(task);
    const double allowed = allowed_bytes(pieces, memory, there);
    const bool fits = there.memory.admit(pieces, allowed, [&](const void* data) {
      if (!can_evict(data, memory)) return false;
      there.leaving.push_back(data);
      return true;
    });
    if (!fits) return false;
    for (const auto& piece : pieces) std::erase(there.leaving, piece.data);
    queue_[worker].leaving = std::exchange(there.leaving, {});
    const bool is_filling = 2.0 * static_cast<double>(there.memory.bytes()) > allowed;
    Admitted admitted{&there, std::move(pieces), is_filling};
    task->sched_data = &admitted_.insert_or_assign(task, std::move(admitted)).first->second;
    return true;
  }

  /// Returns whether the device runs tasks of the same factor. When they end, the task may fit.
  static bool is_at_work(starpu_task* task, int worker) {
    const auto& on_device = facts_at_submission(task).device_budget->on_device;
    return on_device.at(memory_of(worker)).memory.needed() > 0;
  }

  /// Gives a task that does not fit to another worker. Returns false if only this worker can
  /// execute it.
  bool refuse(starpu_task* task, int worker, WakeSet& wake) {
    if (fail_on_full_) facts_at_submission(task).device_budget->exceeded = true;
    const int other = executor_by_owner(task, owner(task));
    if (other == worker) return false;
    place_on(other, task, wake);
    return true;
  }

  double rank(const starpu_task& task) {
    if (order_ == "priority") return task.priority;
    return order_ == "lifo" ? ++pushed_ : 0;
  }

  /// Returns a ready task of another worker that the thief can execute, or null. Tries the workers
  /// with the most ready tasks first. Devices with a memory limit do not steal.
  starpu_task* steal(int thief) {
    if (is_device(thief) && device_memory_ >= 0) return nullptr;
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
  const double device_memory_ = settings_.number("device_memory", -1);  ///< negative: automatic
  const bool fail_on_full_ = settings_.text("on_device_full") == "fail";

  std::vector<int> cells_;
  std::vector<int> devices_;
  std::unordered_map<const starpu_task*, Admitted> admitted_;
  FanoutMap map_{BlockGrid{}};
  DeviceMap device_map_{1};
  std::vector<Queue> queue_{STARPU_NMAXWORKERS};  ///< by worker
  std::vector<starpu_task*> nobodys_;  ///< ready tasks that no current worker can execute
  double pushed_ = 0;
};

/// Workers of devices are owners only if there are no CPU workers, and then tasks are not batched.
PolicyNeeds fanout_needs(const PolicySettings& settings) {
  PolicyNeeds needs;
  const auto workers = static_cast<Index>(starpu_cpu_worker_get_count());
  if (settings.text("join") == "1" && workers > 0) {
    needs.owners = grid_of(settings.text("grid"), workers);
  }
  return needs;
}

}  // namespace

const OwnPolicy fanout_policy{
    adapt<Fanout>("fanout", "each task on the worker that owns the block it writes"),
    {.devices = DeviceUse::threshold, .needs = fanout_needs}};

}  // namespace espalier::internal
