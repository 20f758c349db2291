// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tuning.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using Json = nlohmann::ordered_json;

Json report(Index cpu, Index coprocessors, Index threads, Index cuda, const Json& ranks) {
  return {{"machine",
           {{"cpu_workers", cpu},
            {"cuda_devices", cuda},
            {"coprocessor_workers", coprocessors},
            {"coprocessor_threads", threads},
            {"ranks", ranks.empty() ? 1 : ranks.size()}}},
          {"ranks", ranks}};
}

TEST(PlaceOfReport, IsThatOfARank) {
  EXPECT_EQ(place_of_report(report(3, 0, 0, 0, Json::array())), TuningPlace{3});
  EXPECT_EQ(place_of_report(report(3, 2, 8, 0, Json::array())),
            (TuningPlace{.workers = 3, .coprocessors = 2, .coprocessor_threads = 4}));
  const Json ranks{{{"cpu_workers", 2}}, {{"cpu_workers", 3}}};
  EXPECT_EQ(place_of_report(report(5, 2, 2, 0, ranks)),
            (TuningPlace{.workers = 2, .ranks = 2, .coprocessors = 1}));
  EXPECT_EQ(place_of_report(report(5, 0, 0, 4, ranks)),
            (TuningPlace{.workers = 2, .ranks = 2, .cuda_devices = 2}));
}

TEST(ChosenTuning, IsWhatIsNamedElseWhatIsKept) {
  const support::TemporaryFolder folder;
  TuningFile file;
  file.tuning.panel_width = 72;
  const std::string path = folder.write("tuning.json", to_json(file));
  EXPECT_EQ(chosen_tuning(path, {2}).tuning.panel_width, 72);
  EXPECT_EQ(chosen_tuning(path, {2}).file, path);
  EXPECT_EQ(chosen_tuning("none", {2}).source, "defaults");
  EXPECT_EQ(chosen_tuning("", {2}).file, this_machines_tuning({2}).file);
  support::expect_error<InputError>([&] { chosen_tuning(folder.path("missing"), {2}); },
                                    {"missing"});
}

TEST(FileOfTuning, IsNoneForTheDefaults) {
  EXPECT_EQ(file_of_tuning("a.json"), "a.json");
  EXPECT_EQ(file_of_tuning("none"), "");
  EXPECT_EQ(file_of_tuning(""), "");
}

}  // namespace
}  // namespace espalier::internal
