// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/device_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "espalier/error.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::sample_device;

TEST(DeviceFile, ComesBackFromItsText) {
  const DeviceFile file = sample_device();
  const DeviceFile copy = device_file_from_json(to_json(file), "copy.json");
  EXPECT_EQ(copy.host, file.host);
  EXPECT_EQ(copy.cpu, file.cpu);
  EXPECT_EQ(copy.architecture, file.architecture);
  EXPECT_EQ(copy.date, file.date);
  EXPECT_EQ(copy.table.gemm.seconds, file.table.gemm.seconds);
  EXPECT_EQ(copy.table.syrk.classes, file.table.syrk.classes);
  EXPECT_EQ(copy.table.task, file.table.task);
  EXPECT_EQ(copy.table.to.byte, file.table.to.byte);
  EXPECT_EQ(copy.table.back.latency, file.table.back.latency);
  EXPECT_TRUE(copy.table.overlaps);
  EXPECT_NEAR(copy.table.history.factor({TaskKind::diagonal, 1e6, 1e-4, 1e6}), 1.25, 1e-3);
  EXPECT_EQ(copy.table.history.factor({TaskKind::factor, 1e6, 1e-4, 1e6}), 1);
}

TEST(DeviceFile, MayHaveGemmAndScatterApart) {
  DeviceFile file = sample_device();
  EXPECT_EQ(to_json(file).find("scatter"), std::string::npos);
  file.table.gemm_alone = {{1, 1, 2}, {3e-10, 2e-10}};
  file.table.scatter = {{2, 1, 1}, {2e-9, 1e-9}};
  const DeviceTable copy = device_file_from_json(to_json(file), "new.json").table;
  EXPECT_EQ(copy.gemm_alone.seconds, file.table.gemm_alone.seconds);
  EXPECT_EQ(copy.scatter.seconds, file.table.scatter.seconds);
}

TEST(DeviceFile, IsOfDoublesUnlessItNamesAnotherScalar) {
  const std::string text = to_json(sample_device());
  const std::string key = "\"scalar\":\"double\",";
  EXPECT_EQ(device_file_from_json(support::replaced(text, key, ""), "old.json").table.gemm.seconds,
            sample_device().table.gemm.seconds);
  support::expect_error<InputError>(
      [&] {
        device_file_from_json(support::replaced(text, "\"double\"", "\"float\""), "other.json");
      },
      {"other.json", "the costs of float instead of double", "espalier calibrate"});
}

TEST(DeviceFile, StatesWhatIsWrongAndTheRemedy) {
  const std::string good = to_json(sample_device());
  const auto refuse = [](const std::string& text, const std::string& why) {
    support::expect_error<InputError>([&] { device_file_from_json(text, "bad.json"); },
                                      {"bad.json", why, "espalier calibrate"});
  };
  refuse(good.substr(0, good.size() / 2), "damaged");
  refuse(support::replaced(good, "\"back\"", "\"bach\""), "damaged");
  refuse(support::replaced(good, "\"espalier_device_costs\":2", "\"espalier_device_costs\":1"),
         "another version");
  refuse(support::replaced(good, "\"task_seconds\":0.0001", "\"task_seconds\":-1"), "not positive");
}

TEST(DeviceChoice, PrefersTheUsersCalibrationOfSuchDevices) {
  const DeviceFile file = sample_device();
  const auto path = std::filesystem::temp_directory_path() /
                    ("device_choice_" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << to_json(file);
  const DeviceChoice own = choose_device_costs(path, "coprocessor", file.cpu);
  EXPECT_EQ(own.source, "calibrated");
  EXPECT_EQ(own.table->task, file.table.task);
  EXPECT_EQ(own.warning, "");
  const auto expect_analytic = [&](const char* architecture, const std::string& cpu,
                                   const std::string& why) {
    const DeviceChoice choice = choose_device_costs(path, architecture, cpu);
    EXPECT_EQ(choice.source, "analytic");
    EXPECT_EQ(choice.warning.empty(), why.empty()) << choice.warning;
    EXPECT_NE(choice.warning.find(why), std::string::npos) << choice.warning;
  };
  expect_analytic("cuda", file.cpu, "is for other devices");
  expect_analytic("coprocessor", "other", "another processor");
  std::ofstream(path) << "{";
  expect_analytic("coprocessor", file.cpu, "damaged");
  std::filesystem::remove(path);
  expect_analytic("coprocessor", file.cpu, "");
}

TEST(DeviceChoice, GuessesAWayThatTakesTimeAndTheKernelsOfTheHost) {
  for (const char* const architecture : {"coprocessor", "cuda"}) {
    const DeviceChoice choice = choose_device_costs("", architecture, "some CPU");
    EXPECT_FALSE(choice.table->measured());
    EXPECT_GT(choice.table->task, 0);
    EXPECT_GT(choice.table->to.seconds(1000), choice.table->to.seconds(0));
    EXPECT_GT(choice.table->back.seconds(0), 0);
    EXPECT_EQ(choice.table->assembles, std::string(architecture) != "cuda");
  }
}

TEST(DeviceChoice, IsForCoprocessorsWithAsManyThreadsAWorker) {
  EXPECT_EQ(coprocessor_architecture(1), "coprocessor");
  EXPECT_EQ(coprocessor_architecture(4), "coprocessor-4-threads");
  EXPECT_EQ(options_that_calibrate(true, 4), "--cuda-devices");
  EXPECT_EQ(options_that_calibrate(false, 1), "--coprocessors");
  EXPECT_EQ(options_that_calibrate(false, 4),
            "--coprocessor-workers one --coprocessor-threads 4 --coprocessors");
}

}  // namespace
}  // namespace espalier::internal
