// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/refinement.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"
#include "perfmodels/machine_file.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

constexpr Count entries = 1'000'000;

template <class File>
std::string written(const support::TemporaryFolder& folder, const File& file) {
  const std::string path = folder.path("costs.json");
  std::ofstream(path) << to_json(file);
  return path;
}

/// Returns a schedule with one update that took twice the predicted time.
Schedule slow_update(bool on_device) {
  TaskRun run;
  run.kind = "update";
  run.flops = 1e6;
  run.kernel_seconds = 1e-4;
  run.end = 2e-4;
  run.on_device = on_device;
  Schedule schedule;
  schedule.tasks = {run};
  return schedule;
}

CostFile sound_costs() {
  CostFile file;
  file.workers = 2;
  CostTable& table = file.table;
  const CostGrid grid{{1, 1, 1}, {1e-9}};
  table.potrf = table.trsm = table.syrk = table.gemm = table.syrk_again = table.gemm_again = grid;
  table.fill = table.take = table.line = table.read = table.task = 1e-9;
  return file;
}

TEST(RefineCalibration, LearnsWhereAsManyWorkersAreBusyAsForTheCalibration) {
  const support::TemporaryFolder folder;
  const std::string place = folder.path("");
  const support::Environment home("XDG_DATA_HOME", place.c_str());
  const std::string path = written(folder, sound_costs());
  refine_calibration(path, slow_update(false), entries, 1);
  EXPECT_TRUE(read_cost_file(path).table.history.empty()) << "no file describes this load";
  refine_calibration(path, slow_update(true), entries, 2);
  EXPECT_TRUE(read_cost_file(path).table.history.empty()) << "a device has a separate table";
  refine_calibration(path, slow_update(false), entries, 2);
  EXPECT_NEAR(read_cost_file(path).table.history.factor({TaskKind::update, 1e6, 1e-4, entries}), 2,
              1e-3);
}

/// Writes the description of a machine of two cores to the user's folder. A single busy core needs
/// `alone` times the time per task.
void describe_load(double alone) {
  MachineFile machine;
  machine.name = "here";
  machine.cores = 2;
  machine.costs = sound_costs();
  machine.load = {{1, alone}, {2, 1}};
  machine.network = {1e-6, 1e-9};
  const std::string path = user_machine_file();
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << to_json(machine);
}

TEST(RefineCalibration, LearnsOfAnotherLoadByTheDescriptionOfTheMachine) {
  const support::TemporaryFolder folder;
  const std::string place = folder.path("");
  const support::Environment home("XDG_DATA_HOME", place.c_str());
  const std::string path = written(folder, sound_costs());
  describe_load(0.8);
  refine_calibration(path, slow_update(false), entries, 1);
  EXPECT_NEAR(read_cost_file(path).table.history.factor({TaskKind::update, 1e6, 1e-4, entries}),
              2.5, 1e-3);
  std::ofstream(user_machine_file()) << "{";
  const std::string again = written(folder, sound_costs());
  support::expect_error<InputError>(
      [&] { refine_calibration(again, slow_update(false), entries, 1); },
      {user_machine_file(), "damaged", "espalier calibrate --machine"});
  EXPECT_TRUE(read_cost_file(again).table.history.empty()) << "a damaged file is ignored";
}

TEST(RefineCalibration, LeavesAloneWhatItCannotRead) {
  const support::TemporaryFolder folder;
  for (const char* const text : {"", "{", "[]", "{\"espalier_costs\": 99}"}) {
    const std::string path = folder.write("costs.json", text);
    EXPECT_THROW(refine_calibration(path, slow_update(false), entries, 2), InputError);
    EXPECT_THROW(refine_device_calibration(path, slow_update(true), entries), InputError);
    EXPECT_EQ(support::read_file(path), text);
  }
}

/// The file exists only in memory. It has no name in a folder, so no file can replace it.
TEST(RefineCalibration, LeavesAloneWhatItCannotReplace) {
  const int memory = memfd_create("costs", MFD_CLOEXEC);
  ASSERT_GE(memory, 0);
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  std::ofstream(path) << to_json(sound_costs());
  EXPECT_THROW(refine_calibration(path, slow_update(false), entries, 2), InputError);
  EXPECT_TRUE(read_cost_file(path).table.history.empty());
  close(memory);
}

DeviceFile device_costs(bool overlaps) {
  DeviceFile file{"here", "cpu", "coprocessor", "2026-01-02", {}};
  file.table.gemm = file.table.syrk = {{1, 1, 1}, {1e-9}};
  file.table.to = file.table.back = {1e-5, 1e-9};
  file.table.overlaps = overlaps;
  return file;
}

/// Returns a schedule with nine copies to a device in four times the predicted time, and four
/// copies back.
Schedule slow_copies() {
  Schedule schedule = slow_update(true);
  for (int i = 0; i < 9; ++i) {
    CopyRun copy;
    copy.to = 1;
    copy.bytes = 1000 * (i + 1);
    copy.end = 4 * (1e-5 + 1e-9 * static_cast<double>(copy.bytes)) + (i == 3 ? 1 : 0);
    schedule.copies.push_back(copy);
    if (i >= 4) continue;
    std::swap(copy.from, copy.to);
    schedule.copies.push_back(copy);
  }
  return schedule;
}

TEST(RefineDeviceCalibration, TakesHalfOfWhatCopiesSayWhereTheseGoOneAfterTheOther) {
  const support::TemporaryFolder folder;
  const std::string path = written(folder, device_costs(false));
  refine_device_calibration(path, slow_copies(), entries);
  const DeviceTable table = read_device_file(path).table;
  EXPECT_NEAR(table.to.latency, 2e-5, 1e-12);
  EXPECT_NEAR(table.to.byte, 2e-9, 1e-16);
  EXPECT_EQ(table.back.byte, 1e-9) << "four copies are too few";
  EXPECT_FALSE(table.history.empty());
}

TEST(RefineDeviceCalibration, LeavesCopiesAloneThatRunBesideOthers) {
  const support::TemporaryFolder folder;
  const std::string path = written(folder, device_costs(true));
  refine_device_calibration(path, slow_copies(), entries);
  EXPECT_EQ(read_device_file(path).table.to.byte, 1e-9);
}

}  // namespace
}  // namespace espalier::internal
