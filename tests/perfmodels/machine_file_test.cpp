// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "espalier/error.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

MachineFile sample_machine() {
  MachineFile machine;
  machine.name = "a machine";
  machine.provenance = "made up";
  machine.cores = 8;
  machine.costs = support::sample_costs();
  machine.load = {{1, 0.5}, {5, 0.9}, {8, 1.5}};
  machine.network = {2e-6, 1e-10};
  machine.analysis_scale = 1.5;
  return machine;
}

/// A machine with a shipped table instead of one of its own.
std::string scaled_text(const std::string& table, const std::string& scale) {
  return R"({"espalier_machine": 1, "name": "m", "provenance": "p", "cores": 2, "load": [],
             "network": {"latency_seconds": 0, "byte_seconds": 1e-9},
             "costs": {"table": ")" +
         table + R"(", "scale": )" + scale + "}}";
}

TEST(MachineFile, ComesBackFromItsText) {
  const MachineFile machine = sample_machine();
  const MachineFile copy = machine_file_from_json(to_json(machine), "copy.json");
  EXPECT_EQ(copy.name, machine.name);
  EXPECT_EQ(copy.provenance, machine.provenance);
  EXPECT_EQ(copy.cores, 8);
  ASSERT_EQ(copy.load.size(), 3U);
  EXPECT_EQ(copy.load[1].workers, 5);
  EXPECT_EQ(copy.load[1].time, 0.9);
  EXPECT_EQ(copy.network.latency, 2e-6);
  EXPECT_EQ(copy.network.byte, 1e-10);
  EXPECT_EQ(copy.analysis_scale, 1.5);
  EXPECT_EQ(to_json(copy), to_json(machine));  // with its table
  EXPECT_EQ(copy.costs.table.history.buckets().size(), 1U);
}

TEST(MachineFile, HasLoadsLinearInBetween) {
  const MachineFile machine = sample_machine();
  EXPECT_EQ(machine.time_at(1), 0.5);
  EXPECT_DOUBLE_EQ(machine.time_at(3), 0.7);
  EXPECT_EQ(machine.time_at(5), 0.9);
  EXPECT_EQ(machine.time_at(8), 1.5);
  EXPECT_EQ(machine.time_at(100), 1.5);
  EXPECT_EQ(MachineFile().time_at(4), 1);
}

TEST(MachineFile, IsAsBusyAsAllOfItsProcesses) {
  MachineFile machine = sample_machine();
  EXPECT_EQ(machine.seen_by_each(5).time_at(1), 0.5);
  machine.one_machine = true;
  EXPECT_TRUE(machine_file_from_json(to_json(machine), "copy.json").one_machine);
  EXPECT_EQ(machine.seen_by_each(1).time_at(3), machine.time_at(3));
  EXPECT_EQ(machine.seen_by_each(5).time_at(1), 0.9);
  EXPECT_EQ(machine.seen_by_each(2).time_at(8), 1.5);
}

TEST(MachineFile, ScalesAllTimesOfAShippedTable) {
  const std::string name = shipped_tables().front().name;
  const CostTable table = cost_file_from_json(shipped_tables().front().json, name).table;
  const CostTable twice = machine_file_from_json(scaled_text(name, "2"), "scaled.json").costs.table;
  EXPECT_DOUBLE_EQ(twice.gemm.seconds.back(), 2 * table.gemm.seconds.back());
  EXPECT_DOUBLE_EQ(twice.syrk_again.seconds.front(), 2 * table.syrk_again.seconds.front());
  EXPECT_DOUBLE_EQ(twice.potrf.seconds.back(), 2 * table.potrf.seconds.back());
  for (const auto member :
       {&CostTable::fill, &CostTable::take, &CostTable::line, &CostTable::read, &CostTable::task}) {
    EXPECT_DOUBLE_EQ(twice.*member, 2 * (table.*member));
  }
  ASSERT_FALSE(table.history.empty());
  for (const TaskHistory::Bucket& bucket : table.history.buckets()) {
    const double flops = std::exp2(bucket.flops);
    const double kernels = flops / (1e6 * std::exp2(bucket.rate));
    EXPECT_NEAR(twice.history.factor(bucket.kind, flops, 2 * kernels),
                table.history.factor(bucket.kind, flops, kernels), 1e-9);
  }
}

TEST(MachineFile, StatesWhatIsWrongAndTheRemedy) {
  const std::string good = to_json(sample_machine());
  const auto refuse = [](const std::string& text, const std::string& why) {
    support::expect_error<InputError>([&] { machine_file_from_json(text, "bad.json"); },
                                      {"bad.json", why, "perfmodels/README.md"});
  };
  refuse(good.substr(0, good.size() / 2), "damaged");
  refuse(support::replaced(good, "\"espalier_machine\": 1", "\"espalier_machine\": 9"),
         "another version");
  refuse(support::replaced(good, "\"cores\": 8", "\"cores\": 0"), "no cores");
  refuse(support::replaced(good, "\"byte_seconds\": 1e-10", "\"byte_seconds\": 0"), "network");
  refuse(support::replaced(good, "0.9", "-1"), "loads");
  refuse(support::replaced(good, "\"analysis_scale\": 1.5", "\"analysis_scale\": 0"), "analysis");
  refuse(scaled_text("no_such_table.json", "1"), "no_such_table.json");
  refuse(scaled_text(shipped_tables().front().name, "0"), "not positive");
}

TEST(FindMachine, KnowsThoseThatComeWithEspalier) {
  const std::vector<std::string> names = shipped_machine_names();
  EXPECT_THAT(names, testing::Contains("epyc-64"));
  for (const std::string& name : names) {
    const MachineFile machine = find_machine(name);
    EXPECT_GT(machine.cores, 1) << name;
    EXPECT_FALSE(machine.provenance.empty()) << name;
    EXPECT_TRUE(machine.costs.table.sound()) << name;
    EXPECT_GE(machine.time_at(machine.cores), machine.time_at(1)) << name;
  }
}

TEST(FindMachine, ReadsAFile) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path("own.json");
  std::ofstream(path) << to_json(sample_machine());
  EXPECT_EQ(find_machine(path).name, "a machine");
}

TEST(FindMachine, NamesThoseThereAreWhereThereIsNone) {
  support::expect_error<InputError>([] { find_machine("no-such-machine"); },
                                    {"no-such-machine", "epyc-64", "cluster"});
}

}  // namespace
}  // namespace espalier::internal
