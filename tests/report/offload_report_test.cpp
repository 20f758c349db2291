// SPDX-License-Identifier: BSD-3-Clause

#include "report/offload_report.hpp"

#include <gtest/gtest.h>

#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Ten seconds: two CPU workers are busy for 9 and 7 seconds, and a device for 4.
OffloadDone small_schedule() {
  return {.host = {.count = 3, .seconds = 9 + 7, .flops = 300},
          .devices = {.count = 1, .seconds = 4, .flops = 100},
          .seconds = 10,
          .host_workers = 2,
          .device_workers = 1,
          .panel_work = 5,
          .bytes_to_devices = 800,
          .bytes_to_host = 80,
          .transfer_seconds = 0.5};
}

OffloadReport described(const OffloadDone& done) {
  OffloadReport report;
  done.describe(report);
  return report;
}

TEST(OffloadDone, HasTheColumnsOfTableThree) {
  const OffloadReport report = described(small_schedule());
  EXPECT_DOUBLE_EQ(report.host_idle_seconds, 2);
  EXPECT_DOUBLE_EQ(report.device_idle_seconds, 6);
  EXPECT_DOUBLE_EQ(report.efficiency, 1 - (6.0 + 2.0) / (2 * 10));
  EXPECT_DOUBLE_EQ(report.busy_share, (9 + 7 + 4) / 30.0);
  EXPECT_DOUBLE_EQ(report.panel_seconds, 2.5);
  EXPECT_DOUBLE_EQ(report.panel_share, 0.25);
  EXPECT_DOUBLE_EQ(report.transfer_seconds, 0.5);
  EXPECT_DOUBLE_EQ(report.fraction, 0.25);
  EXPECT_EQ(report.bytes_to_device, 800);
  EXPECT_EQ(report.bytes_to_host, 80);
}

/// HALO, section VI-E: the efficiency is 0.5 if one resource works and the other is idle, and 1 if
/// both work.
TEST(OffloadDone, IsHalfAsEfficientWhereOneSideHasNothingToDo) {
  OffloadDone done = small_schedule();
  for (const Index workers : {1, 2, 64}) {
    done.host_workers = workers;
    done.host.seconds = done.seconds * workers;
    done.devices.seconds = 0;
    EXPECT_DOUBLE_EQ(described(done).efficiency, 0.5);
    done.devices.seconds = done.seconds;
    EXPECT_DOUBLE_EQ(described(done).efficiency, 1);
    done.host.seconds = 0;
    EXPECT_DOUBLE_EQ(described(done).efficiency, 0.5);
  }
}

TEST(OffloadDone, SaysNothingWithoutDevicesOrFactorization) {
  OffloadDone none = small_schedule();
  none.device_workers = 0;
  EXPECT_EQ(described(none).efficiency, 0);
  OffloadDone before = small_schedule();
  before.seconds = 0;
  EXPECT_EQ(described(before).efficiency, 0);
}

TEST(OffloadDone, AddsUpRanksAsMeansOverAllWorkers) {
  OffloadDone all = small_schedule();
  OffloadDone other = small_schedule();
  other.host.seconds = 2 * 10;
  other.devices.seconds = 10;
  other.panel_work = 7;
  other.transfer_seconds = 0.75;
  all += other;
  const OffloadReport report = described(all);
  EXPECT_DOUBLE_EQ(report.host_idle_seconds, 10 - (16 + 20) / 4.0);
  EXPECT_DOUBLE_EQ(report.device_idle_seconds, 10 - (4 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(report.panel_seconds, (5 + 7) / 4.0);
  EXPECT_DOUBLE_EQ(report.transfer_seconds, 0.75);
  EXPECT_EQ(report.bytes_to_device, 1600);
}

FactorHistory::Tally seconds_of(double diagonal, double factor, double update, double subtree) {
  FactorHistory::Tally tally{};
  const auto set = [&](TaskKind kind, double seconds) {
    tally[static_cast<std::size_t>(kind)].seconds = seconds;
  };
  set(TaskKind::diagonal, diagonal);
  set(TaskKind::factor, factor);
  set(TaskKind::update, update);
  set(TaskKind::subtree, subtree);
  return tally;
}

TEST(PanelWork, IsThatOfDiagonalAndFactorTasks) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    const std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
    const SubtreeCut no_subtrees = cut_subtrees(sample.symbolic, seconds, -1);
    EXPECT_DOUBLE_EQ(panel_work(seconds_of(1, 2, 4, 0), sample.symbolic, no_subtrees, KernelCost{}),
                     3)
        << sample.name;
  }
}

TEST(PanelWork, TakesItsPredictedPartOfSubtrees) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    SCOPED_TRACE(sample.name);
    const SymbolicFactor& s = sample.symbolic;
    const SubtreeCut all = whole_forest(s);
    KernelCost only_panels;  // updates and initialization take no time
    only_panels.scattered = only_panels.copied = only_panels.taken = only_panels.call = 0;
    double panels = 0;
    double kernels = 0;
    for (Index p = 0; p < s.panels(); ++p) {
      const Index below = s.height(p) - s.width(p);
      panels += only_panels.potrf(s.width(p)) + only_panels.trsm(below, s.width(p));
      for (Count b = s.block_begin[p] + 1; b < s.block_begin[p + 1]; ++b) {
        const Index begin = s.block[b].row_offset;
        kernels += only_panels.update(s.height(p) - begin, s.block_end(p, b) - begin, s.width(p),
                                      Target::again);
      }
    }
    const double work = panel_work(seconds_of(0, 0, 0, 10), s, all, only_panels);
    EXPECT_NEAR(work, 10 * panels / (panels + kernels), 1e-9);
    EXPECT_GT(work, 0);
  }
}

}  // namespace
}  // namespace espalier::internal
