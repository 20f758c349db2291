// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/tuning_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::replaced;

TuningFile sample() {
  TuningFile file{
      "Some CPU, family 1 model 2",
      "2026-01-31",
      {.workers = 3, .ranks = 2, .coprocessors = 4, .coprocessor_threads = 5, .cuda_devices = 6},
      {"a.mtx", "laplace3d:9"},
      0.0625,
      0.03125,
      {}};
  file.tuning.amalgamation = {{4, 20, 48, 100}, {1, 0.25, 0.125, 0}};
  file.tuning.panel_width = 192;
  file.tuning.narrow_panel_width = 64;
  file.tuning.subtrees_per_worker = 2.5;
  file.tuning.tile_rows = 256;
  file.tuning.trsm_panel = 512;
  file.tuning.potrf_panel = 64;
  return file;
}

void expect_equal(const Tuning& tuning, const Tuning& expected) {
  EXPECT_EQ(tuning.amalgamation.widths, expected.amalgamation.widths);
  EXPECT_EQ(tuning.amalgamation.zeros, expected.amalgamation.zeros);
  EXPECT_EQ(tuning.panel_width, expected.panel_width);
  EXPECT_EQ(tuning.narrow_panel_width, expected.narrow_panel_width);
  EXPECT_EQ(tuning.subtrees_per_worker, expected.subtrees_per_worker);
  EXPECT_EQ(tuning.tile_rows, expected.tile_rows);
  EXPECT_EQ(tuning.trsm_panel, expected.trsm_panel);
  EXPECT_EQ(tuning.potrf_panel, expected.potrf_panel);
}

TEST(TuningFile, ComesBackFromItsText) {
  const TuningFile file = sample();
  const TuningFile copy = tuning_file_from_json(to_json(file), "copy.json");
  EXPECT_EQ(copy.cpu, file.cpu);
  EXPECT_EQ(copy.date, file.date);
  EXPECT_EQ(copy.place, file.place);
  EXPECT_EQ(copy.matrices, file.matrices);
  EXPECT_EQ(copy.predicted_gain, file.predicted_gain);
  EXPECT_EQ(copy.measured_gain, file.measured_gain);
  expect_equal(copy.tuning, file.tuning);
  const TuningFile defaults = tuning_file_from_json(to_json(TuningFile{}), "defaults.json");
  expect_equal(defaults.tuning, Tuning{});
}

TEST(TuningFile, OfOneProcessNeedNotSaySo) {
  std::string text = to_json(sample());
  for (const char* line : {"  \"ranks\": 2,\n", "  \"coprocessors\": 4,\n",
                           "  \"coprocessor_threads\": 5,\n", "  \"cuda_devices\": 6,\n"}) {
    text = replaced(text, line, "");
  }
  const TuningFile old = tuning_file_from_json(text, "old.json");
  EXPECT_EQ(old.place, TuningPlace{3});
  EXPECT_TRUE(old.place.is_one_process_without_devices());
  expect_equal(old.tuning, sample().tuning);
}

TEST(TuningFile, NeedNotHavePanelsOfKernels) {
  std::string text = to_json(TuningFile{});
  text = replaced(text, ",\n    \"trsm_panel\": 128,\n    \"potrf_panel\": 128", "");
  expect_equal(tuning_file_from_json(text, "old.json").tuning, Tuning{});
}

TEST(TuningFile, StatesWhatIsWrongAndTheRemedy) {
  const std::string good = to_json(sample());
  const auto refuse = [](const std::string& text, const std::string& why) {
    expect_error<InputError>([&] { tuning_file_from_json(text, "bad.json"); },
                             {"bad.json", why, "espalier tune", "remove it"});
  };
  refuse("", "damaged");
  refuse("[]", "damaged");
  refuse(good.substr(0, good.size() / 2), "damaged");
  refuse(replaced(good, "\"tile_rows\"", "\"tile_row\""), "damaged");
  refuse(replaced(good, "\"tile_rows\": 256", "\"tile_rows\": \"256\""), "damaged");
  refuse(replaced(good, "\"espalier_tuning\": 1", "\"espalier_tuning\": 2"), "another version");
  refuse(replaced(good, "\"tile_rows\": 256", "\"tile_rows\": 0"), "tile_rows is 0");
  refuse(replaced(good, "\"ranks\": 2", "\"ranks\": 2.5"), "whole number");
  refuse(replaced(good, "\"trsm_panel\": 512", "\"trsm_panel\": 100"), "trsm_panel is 100");
  refuse(replaced(good, "\"trsm_panel\": 512", "\"trsm_panel\": 2048"), "trsm_panel is 2048");
  refuse(replaced(good, "\"panel_width\": 192", "\"panel_width\": -1e300"),
         "panel_width is -2147483648");
  refuse(replaced(good, "\"amalgamation_zeros_2\": 0.25", "\"amalgamation_zeros_2\": 1.5"),
         "amalgamation.zeros is 1.5");
}

TEST(TuningChoice, IsTheUsersFileOfThisProcessorElseTheDefaults) {
  const support::TemporaryFolder folder;
  const TuningFile file = sample();
  const std::string path = folder.write("tuning.json", to_json(file));
  const TuningChoice choice = choose_tuning(path, file.cpu);
  EXPECT_EQ(choice.source, "tuned");
  EXPECT_EQ(choice.file, path);
  EXPECT_EQ(choice.warning, "");
  expect_equal(choice.tuning, file.tuning);
  for (const TuningChoice& other :
       {choose_tuning(path, "Another CPU"), choose_tuning(folder.path("none"), file.cpu)}) {
    EXPECT_EQ(other.source, "defaults");
    EXPECT_EQ(other.file, "");
    expect_equal(other.tuning, Tuning{});
  }
}

TEST(TuningChoice, IsTheDefaultsWhereTheFileIsOfNoUse) {
  const support::TemporaryFolder folder;
  const TuningFile file = sample();
  const auto expect_defaults = [&](const std::string& text, const std::string& why) {
    const std::string path = folder.write("tuning.json", text);
    const TuningChoice choice = choose_tuning(path, "any");
    EXPECT_EQ(choice.source, "defaults");
    EXPECT_NE(choice.warning.find(path + why), std::string::npos) << choice.warning;
    expect_equal(choice.tuning, Tuning{});
  };
  expect_defaults("{\"espalier_tuning\": 1", " is damaged");
  expect_defaults(to_json(file), " was made on another processor");
}

TEST(TuningChoice, IsMadeForEachPlaceOnce) {
  EXPECT_EQ(&this_machines_tuning({2}), &this_machines_tuning({2}));
  EXPECT_NE(&this_machines_tuning({2}), &this_machines_tuning({3}));
  EXPECT_NE(&this_machines_tuning({2}), &this_machines_tuning({.workers = 2, .ranks = 2}));
}

TEST(TuningChoice, IsThatOfANamedFileWhateverItWasMadeOn) {
  const support::TemporaryFolder folder;
  const std::string path = folder.write("tuning.json", to_json(sample()));
  const TuningChoice choice = named_tuning(path);
  EXPECT_EQ(choice.source, "tuned");
  EXPECT_EQ(choice.file, path);
  expect_equal(choice.tuning, sample().tuning);
  const std::string damaged = folder.write("damaged.json", "{");
  expect_error<InputError>([&] { named_tuning(damaged); }, {damaged, "damaged"});
  const std::string missing = folder.path("none");
  expect_error<InputError>([&] { named_tuning(missing); }, {missing, "cannot be read"});
}

TEST(UserTuningFile, IsNamedAfterItsPlace) {
  const auto begins = [](const TuningPlace& place, const std::string& name) {
    EXPECT_THAT(user_tuning_file(place), testing::HasSubstr("/espalier/" + name + "-"));
  };
  begins({2}, "tuning-2");
  begins({.workers = 2, .ranks = 4}, "tuning-4x2");
  begins({.workers = 2, .coprocessors = 3}, "tuning-1x2+3coprocessors");
  begins({.workers = 2, .ranks = 2, .coprocessors = 1, .coprocessor_threads = 4},
         "tuning-2x2+1coprocessors-of-4");
  begins({.workers = 8, .ranks = 2, .cuda_devices = 1}, "tuning-2x8+1cuda");
}

TEST(TuningPlace, HasTheWorkersOfAllRanksAndDevices) {
  EXPECT_EQ(TuningPlace{2}.all_workers(), 2);
  EXPECT_EQ((TuningPlace{.workers = 2, .ranks = 3, .coprocessors = 1}.all_workers()), 9);
  EXPECT_EQ((TuningPlace{.workers = 2, .ranks = 3, .cuda_devices = 4}.all_workers()), 18);
}

}  // namespace
}  // namespace espalier::internal
