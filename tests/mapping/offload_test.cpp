// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/offload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::NamedStructure;
using support::sample_structures;
using Rule = HaloDivision::Rule;

double sum(std::span<const double> seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double longer_side(std::span<const double> host, std::span<const double> devices, Index split) {
  return std::max(sum(host.first(split)), sum(devices.subspan(split)));
}

TEST(Mdwin, FindsTheShortestOfAllSplits) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> seconds(0.01, 1);
  for (Index columns = 0; columns < 40; ++columns) {
    std::vector<double> host(columns);
    std::vector<double> devices(columns);
    for (double& s : host) s = 3 * seconds(random);
    for (double& s : devices) s = seconds(random);
    for (const Index kept : {0, 1, 3}) {
      const Index split = mdwin(host, devices, kept);
      ASSERT_GE(split, std::min(kept, columns));
      ASSERT_LE(split, columns);
      double best = longer_side(host, devices, columns);
      for (Index s = std::min(kept, columns); s < columns; ++s) {
        best = std::min(best, longer_side(host, devices, s));
      }
      EXPECT_NEAR(longer_side(host, devices, split), best, 1e-12);
    }
  }
}

TEST(Mdwin, BalancesEqualColumnsByTheSpeedOfBothSides) {
  const std::vector<double> host(100, 3.0);
  const std::vector<double> devices(100, 1.0);
  EXPECT_EQ(mdwin(host, devices, 1), 25);
}

TEST(Mdwin, LeavesAllToAHostThatIsFasterThanAnyDeviceColumn) {
  const std::vector<double> host(10, 1e-3);
  const std::vector<double> devices(10, 1.0);
  EXPECT_EQ(mdwin(host, devices, 1), 10);
}

/// Returns a cost in which the time of an update is proportional to its operations.
KernelCost cost_at(double rate) {
  KernelCost cost;
  cost.rate = rate;
  cost.half_width = cost.call = cost.scattered = 0;
  return cost;
}

/// Calls visit(structure, cut) for samples with and without subtrees.
template <class Visit>
void for_each_cut(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    const std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
    for (const double share : {0.0, 0.05}) {
      SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share));
      visit(sample.symbolic, cut_subtrees(sample.symbolic, seconds, share * sum(seconds)));
      if (testing::Test::HasFailure()) return;
    }
  }
}

OffloadPlan plan(const PanelStructure& structure, const SubtreeCut& cut,
                 const OffloadOptions& options, double speedup = 2) {
  return plan_offload(structure, cut, cost_at(1e9), cost_at(speedup * 1e9), options);
}

/// Returns the allocated bytes of shadows: the rows that updates on the device touch.
Count shadow_bytes(const PanelStructure& structure, const OffloadPlan& plan, Index device) {
  Count bytes = 0;
  UpdatedRows updated(structure, plan.own);
  for (Index p = 0; p < structure.panels(); ++p) {
    if (plan.device[p] != device) continue;
    const auto rows = updated.of(
        p, [&](Index source, Count block) { return plan.on_device(structure, source, block); });
    bytes += Count{8} * structure.width(p) * std::ssize(rows);
  }
  return bytes;
}

/// Returns whether updates of a panel can run on a device: updates by blocks other than the first
/// off-diagonal block of their panel.
bool may_have_a_shadow(const PanelStructure& s, const SubtreeCut& cut, Index k) {
  for (Count f = s.facing_begin[k]; f < s.facing_begin[k + 1]; ++f) {
    const Index source = s.facing_source[f];
    if (cut.group_of[source] < 0 && s.facing_block[f] > s.block_begin[source] + 1) return true;
  }
  return false;
}

TEST(OffloadPlan, LeavesTheNextPanelAndSubtreesToTheHost) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    for (const Rule rule : {Rule::mdwin, Rule::paper, Rule::static0, Rule::static1}) {
      const OffloadPlan made = plan(s, cut, {.division = {rule, 1}});
      for (Index p = 0; p < s.panels(); ++p) {
        const Count next = s.block_begin[p] + 1;
        EXPECT_FALSE(next < s.block_begin[p + 1] && made.on_device(s, p, next));
        EXPECT_TRUE(cut.group_of[p] < 0 || made.first[p] == s.block_begin[p + 1]);
      }
    }
  });
}

TEST(OffloadPlan, CountsTheFlopsOfBothSides) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan nothing = plan(s, cut, {.division = {Rule::static0, 0}});
    EXPECT_EQ(nothing.flops, 0);
    const OffloadPlan balanced = plan(s, cut, {});
    EXPECT_EQ(balanced.total, nothing.total);
    EXPECT_LE(balanced.flops, balanced.total);
    EXPECT_EQ(balanced.flops, balanced.unlimited);
  });
}

TEST(OffloadPlan, OffloadsMoreToFasterDevices) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan slow = plan(s, cut, {}, 0.2);
    const OffloadPlan fast = plan(s, cut, {}, 20);
    EXPECT_LE(slow.flops, fast.flops);
  });
}

TEST(OffloadPlan, OffloadsMoreWhereUpdatesOnTheHostCountMore) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    double before = 0;
    for (const double load : {0.25, 1.0, 4.0, 1e9}) {
      const OffloadPlan made = plan(s, cut, {.load = load});
      EXPECT_GE(made.flops, before);
      before = made.flops;
    }
    EXPECT_EQ(before, plan(s, cut, {.division = {Rule::static0, 1}}).flops);
  });
}

TEST(OffloadPlan, CountsWhatTasksAndCopiesCost) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    DeviceTable costs;
    costs.task = 1e-9;
    costs.to.byte = 1e-12;
    const auto flops = [&] {
      return plan(s, cut, {.costs = std::make_shared<DeviceTable>(costs)}).flops;
    };
    double before = plan(s, cut, {}).flops;
    for (int step = 0; step < 12; ++step) {
      const double now = flops();
      EXPECT_LE(now, before);
      before = now;
      costs.task *= 10;
      costs.to.byte *= 10;
    }
    EXPECT_EQ(before, 0);
  });
}

TEST(OffloadPlan, TakesTheShareOfColumnsThatIsAskedFor) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const OffloadPlan made = plan(s, cut, {.division = {Rule::static0, share}});
      for (Index p = 0; p < s.panels(); ++p) {
        const Count next = s.block_begin[p] + 1;
        if (cut.group_of[p] >= 0 || made.first[p] <= next + 1) continue;
        const auto rows_from = [&](Count b) {
          return b < s.block_begin[p + 1] ? s.height(p) - s.block[b].row_offset : 0;
        };
        const double wanted = share * (s.height(p) - s.width(p));
        const double half = (rows_from(made.first[p]) - rows_from(made.first[p] + 1)) / 2.0;
        EXPECT_LE(rows_from(made.first[p]), wanted + half);
        EXPECT_GE(rows_from(made.first[p] - 1), wanted);
      }
    }
  });
}

TEST(OffloadPlan, LeavesWholePanelsToTheHostBelowTheCutOffs) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan all = plan(s, cut, {.division = {Rule::static0, 0.5}});
    for (const HaloDivision::CutOffs off : {HaloDivision::CutOffs{0, 0, 0},
                                            {12, 0, 0},
                                            {0, 12, 0},
                                            {0, 0, 6},
                                            {12, 9, 6},
                                            {512, 512, 16}}) {
      const OffloadPlan made = plan(s, cut, {.division = {Rule::static1, 0.5, off}});
      for (Index p = 0; p < s.panels(); ++p) {
        const Count end = s.block_begin[p + 1];
        const Index left = all.first[p] < end ? s.height(p) - s.block[all.first[p]].row_offset : 0;
        const bool is_small = left < std::max(off.rows, off.columns) || s.width(p) < off.inner;
        EXPECT_EQ(made.first[p], is_small ? end : all.first[p]);
      }
    }
  });
}

/// Equations 5 and 6 of HALO: seconds that the host or a device takes to multiply these blocks.
double equation_seconds(const PanelStructure& s, const KernelCost& cost, Index p,
                        const std::vector<Count>& blocks) {
  double entries = 0;
  double columns = 0;
  double scatter = 0;
  for (const Count b : blocks) {
    const double width = s.block_end(p, b) - s.block[b].row_offset;
    columns += width;
    entries += width * (width + 1) / 2;
    scatter += cost.scatter(width, width) * (width + 1) / (2 * width);
    for (Count i = b + 1; i < s.block_begin[p + 1]; ++i) {
      const double rows = s.block_end(p, i) - s.block[i].row_offset;
      entries += rows * width;
      scatter += cost.scatter(rows, width);
    }
  }
  return columns > 0 ? cost.gemm(entries / columns, columns, s.width(p)) + scatter : 0;
}

TEST(OffloadPlan, BalancesByTheEquationsOfThePaper) {
  KernelCost host = cost_at(1e9);
  host.half_width = 20;
  host.scattered = 1e-9;
  KernelCost device = host;
  device.rate = 4e9;
  device.scattered = 3e-9;
  Count split = 0;
  for_each_cut([&](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan made =
        plan_offload(s, cut, host, device, {.division = {Rule::paper}, .host_workers = 2});
    for (Index p = 0; p < s.panels(); ++p) {
      const Count begin = s.block_begin[p] + 1;
      const Count end = s.block_begin[p + 1];
      if (cut.group_of[p] >= 0 || begin == end) continue;
      const auto longer = [&](Count first) {
        std::vector<Count> here(std::max(first, begin + 1) - begin);
        std::iota(here.begin(), here.end(), begin);
        std::vector<Count> there(end - begin - std::ssize(here));
        std::iota(there.begin(), there.end(), here.back() + 1);
        return std::max(equation_seconds(s, host, p, here) / 2,
                        equation_seconds(s, device, p, there));
      };
      double least = longer(end);
      for (Count first = begin + 1; first < end; ++first) least = std::min(least, longer(first));
      EXPECT_NEAR(longer(made.first[p]), least, 1e-9 * least);
      split += made.first[p] < end ? 1 : 0;
    }
  });
  EXPECT_GT(split, 0);
}

TEST(OffloadPlan, KeepsShadowsWithinTheDevicesMemory) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan all = plan(s, cut, {.division = {Rule::static0, 1}});
    const Count bytes = shadow_bytes(s, all, 0);
    double before = all.flops;
    for (const double share : {1.0, 0.5, 0.17, 0.05}) {
      const auto limit = static_cast<Count>(share * static_cast<double>(bytes));
      const OffloadPlan made =
          plan(s, cut, {.division = {Rule::static0, 1}, .device_bytes = limit});
      EXPECT_LE(shadow_bytes(s, made, 0), limit);
      EXPECT_EQ(made.unlimited, all.flops);
      EXPECT_LE(made.flops, before);
      if (share == 1) {
        EXPECT_EQ(made.flops, all.flops);
      }
      before = made.flops;
    }
  });
}

TEST(UpdatedRows, AreTheUnionOfThoseOfAllUpdatesThatAreTaken) {
  for (const NamedStructure& sample : sample_structures()) {
    const PanelStructure& s = sample.symbolic;
    const OwnUpdates all;
    UpdatedRows updated(s, all);
    const auto takes = [](Index source, Count block) { return (source + block) % 3 > 0; };
    for (Index k = 0; k < s.panels(); ++k) {
      std::set<Index> expected;
      for (Index p = 0; p < k; ++p) {
        for (Count b = s.block_begin[p] + 1; b < s.block_begin[p + 1]; ++b) {
          if (s.block[b].facing != k || !takes(p, b)) continue;
          const auto rows = s.rows(p).subspan(s.block[b].row_offset);
          expected.insert(rows.begin(), rows.end());
        }
      }
      ASSERT_THAT(updated.of(k, takes), testing::ElementsAreArray(expected)) << sample.name;
    }
  }
}

TEST(OffloadPlan, DealsShadowsToSeveralDevices) {
  for_each_cut([](const PanelStructure& s, const SubtreeCut& cut) {
    const OffloadPlan made = plan(s, cut, {.devices = 3});
    std::vector<Index> shadows(3, 0);
    for (Index p = 0; p < s.panels(); ++p) {
      ASSERT_EQ(made.device[p] >= 0, cut.group_of[p] < 0 && may_have_a_shadow(s, cut, p));
      if (made.device[p] >= 0) {
        ++shadows[made.device[p]];
      }
    }
    EXPECT_LE(shadows[0] - shadows[2], 1);
  });
}

}  // namespace
}  // namespace espalier::internal
