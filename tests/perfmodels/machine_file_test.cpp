// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
  machine.load = {{1, 0.5}, {5, 0.9, 0.8}, {8, 1.5}};
  machine.network = {2e-6, 1e-10};
  machine.analysis_scale = 1.5;
  DeviceTable costs;
  costs.gemm = {{1, 2, 1}, {4e-9, 1e-9}};
  costs.syrk = {{2, 1, 1}, {3e-9, 2e-9}};
  costs.task = 1e-5;
  costs.to = {1e-5, 1e-10};
  costs.back = {2e-5, 2e-10};
  costs.overlaps = true;
  machine.devices = {{"cuda", "a device", 4, 1 << 30, costs, DeviceTable::Link{3e-6, 1e-11}},
                     {"coprocessor", "another one", 2, 1 << 29, costs}};
  return machine;
}

/// Returns a machine whose device has rates instead of grids.
std::string text_with_rates(const std::string& half_order) {
  std::string text = to_json(sample_machine().with_devices("cuda", 1));
  const auto begin = text.find("\"syrk\"", text.find("\"overlaps\""));
  const auto end = text.find('}', text.find("\"gemm\"", begin)) + 1;
  return text.replace(begin, end - begin,
                      R"("rates": {"flops": 1e13, "memory_bytes_a_second": 2e11, "half_order": )" +
                          half_order + "}");
}

/// Returns a machine that refers to a shipped cost table.
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
  EXPECT_EQ(copy.load[1].streaming, 0.8);
  EXPECT_EQ(copy.load[2].streaming, 1.5);
  EXPECT_EQ(copy.network.latency, 2e-6);
  EXPECT_EQ(copy.network.byte, 1e-10);
  EXPECT_EQ(copy.analysis_scale, 1.5);
  EXPECT_EQ(to_json(copy), to_json(machine));  // includes its table
  EXPECT_EQ(copy.costs.table.history.buckets().size(), 1U);
}

TEST(MachineFile, HasItsDevicesInItsText) {
  const MachineFile copy = machine_file_from_json(to_json(sample_machine()), "copy.json");
  ASSERT_EQ(copy.devices.size(), 2U);
  EXPECT_EQ(copy.devices[0].architecture, "cuda");
  EXPECT_EQ(copy.devices[0].model, "a device");
  EXPECT_EQ(copy.devices[0].memory_bytes, 1 << 30);
  EXPECT_EQ(copy.devices[0].costs.gemm.seconds[1], 1e-9);
  EXPECT_EQ(copy.devices[0].costs.back.byte, 2e-10);
  EXPECT_EQ(copy.devices[0].between().byte, 1e-11);
  EXPECT_FALSE(copy.devices[0].costs.assembles);
  EXPECT_TRUE(copy.devices[1].costs.assembles);
  EXPECT_DOUBLE_EQ(copy.devices[1].between().byte, 3e-10);  // to and from the host
  EXPECT_DOUBLE_EQ(copy.devices[1].between().latency, 3e-5);
  EXPECT_EQ(copy.count_of("cuda"), 4);
  EXPECT_EQ(copy.count_of("coprocessor"), 2);
}

TEST(MachineFile, IsSimulatedWithSomeOfItsDevices) {
  const MachineFile machine = sample_machine();
  EXPECT_EQ(machine.with_devices("cuda", 3).count_of("cuda"), 3);
  EXPECT_EQ(machine.with_devices("cuda", 3).count_of("coprocessor"), 0);
  EXPECT_EQ(machine.with_devices("coprocessor", 1).devices.front().model, "another one");
  EXPECT_TRUE(machine.with_devices("cuda", 0).devices.empty());
}

TEST(MachineFile, EstimatesKernelsOfDevicesByPublishedRates) {
  const MachineFile machine = machine_file_from_json(text_with_rates("1000"), "rates.json");
  const DeviceTable& table = machine.devices.front().costs;
  EXPECT_TRUE(table.measured());
  EXPECT_EQ(table.task, 1e-5);
  const auto rate = [&](double order) { return 1 / table.gemm.at(order, order, order); };
  EXPECT_LT(rate(512), 0.5 * 1e13);
  EXPECT_NEAR(rate(1000), 0.5 * 1e13, 0.05 * 1e13);
  EXPECT_GT(rate(4096), 0.75 * 1e13);
  EXPECT_GT(rate(1024), 1 / table.potrf.at(1024));  // POTRF has a long path
  // The memory bandwidth limits a product that reads and writes its target for two operations per
  // entry.
  EXPECT_DOUBLE_EQ(2 * table.gemm.at(4096, 4096, 1), 16 / 2e11);
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

TEST(MachineFile, HasLoadsOfTheirOwnForTasksThatStream) {
  const MachineFile machine = sample_machine();
  EXPECT_EQ(machine.time_at(1, true), 0.5);
  EXPECT_DOUBLE_EQ(machine.time_at(3, true), 0.65);
  EXPECT_EQ(machine.time_at(5, true), 0.8);
  const MachineFile old = machine_file_from_json(
      support::replaced(to_json(machine), "0.9,\n   0.8", "0.9"), "old.json");
  EXPECT_EQ(old.load[1].streaming, 0.9);
}

TEST(MachineFile, HasAMemoryThatLimitsAllWorkersTogether) {
  MachineFile machine = sample_machine();
  EXPECT_EQ(machine.time_at(5, false, 1e15), 0.9);  // no limit
  machine.memory_bandwidth = 1e11;
  EXPECT_EQ(machine.time_at(5, false, 0.5e11), 0.9);
  EXPECT_DOUBLE_EQ(machine.time_at(5, false, 3e11), 3);
  const MachineFile copy = machine_file_from_json(to_json(machine), "copy.json");
  EXPECT_EQ(copy.memory_bandwidth, 1e11);
  EXPECT_EQ(copy.seen_by_each(1, 2).memory_bandwidth, 0.5e11);
}

TEST(MachineFile, ComparesAnalysesByGraphSearches) {
  MachineFile machine = sample_machine();
  machine.costs.table.search = 0.06;
  EXPECT_EQ(machine.analysis_scale_on(0.02), 1.5);  // the machine's own number
  machine.analysis_scale.reset();
  EXPECT_DOUBLE_EQ(machine.analysis_scale_on(0.02), 3);
  EXPECT_FALSE(machine_file_from_json(to_json(machine), "copy.json").analysis_scale);
  machine.costs.table.search = 0;
  EXPECT_EQ(machine.analysis_scale_on(0.02), 1);
}

TEST(MachineFile, SaysForHowManyCoresItWasValidated) {
  MachineFile machine = sample_machine();
  EXPECT_EQ(machine_file_from_json(scaled_text("intel-xeon-family6-model167.json", "1"), "m.json")
                .validated_cores,
            0);
  machine.validated_cores = 4;
  EXPECT_EQ(machine_file_from_json(to_json(machine), "copy.json").validated_cores, 4);
}

TEST(Streams, AreTasksWithLessThanHalfTheBestRate) {
  CostTable costs;
  costs.gemm = {{1, 2, 1}, {4e-9, 1e-9}};
  EXPECT_FALSE(streams(costs, 1e9, 1.9));
  EXPECT_TRUE(streams(costs, 1e9, 2.1));
}

TEST(MachineFile, IsAsBusyAsAllOfItsProcesses) {
  MachineFile machine = sample_machine();
  EXPECT_EQ(machine.seen_by_each(5).time_at(1), 0.5);
  EXPECT_EQ(machine.seen_by_each(5, 2).time_at(8), 1.5);
  EXPECT_EQ(machine.seen_by_each(5, 5).time_at(1), 0.9);
  machine.one_machine = true;
  EXPECT_TRUE(machine_file_from_json(to_json(machine), "copy.json").one_machine);
  EXPECT_EQ(machine.seen_by_each(1).time_at(3), machine.time_at(3));
  EXPECT_EQ(machine.seen_by_each(5).time_at(1), 0.9);
  EXPECT_EQ(machine.seen_by_each(2).time_at(8), 1.5);
  EXPECT_EQ(machine.seen_by_each(1, 2).time_at(8), 1.5);
}

TEST(MachineFile, ScalesAllTimesOfAShippedTable) {
  const std::string name = support::measured_table().name;
  const CostTable table = cost_file_from_json(support::measured_table().json, name).table;
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
    const double kernels = flops / (1e6 * std::exp2(bucket.rate / 2.0));
    constexpr double entries = 1 << 20;
    EXPECT_NEAR(twice.history.factor({bucket.kind, flops, 2 * kernels, entries}),
                table.history.factor({bucket.kind, flops, kernels, entries}), 1e-9);
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
  refuse(support::replaced(good, "\"coprocessor\"", "\"abacus\""), "neither cuda nor coprocessor");
  refuse(support::replaced(good, "\"count\": 4", "\"count\": 17"), "more than 16");
  refuse(support::replaced(good, "\"memory_bytes\": 536870912", "\"memory_bytes\": 5"), "memory");
  refuse(support::replaced(good, "\"byte_seconds\": 1e-11", "\"byte_seconds\": 0"), "link");
  refuse(text_with_rates("0"), "rates");
  refuse(scaled_text("no_such_table.json", "1"), "no_such_table.json");
  refuse(scaled_text(support::measured_table().name, "0"), "not positive");
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

/// Returns the rate of the best GEMM on all cores of a machine together, in GFlop/s, without loads.
double best_gflops(const MachineFile& machine) {
  return 1e-9 * machine.cores / std::ranges::min(machine.costs.table.gemm.seconds);
}

TEST(FindMachine, HasTheMachinesOfThePapers) {
  // HALO, table II; swCholesky, section 1: 3.06 TFlop/s for four core groups of 64 CPEs and an MPE.
  EXPECT_NEAR(best_gflops(find_machine("ivb20c")), 0.9 * 448, 1);
  EXPECT_NEAR(best_gflops(find_machine("babbage")), 0.9 * 332, 1);
  EXPECT_NEAR(best_gflops(find_machine("sw26010")), 0.9 * 64 * 11.6, 1);
  EXPECT_EQ(find_machine("ivb20c").count_of("coprocessor"), 1);
  EXPECT_EQ(find_machine("babbage").count_of("coprocessor"), 2);
  for (const char* const machine : {"ivb20c", "babbage"}) {
    const MachineFile::Devices phi = find_machine(machine).devices.front();
    EXPECT_EQ(phi.memory_bytes, Count{7000000000});
    EXPECT_GT(1e-9 / std::ranges::min(phi.costs.gemm.seconds), 600) << machine;
    EXPECT_LT(1e-9 / std::ranges::min(phi.costs.gemm.seconds), 1008) << machine;
  }
  // The CPEs of a core group share 29 GB/s (section 4.4.2).
  const MachineFile sunway = find_machine("sw26010");
  const double bytes = 8 / sunway.costs.table.read / sunway.time_at(sunway.cores, true);
  EXPECT_NEAR(1e-9 * sunway.cores * bytes, 29, 0.5);
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
