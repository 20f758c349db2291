// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/decide/levelset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace espalier::internal {
namespace {

/// A graph of tasks with their declared levels. Edges point to later tasks.
struct Graph {
  std::vector<std::vector<Index>> successors;
  std::vector<Count> level;  ///< declared level of each task, -1 for none

  Index size() const { return static_cast<Index>(level.size()); }
};

/// Returns a random graph with levels from 0 to `levels`. If they `rise`, no edge leads to a lower
/// level.
Graph random_graph(Index tasks, Count levels, bool rise, std::mt19937_64& random) {
  Graph graph{std::vector<std::vector<Index>>(tasks), std::vector<Count>(tasks)};
  for (Count& level : graph.level) level = static_cast<Count>(random() % levels);
  for (Index t = 1; t < tasks; ++t) {
    for (int edge = 0; edge < 3; ++edge) {
      const auto before = static_cast<Index>(random() % t);
      if (rise && graph.level[before] > graph.level[t]) continue;
      graph.successors[before].push_back(t);
    }
  }
  return graph;
}

/// Returns the length of the longest path to each task, in edges.
std::vector<Count> depths(const Graph& graph) {
  std::vector<Count> depth(graph.level.size(), 0);
  for (Index t = 0; t < graph.size(); ++t) {
    for (const Index next : graph.successors[t]) depth[next] = std::max(depth[next], depth[t] + 1);
  }
  return depth;
}

/// Simulates workers that run a graph under a barrier in random order, as a policy would.
class Workers {
 public:
  struct Start {
    Index task;
    Count level;
    std::vector<Index> ended;  ///< in order of time
  };

  Workers(const Graph& graph, int workers, std::mt19937_64& random)
      : graph_(graph), workers_(workers), random_(random), waits_for_(graph.level.size(), 0) {
    for (const auto& successors : graph.successors) {
      for (const Index next : successors) ++waits_for_[next];
    }
  }

  /// Submits tasks from `begin` to `end`. Earlier tasks may be running.
  void submit(Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      if (graph_.level[t] >= 0) barrier_.submitted(graph_.level[t]);
      submitted_ = t + 1;
      if (waits_for_[t] == 0) push(t, -1);
    }
  }

  /// Lets one worker end its task or request one. Returns false if no worker can do so.
  bool step() {
    std::vector<int> able;
    for (int w = 0; w < workers_; ++w) {
      if (running_.contains(w) || may_start()) able.push_back(w);
    }
    if (able.empty()) return false;
    const int worker = able[random_() % able.size()];
    if (running_.contains(worker)) {
      end(worker);
    } else {
      start(worker);
    }
    return true;
  }

  const std::vector<Start>& starts() const { return starts_; }

 private:
  bool may_start() const { return !ready_.empty() && barrier_.allows(ready_.begin()->first); }

  void push(Index t, int releaser) {
    const Count level = graph_.level[t] >= 0 ? graph_.level[t] : barrier_.unfold(releaser);
    ready_.emplace(level, t);
  }

  void start(int worker) {
    const auto [level, t] = *ready_.begin();
    ready_.erase(ready_.begin());
    starts_.push_back({t, level, ended_});
    running_[worker] = t;
    barrier_.started(worker, level);
  }

  void end(int worker) {
    const Index t = running_[worker];
    ended_.push_back(t);
    for (const Index next : graph_.successors[t]) {
      if (--waits_for_[next] == 0 && next < submitted_) push(next, worker);
    }
    running_.erase(worker);
    barrier_.ended(worker);
  }

  const Graph& graph_;
  int workers_;
  std::mt19937_64& random_;
  std::vector<Index> waits_for_;
  Index submitted_ = 0;
  LevelBarrier barrier_;
  std::multimap<Count, Index> ready_;
  std::map<int, Index> running_;
  std::vector<Index> ended_;
  std::vector<Start> starts_;
};

bool has(const std::vector<Index>& tasks, Index t) {
  return std::find(tasks.begin(), tasks.end(), t) != tasks.end();
}

void expect_each_once(const Workers& workers, const Graph& graph) {
  std::vector<int> starts(graph.level.size(), 0);
  for (const auto& start : workers.starts()) ++starts[start.task];
  EXPECT_EQ(starts, std::vector<int>(graph.level.size(), 1));
}

TEST(LevelBarrier, LetsNoTaskStartBeforeAllOfLowerLevelsHaveEnded) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 30; ++run) {
    const Graph graph = random_graph(60, 1 + run % 7, true, random);
    Workers workers(graph, 1 + run % 4, random);
    workers.submit(0, graph.size());
    while (workers.step()) continue;
    expect_each_once(workers, graph);
    for (const auto& start : workers.starts()) {
      for (Index t = 0; t < graph.size(); ++t) {
        if (graph.level[t] >= start.level) continue;
        EXPECT_TRUE(has(start.ended, t)) << t << " before " << start.task;
      }
    }
  }
}

TEST(LevelBarrier, GivesTasksThatTellNoLevelTheirDepthInTheGraph) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 30; ++run) {
    Graph graph = random_graph(60, 1, true, random);
    std::fill(graph.level.begin(), graph.level.end(), -1);
    const std::vector<Count> depth = depths(graph);
    Workers workers(graph, 1 + run % 4, random);
    workers.submit(0, graph.size());
    while (workers.step()) continue;
    expect_each_once(workers, graph);
    for (const auto& start : workers.starts()) {
      EXPECT_EQ(start.level, depth[start.task]);
      for (Index t = 0; t < graph.size(); ++t) {
        if (depth[t] >= start.level) continue;
        EXPECT_TRUE(has(start.ended, t)) << t << " before " << start.task;
      }
    }
  }
}

/// Some edges lead to lower levels, and some tasks are submitted while others run.
TEST(LevelBarrier, NeverStopsAGraph) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 60; ++run) {
    Graph graph = random_graph(60, 5, run % 2 == 0, random);
    for (Count& level : graph.level) {
      if (run % 3 == 0 && random() % 2 == 0) level = -1;
    }
    Workers workers(graph, 1 + run % 4, random);
    for (Index t = 0; t < graph.size(); t += 10) {
      workers.submit(t, t + 10);
      for (auto steps = random() % 15; steps > 0 && workers.step(); --steps) continue;
    }
    while (workers.step()) continue;
    expect_each_once(workers, graph);
  }
}

TEST(LevelBarrier, TellsWhenOthersMayStart) {
  LevelBarrier barrier;
  for (const Count level : {0, 0, 0, 1}) barrier.submitted(level);
  barrier.started(0, 0);
  barrier.started(1, 0);
  EXPECT_FALSE(barrier.allows(1));
  EXPECT_FALSE(barrier.ended(0)) << "two other tasks of level 0 will come";
  EXPECT_FALSE(barrier.ended(0)) << "it has no task";
  EXPECT_TRUE(barrier.ended(1)) << "no task runs, so all ready tasks may start";
  EXPECT_TRUE(barrier.allows(1));
  barrier.started(0, 0);
  EXPECT_FALSE(barrier.allows(1));
  EXPECT_TRUE(barrier.is_open(0));
  EXPECT_TRUE(barrier.ended(0));
  EXPECT_FALSE(barrier.is_open(0));
  barrier.started(1, 1);
  EXPECT_TRUE(barrier.allows(1));
}

}  // namespace
namespace {

constexpr std::array two_workers{0, 1};

std::optional<Index> choice(const WPartitions& parts, int worker) {
  return parts.choose(worker, [](Index) { return true; });
}

TEST(WPartitions, BelongToWhoeverTakesTheirFirstTask) {
  WPartitions parts;
  parts.arrive(5);
  parts.arrive(5);
  EXPECT_EQ(choice(parts, 0), 5);
  EXPECT_EQ(choice(parts, 1), 5);
  parts.take(5, 1);
  EXPECT_EQ(choice(parts, 0), std::nullopt);
  EXPECT_EQ(choice(parts, 1), 5);
  parts.take(5, 1);
  EXPECT_EQ(choice(parts, 1), std::nullopt) << "nothing is ready";
  parts.arrive(5);
  EXPECT_EQ(choice(parts, 0), std::nullopt) << "even if it was empty before";
}

TEST(WPartitions, OfAWorkerComeBeforeThoseOfNobody) {
  WPartitions parts;
  parts.arrive(1);
  parts.take(1, 0);
  parts.arrive(0);
  EXPECT_EQ(choice(parts, 0), 0) << "no task that it owns is ready";
  parts.arrive(1);
  EXPECT_EQ(choice(parts, 0), 1);
  EXPECT_EQ(choice(parts, 1), 0);
}

TEST(WPartitions, OfAWorkerThatLeavesAreAnybodys) {
  WPartitions parts;
  parts.arrive(3);
  parts.take(3, 0);
  parts.arrive(3);
  parts.leave(1);
  EXPECT_EQ(choice(parts, 1), std::nullopt);
  parts.leave(0);
  EXPECT_EQ(choice(parts, 1), 3);
}

TEST(WPartitions, DealOutSingleTasksByPredictedSeconds) {
  WPartitions parts;
  const Index first = parts.arrive_alone(two_workers, 3.0);
  const Index second = parts.arrive_alone(two_workers, 1.0);
  EXPECT_NE(first, second);
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.5), second) << "1 is less than 3";
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.0), second) << "2.5 is less than 3";
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.0), first) << "3.5 is more than 3";
  EXPECT_EQ(choice(parts, 0), first);
  EXPECT_EQ(choice(parts, 1), second);
}

TEST(WPartitions, DealOutSingleTasksOnlyToWhoCanExecuteThem) {
  WPartitions parts;
  constexpr std::array only_one{1};
  for (int task = 0; task < 3; ++task) {
    parts.arrive_alone(only_one, 1.0);
    EXPECT_EQ(choice(parts, 0), std::nullopt);
    EXPECT_TRUE(choice(parts, 1).has_value());
  }
}

TEST(WPartitions, LeaveTasksThatNobodyCanExecuteToWhoeverCanLater) {
  WPartitions parts;
  const Index number = parts.arrive_alone({}, 1.0);
  parts.arrive_alone({}, 1.0);
  EXPECT_EQ(choice(parts, 0), number);
  parts.take(number, 1);
  EXPECT_EQ(choice(parts, 0), number);
}

TEST(WPartitions, WithoutATaskForTheWorkerArePassedOver) {
  WPartitions parts;
  parts.arrive(4);
  parts.take(4, 0);
  for (const Index number : {2, 3, 4}) parts.arrive(number);
  std::vector<Index> asked;
  const auto chosen = parts.choose(0, [&](Index number) {
    asked.push_back(number);
    return number == 3;
  });
  EXPECT_EQ(chosen, 3);
  EXPECT_EQ(asked, (std::vector<Index>{4, 2, 3}));
}

/// Tasks arrive and are taken at random. Each partition has one worker, and no task is left over.
TEST(WPartitions, KeepOneWorkerEachInAnyOrder) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 50; ++run) {
    WPartitions parts;
    std::map<Index, int> owner;
    int to_come = 100;
    for (int left = 100; left > 0;) {
      if (to_come > 0 && random() % 2 == 0) {
        parts.arrive(static_cast<Index>(random() % 6));
        --to_come;
      }
      const int worker = static_cast<int>(random() % 3);
      const auto part = choice(parts, worker);
      if (!part) continue;
      EXPECT_EQ(owner.try_emplace(*part, worker).first->second, worker) << "partition " << *part;
      parts.take(*part, worker);
      --left;
    }
    for (int worker = 0; worker < 3; ++worker) EXPECT_FALSE(choice(parts, worker).has_value());
  }
}

TEST(GroupsOfPartitions, AreDealtTheWPartitionsEvenly) {
  GroupsOfPartitions groups;
  const std::array<int, 3> able{0, 1, 2};
  for (Index part = 0; part < 9; ++part) EXPECT_EQ(groups.choose(part, able, 3, 1), part % 3);
}

TEST(GroupsOfPartitions, ShareOutWhatTellsNoWPartitionByItsSeconds) {
  GroupsOfPartitions groups;
  const std::array<int, 3> able{0, 1, 2};
  EXPECT_EQ(groups.choose(-1, able, 3, 5), 0);
  EXPECT_EQ(groups.choose(-1, able, 3, 1), 1);
  EXPECT_EQ(groups.choose(-1, able, 3, 3), 2);
  EXPECT_EQ(groups.choose(-1, able, 3, 1), 1);
  const std::array<int, 2> others{0, 2};
  EXPECT_EQ(groups.choose(4, others, 3, 1), 2) << "group 1 cannot execute it";
  EXPECT_EQ(groups.choose(4, {}, 3, 1), 0);
}

}  // namespace
}  // namespace espalier::internal
