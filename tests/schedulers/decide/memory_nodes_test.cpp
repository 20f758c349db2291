// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/memory_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace espalier::internal {
namespace {

TEST(SecondsToEnd, AreThoseOfWhatIsBeforeTheTaskOfItsCopiesAndOfItself) {
  const NodeLoad idle{.workers = 2, .busy = 1, .begun = 8};
  EXPECT_DOUBLE_EQ(seconds_to_end(idle, {3, 1}, false), 3 + 3 * 1) << "copies count three times";
  EXPECT_DOUBLE_EQ(seconds_to_end(idle, {3, 1, counted_to_stay}, false), 3 + 1);
  const NodeLoad busy{.workers = 2, .busy = 2, .begun = 8, .waiting = 6};
  EXPECT_DOUBLE_EQ(seconds_to_end(busy, {3, 1}, false), (4 + 6) / 2.0 + 6);
  EXPECT_DOUBLE_EQ(seconds_to_end(busy, {3, 1}, true), 4 / 2.0 + 6) << "goes before waiting tasks";
  const NodeLoad ahead{.workers = 2, .busy = 2, .begun = 8, .waiting = 6, .sooner = 2};
  EXPECT_DOUBLE_EQ(seconds_to_end(ahead, {3, 1}, true), (4 + 2) / 2.0 + 6)
      << "except for one that goes before";
}

TEST(FirstToEnd, IsTheSideThatIsFastOrHasTheDataOrIsLessBusy) {
  const std::array<NodeLoad, 2> idle{{{.workers = 1}, {.workers = 1}}};
  const auto chosen = [](const auto& sides, std::array<NodeCost, 2> costs, bool urgent = false) {
    return first_to_end(sides, costs, urgent);
  };
  EXPECT_EQ(chosen(idle, {{{2, 0}, {1, 0}}}), 1) << "fast";
  EXPECT_EQ(chosen(idle, {{{2, 0}, {1, 0.5}}}), 0) << "the copy takes too long";
  EXPECT_EQ(chosen(idle, {{{2, 1}, {2, 0}}}), 1) << "the data are on the second memory node";
  EXPECT_EQ(chosen(idle, {{{2, 0}, {2, 0}}}), 0) << "the first of equal ones";
  EXPECT_EQ(chosen(idle, {{{2, 0}, {}}}), 0) << "cannot run there";
  EXPECT_EQ(chosen(idle, {{{}, {}}}), -1);
  const std::array<NodeLoad, 2> loaded{{{.workers = 1}, {.workers = 1, .busy = 1, .waiting = 5}}};
  EXPECT_EQ(chosen(loaded, {{{4, 0}, {1, 0}}}), 0) << "5 seconds wait for the fast side";
  EXPECT_EQ(chosen(loaded, {{{4, 0}, {1, 0}}}, true), 1)
      << "an urgent task does not wait for these 5 seconds";
  const std::array<NodeLoad, 2> gone{{{.workers = 0}, {.workers = 1, .waiting = 50}}};
  EXPECT_EQ(chosen(gone, {{{1, 0}, {1, 0}}}), 1) << "the first side has no workers";
}

TEST(TasksTakenOver, AreEndedBeforeTheirSideIsDone) {
  const NodeLoad other{.workers = 1, .busy = 1, .begun = 2, .waiting = 6};
  EXPECT_TRUE(takes_over({6, 0.25}, other, {2, 0}, false)) << "7 seconds on the other memory node";
  EXPECT_FALSE(takes_over({4, 1}, other, {2, 0}, false)) << "equally long with the copies";
  EXPECT_FALSE(takes_over({6, 0.25}, other, {2, 0}, true))
      << "urgent, so 3 seconds on the other memory node";
  EXPECT_TRUE(takes_over({2.9, 0}, other, {2, 0}, true));
  EXPECT_FALSE(takes_over({}, other, {}, false)) << "cannot run here";
  EXPECT_TRUE(takes_over({9, 9}, other, {}, false)) << "cannot run there";
}

TEST(TasksTakenOver, SpareTheirSideMoreThanTheCopiesWhereTheyHaveTime) {
  EXPECT_TRUE(spares({9, 1}, {2, 0}));
  EXPECT_FALSE(spares({9, 2}, {2, 0}));
  EXPECT_FALSE(spares({}, {2, 0})) << "cannot run here";
  EXPECT_FALSE(spares({9, 1}, {})) << "cannot run there; takes_over() handles this";
}

/// Simulated outcome for independent tasks that take one second on the host's worker and
/// `device_seconds` on the device's worker.
struct Outcome {
  int on_device = 0;
  double end = 0;
};

Outcome run(int tasks, double device_seconds) {
  const std::array<NodeCost, 2> cost{{{1, 0}, {device_seconds, 0}}};
  std::array<NodeLoad, 2> side{{{.workers = 1}, {.workers = 1}}};
  std::array<int, 2> waiting{};
  for (int task = 0; task < tasks; ++task) {
    const Index s = first_to_end(side, cost, false);
    ++waiting[s];
    side[s].waiting += cost[s].seconds;
  }
  std::array<double, 2> free_from{};
  Outcome outcome;
  const auto begin = [&](int s, double now) {
    const int from = waiting[s] > 0 ? s : 1 - s;
    side[s].busy = 0;
    side[s].begun = 0;
    if (waiting[from] == 0) return false;
    if (from != s && !takes_over(cost[s], side[from], cost[from], false)) return false;
    --waiting[from];
    side[from].waiting -= cost[from].seconds;
    side[s].busy = 1;
    side[s].begun = cost[s].seconds;
    free_from[s] = now + cost[s].seconds;
    outcome.end = std::max(outcome.end, free_from[s]);
    outcome.on_device += s;
    return true;
  };
  while (waiting[0] + waiting[1] > 0) {
    const int next = free_from[0] <= free_from[1] ? 0 : 1;
    const double now = free_from[next];
    if (!begin(next, now)) free_from[next] = std::max(now, free_from[1 - next]) + 1e-9;
  }
  return outcome;
}

/// The faster a device is, the more tasks it gets. No task on the device delays the end.
TEST(Devices, HaveTasksByTheirSpeed) {
  constexpr int tasks = 120;
  int before = std::numeric_limits<int>::max();
  for (const double seconds : {0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    const Outcome outcome = run(tasks, seconds);
    EXPECT_LT(outcome.on_device, before) << seconds;
    before = outcome.on_device;
    const double both = tasks / (1 + 1 / seconds);
    EXPECT_LE(outcome.end, both + std::max(1.0, seconds)) << seconds;
    EXPECT_NEAR(outcome.on_device, both / seconds, 2) << seconds;
  }
  EXPECT_EQ(run(tasks, 1000).on_device, 0);
  EXPECT_LE(run(tasks, 1000).end, tasks + 1e-6);
}

}  // namespace
}  // namespace espalier::internal
