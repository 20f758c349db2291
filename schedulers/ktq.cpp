// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/ktq.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "schedulers/kernel_queues.hpp"
#include "schedulers/level_policy.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/task_facts.hpp"
#include "schedulers/worker_groups.hpp"

namespace espalier::internal {

namespace {

/// Work that was submitted and has not begun, in seconds. Tasks of unknown length count as 0.
class WorkLeft {
 public:
  void add(const TaskFacts& facts) { seconds_ += seconds_at_submission(facts); }
  void take(const TaskFacts& facts) {
    seconds_ = std::max(0.0, seconds_ - seconds_at_submission(facts));
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 0;
};

/// Detects the start of StarPU. Policies can create combined workers only then, and only in
/// StarPU's initial context.
class StartOfStarpu {
 public:
  bool happens_in(unsigned context) {
    constexpr unsigned initial_context = 0;
    return context == initial_context && !std::exchange(over_, true);
  }

 private:
  bool over_ = false;
};

/// The policy without partitions: all workers share the queues.
class KernelTaskQueues final : public Policy {
 public:
  void add_worker(int worker) override { all_.workers.set(static_cast<std::size_t>(worker)); }

  void workers_added(unsigned context) override {
    all_.gang.assemble(cpu_workers_of(all_.workers), start_.happens_in(context));
  }

  void remove_worker(int worker, WakeSet& wake) override {
    all_.workers.reset(static_cast<std::size_t>(worker));
    queues_.leave(worker);
    all_.gang.assemble(cpu_workers_of(all_.workers), false);
    wake |= all_.workers;
  }

  void submitted(starpu_task* task) override { left_.add(facts_at_submission(task)); }

  void push(starpu_task* task, WakeSet& wake) override {
    queues_.push(task, facts_of(task), left_.seconds(), wake);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    starpu_task* const task = queues_.pop(worker, left_.seconds());
    if (task != nullptr) left_.take(facts_at_submission(task));
    return task;
  }

 private:
  const KernelQueueSettings settings_{policy_settings("ktq")};
  WorkerGroup all_;
  KernelQueues queues_{settings_, all_};
  StartOfStarpu start_;
  WorkLeft left_;
};

struct GroupsStage {
  GroupsOfPartitions groups;
  std::map<int, KernelQueues> queues{};  ///< by group
  Count ready = 0;
};

/// The policy with partitions, as in swCholesky: kernel task queues inside the w-partitions of an
/// H-level set. Each w-partition is done by one group of workers, with a barrier after each
/// l-partition. Devices are dealt out to the groups in turn.
class PartitionedTaskQueues final : public PartitionPolicy<GroupsStage> {
 public:
  void workers_added(unsigned context) override {
    regroup(start_.happens_in(context));
    to_wake_ = workers();
  }

  void remove_worker(int worker, WakeSet& wake) override {
    LevelPolicy::remove_worker(worker, wake);
    regroup(false);
  }

  void submitted(starpu_task* task) override {
    LevelPolicy::submitted(task);
    const TaskFacts facts = facts_at_submission(task);
    left_[place_of(facts)].add(facts);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    const Count level = arrive(facts);
    GroupsStage& stage = stages()[level];
    ++stage.ready;
    WakeSet found;
    enter(stage, task, facts, found);
    if (barrier().allows(level)) wake |= found;
  }

  starpu_task* pop(int worker, WakeSet& wake) override {
    wake |= std::exchange(to_wake_, {});
    auto* const lowest = open_stage();
    if (lowest == nullptr) return nullptr;
    const auto queues = lowest->second.queues.find(group_of_[static_cast<std::size_t>(worker)]);
    if (queues == lowest->second.queues.end()) return nullptr;
    starpu_task* const task = queues->second.pop(worker, left_for_a_group(lowest->first));
    if (task == nullptr) return nullptr;
    start(*lowest, worker);
    const TaskFacts facts = facts_at_submission(task);
    left_[place_of(facts)].take(facts);
    return task;
  }

 private:
  using Place = std::pair<Index, Index>;  ///< l-partition and w-partition, -1 if unknown

  static Place place_of(const TaskFacts& facts) { return {facts.l_partition, facts.w_partition}; }

  /// Returns the work left before the next barrier, in seconds per group.
  double left_for_a_group(Count l_partition) const {
    double seconds = 0;
    for (const auto& [place, left] : left_) {
      if (place.first == l_partition) seconds += left.seconds();
    }
    return seconds / static_cast<double>(groups_.size());
  }

  void enter(GroupsStage& stage, starpu_task* task, const TaskFacts& facts, WakeSet& wake) {
    const auto groups = static_cast<Index>(groups_.size());
    const int group =
        stage.groups.choose(facts.w_partition, able(task), groups, seconds_or_estimate(facts));
    const double share = facts.w_partition < 0 ? 1.0 / groups : 1;
    WorkerGroup& workers = *groups_[static_cast<std::size_t>(group)];
    stage.queues.try_emplace(group, settings_, workers)
        .first->second.push(task, facts, left_[place_of(facts)].seconds() * share, wake);
  }

  std::vector<int> able(starpu_task* task) const {
    std::vector<int> able;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const WakeSet& members = groups_[group]->workers;
      for (std::size_t w = members._Find_first(); w < members.size(); w = members._Find_next(w)) {
        if (!can_execute(static_cast<int>(w), task)) continue;
        able.push_back(static_cast<int>(group));
        break;
      }
    }
    return able;
  }

  /// Divides the present workers into groups, and the waiting tasks among the groups.
  void regroup(bool starts) {
    std::vector<std::pair<GroupsStage*, starpu_task*>> waiting;
    for (auto& [level, stage] : stages()) {
      for (auto& [group, queues] : stage.queues) {
        for (starpu_task* const task : queues.drain()) waiting.emplace_back(&stage, task);
      }
      stage.queues.clear();
    }
    make_groups(starts);
    WakeSet everybody;  // ignored, because the caller wakes all workers
    for (const auto& [stage, task] : waiting) {
      enter(*stage, task, facts_at_submission(task), everybody);
    }
  }

  void make_groups(bool starts) {
    auto divided = worker_groups(cpu_workers_of(workers()), most_groups_);
    if (divided.empty()) divided.emplace_back();
    std::size_t turn = 0;
    for (std::size_t w = 0; w < workers().size(); ++w) {
      const auto worker = static_cast<int>(w);
      if (workers().test(w) && is_device(worker))
        divided[turn++ % divided.size()].push_back(worker);
    }
    groups_.clear();
    for (const std::vector<int>& members : divided) {
      groups_.push_back(std::make_unique<WorkerGroup>());
      for (const int worker : members) {
        groups_.back()->workers.set(static_cast<std::size_t>(worker));
        group_of_[static_cast<std::size_t>(worker)] = static_cast<int>(groups_.size()) - 1;
      }
      groups_.back()->gang.assemble(cpu_workers_of(groups_.back()->workers), starts);
    }
  }

  const PolicySettings options_ = policy_settings("ktq");
  const KernelQueueSettings settings_{options_};
  /// 0: one group per domain
  const Index most_groups_ = static_cast<Index>(options_.number("groups"));
  std::vector<std::unique_ptr<WorkerGroup>> groups_;
  WakeSet to_wake_;  ///< workers to wake in the next pop(), because workers joined and tasks moved
  std::vector<int> group_of_ = std::vector<int>(STARPU_NMAXWORKERS, -1);
  StartOfStarpu start_;
  std::map<Place, WorkLeft> left_;
};

void start_as_asked(unsigned context) noexcept {
  std::unique_ptr<Policy> policy;
  if (policy_settings("ktq").text("partitions") == "hlevelset") {
    policy = std::make_unique<PartitionedTaskQueues>();
  } else {
    policy = std::make_unique<KernelTaskQueues>();
  }
  adaptor::start(context, std::move(policy));
}

starpu_sched_policy made() {
  starpu_sched_policy policy = adapt<KernelTaskQueues>(
      "ktq", "small tasks at once, medium ones in batches, large ones on all workers");
  policy.init_sched = start_as_asked;
  policy.post_exec_hook = Gang::ended;
  return policy;
}

PolicyNeeds ktq_needs(const PolicySettings& settings) {
  PolicyNeeds needs;
  if (settings.text("partitions") == "hlevelset") {
    needs.levels = {static_cast<Index>(settings.number("levels")),
                    static_cast<Index>(settings.number("parts")), count_worker_groups(settings)};
  }
  if (settings.text("fuse") == "1") {
    const double side = settings.number("dpq_size");
    constexpr double unlimited = 9e18;
    needs.fused_entries = static_cast<Count>(std::clamp(side * side, 1.0, unlimited));
  }
  return needs;
}

}  // namespace

/// The default maximum width would leave few tasks for devices.
const OwnPolicy ktq_policy{made(), {.widest_panel = 512, .needs = ktq_needs}};

}  // namespace espalier::internal
