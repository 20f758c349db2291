// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chart/charts.hpp"
#include "simulate/machine_folder.hpp"
#include "simulate/output.hpp"

namespace espalier::internal {
namespace {

using testing::HasSubstr;

SimulatedRun run(const std::string& policy, Index nodes, Index workers, double seconds) {
  SimulatedRun made;
  made.of = {{policy, policy, {}}, nodes, workers};
  made.seconds = seconds;
  made.phases = {{"ordering", 1, 3, 1}, {"factor", seconds}, {"solve", 0.5}};
  made.report = R"({"matrix": {"name": "A", "n": 3}, "symbolic": {"flops": 1e9}})";
  return made;
}

MachineFile machine() {
  MachineFile made;
  made.name = "some machine";
  made.provenance = "from somewhere";
  made.network = {2e-6, 1e-10};
  return made;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Efficiencies, CompareWithTheFirstRunOfThePolicy) {
  const std::vector<SimulatedRun> runs{run("a", 1, 2, 8), run("a", 2, 2, 4), run("b", 1, 4, 6),
                                       run("a", 4, 4, 2), run("b", 1, 8, 6)};
  EXPECT_EQ(efficiencies(runs), (std::vector<double>{1, 1, 1, 0.5, 0.5}));
}

SimulatedRun run_with_devices(Index devices, double seconds) {
  SimulatedRun made = run("a", 1, 16, seconds);
  made.of.devices = devices;
  return made;
}

TEST(Efficiencies, CountDevicesWhereThereAreSome) {
  const std::vector<SimulatedRun> runs{run("a", 1, 16, 9), run_with_devices(2, 8),
                                       run_with_devices(4, 4), run_with_devices(8, 4)};
  EXPECT_EQ(efficiencies(runs), (std::vector<double>{1, 1, 1, 0.5}));
}

TEST(SimulationJson, IsTheReportOfTheProgramWithWhatWasSimulated) {
  const std::vector<SimulatedRun> runs{run("a", 2, 3, 8)};
  const auto json = nlohmann::json::parse(simulation_json(machine(), runs));
  EXPECT_EQ(json["matrix"]["name"], "A");
  EXPECT_EQ(json["simulated"]["machine"], "some machine");
  EXPECT_EQ(json["simulated"]["nodes"], 2);
  EXPECT_EQ(json["simulated"]["workers"], 3);
  EXPECT_EQ(json["simulated"]["makespan_seconds"], 8);
  EXPECT_EQ(json["simulated"]["time_to_solution_seconds"], 9.5);
  EXPECT_EQ(json["simulated"]["longest_phase"], "factor");
}

TEST(SimulationJson, ListsSeveralRuns) {
  const std::vector<SimulatedRun> runs{run("a", 1, 1, 8), run("a", 1, 2, 4)};
  const auto json = nlohmann::json::parse(simulation_json(machine(), runs));
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["simulated"]["efficiency"], 1);
}

TEST(ValidationLine, SaysFromWhichNumberOfCoresOnNobodyMeasured) {
  MachineFile known = machine();
  const std::vector<SimulatedRun> runs{run("a", 1, 2, 8), run("a", 2, 16, 4)};
  EXPECT_THAT(validation_line(known, runs), testing::StartsWith("not validated: "));
  known.validated_cores = 8;
  EXPECT_THAT(validation_line(known, runs), testing::StartsWith("not validated beyond 8 cores: "));
  EXPECT_THAT(simulation_page(known, runs), HasSubstr("<p>not validated beyond 8 cores"));
  known.validated_cores = 16;
  EXPECT_EQ(validation_line(known, runs), "");
}

TEST(ValidationLine, CountsTheCoresOfAllRanksOfANode) {
  MachineFile known = machine();
  known.validated_cores = 16;
  SimulatedRun twice = run("a", 1, 16, 4);
  twice.of.ranks_per_node = 2;
  EXPECT_THAT(validation_line(known, {&twice, 1}), HasSubstr("beyond 16 cores"));
}

TEST(SimulationPage, HasACurveForEachPolicyAndALineForEachRun) {
  const std::vector<SimulatedRun> runs{run("a", 1, 1, 8), run("a", 1, 2, 4), run("<b>", 1, 2, 3)};
  const std::string page = simulation_page(machine(), runs);
  EXPECT_THAT(page, HasSubstr("from somewhere"));
  EXPECT_THAT(page, HasSubstr("<td>&lt;b&gt;</td>"));
  std::size_t dots = 0;
  for (auto at = page.find("class=\"run\""); at != std::string::npos;
       at = page.find("class=\"run\"", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, runs.size());
}

TEST(ScalingChart, TakesASinglePoint) {
  EXPECT_THAT(scaling_chart({{"alone", {{4, 1.5}}}}), HasSubstr("alone"));
}

TEST(MachineFolder, HasAHostForEachWorkerOfEachNode) {
  const MachineFolder folder(machine(), 2, 3);
  const std::string platform = text_of(folder.platform());
  for (const char* const host : {"StarPU-MPI0-CPU2", "StarPU-MPI1-CPU0", "StarPU-MPI1-RAM"}) {
    EXPECT_THAT(platform, HasSubstr(host));
  }
  EXPECT_THAT(platform, testing::Not(HasSubstr("CPU3")));
  EXPECT_THAT(platform, HasSubstr("radical=\"0-1\""));
  EXPECT_EQ(text_of(folder.hostfile()), "node-0\nnode-1\n");
  EXPECT_EQ(text_of(folder.machine()), to_json(machine()));
}

TEST(MachineFolder, PutsConsecutiveRanksOnANode) {
  const MachineFolder folder(machine(), 2, 1, 2);
  const std::string platform = text_of(folder.platform());
  EXPECT_THAT(platform, HasSubstr("radical=\"0-1\""));
  EXPECT_THAT(platform, HasSubstr("StarPU-MPI3-CPU0"));
  EXPECT_EQ(text_of(folder.hostfile()), "node-0\nnode-0\nnode-1\nnode-1\n");
}

MachineFile with_devices(Index count) {
  MachineFile made = machine();
  DeviceTable costs;
  costs.to = {2e-6, 1e-10};
  costs.back = {4e-6, 2e-10};
  made.devices = {{"cuda", "a device", count, 1 << 30, costs}};
  return made;
}

TEST(MachineFolder, HasDevicesWithTheirLinks) {
  const MachineFolder folder(with_devices(2), 2, 3);
  const std::string platform = text_of(folder.platform());
  EXPECT_THAT(platform, HasSubstr("<host id=\"StarPU-MPI1-CUDA1\""));
  EXPECT_THAT(platform, HasSubstr("<prop id=\"memsize\" value=\"1073741824\"/>"));
  EXPECT_THAT(platform, HasSubstr("bandwidth=\"10000000000Bps\" latency=\"2e-06s\""));
  EXPECT_THAT(platform, HasSubstr("src=\"StarPU-MPI0-CUDA0\" dst=\"StarPU-MPI0-RAM\""));
  EXPECT_THAT(platform, testing::Not(HasSubstr("CUDA2")));
  EXPECT_THAT(platform, testing::Not(HasSubstr("dst=\"StarPU-MPI0-CUDA1\" symmetrical=\"NO\">"
                                               "<link_ctn id=\"StarPU-MPI0-besideCUDA0\"")));
  const std::string bus = text_of(folder.sampling() / "bus" / "simulated.bandwidth");
  EXPECT_EQ(std::ranges::count(bus, '\n'), 5);  // heading, host, two devices, one more
  EXPECT_THAT(bus, HasSubstr("0.000000e+00\t1.000000e+04\t1.000000e+04\t"));
  EXPECT_THAT(bus, HasSubstr("5.000000e+03\t0.000000e+00\t3.333333e+03\t"));
}

TEST(MachineFolder, LinksDevicesThatReachEachOther) {
  MachineFile machine = with_devices(2);
  machine.devices.front().peer = DeviceTable::Link{1e-6, 1e-11};
  const MachineFolder folder(machine, 1, 1);
  EXPECT_THAT(text_of(folder.platform()), HasSubstr("dst=\"StarPU-MPI0-CUDA1\" symmetrical=\"NO\">"
                                                    "<link_ctn id=\"StarPU-MPI0-besideCUDA0\""));
  EXPECT_THAT(text_of(folder.sampling() / "bus" / "simulated.latency"), HasSubstr("1.000000e+00"));
}

TEST(MachineFolder, LetsDevicesSendOverTheBusOfTheHostWhereThatIsAsFast) {
  MachineFile machine = with_devices(2);
  machine.devices.front().peer = DeviceTable::Link{5e-6, 2e-10};
  const MachineFolder folder(machine, 1, 1);
  const std::string platform = text_of(folder.platform());
  EXPECT_THAT(platform, HasSubstr("dst=\"StarPU-MPI0-CUDA1\" symmetrical=\"NO\">"
                                  "<link_ctn id=\"StarPU-MPI0-fromCUDA0\"/>"
                                  "<link_ctn id=\"StarPU-MPI0-besideCUDA0\"/>"
                                  "<link_ctn id=\"StarPU-MPI0-toCUDA1\"/></route>"));
  EXPECT_THAT(platform, HasSubstr("id=\"StarPU-MPI0-besideCUDA0\" bandwidth=\"5000000000Bps\" "
                                  "latency=\"0s\""))
      << "bandwidth in addition to the links to the host";
}

TEST(MachineFolder, IsGoneAfterwards) {
  std::filesystem::path path;
  {
    const MachineFolder folder(machine(), 1, 1);
    path = folder.platform();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
}

}  // namespace
}  // namespace espalier::internal
