// SPDX-License-Identifier: BSD-3-Clause
#include "solver/option_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "report/factor_report.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

void expect_refused(const char* assignment, std::initializer_list<std::string> parts) {
  expect_error<UsageError>([&] { Options().set(assignment); }, parts);
}

TEST(OptionTable, HasAllThatHelpNeedsInEachRow) {
  std::set<std::string> names;
  for (const OptionRow& row : option_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " occurs twice";
    EXPECT_FALSE(row.help.empty() || row.values.empty()) << row.name;
    EXPECT_EQ(row.help.find("--"), std::string::npos) << row.name << ": bindings have no dashes";
    EXPECT_EQ(&option_row(row.name), &row);
  }
}

TEST(OptionTable, ReadsTheDefaultOfEachRow) {
  for (const OptionRow& row : option_table()) {
    Options options;
    if (row.fallback.empty()) continue;
    EXPECT_NO_THROW(row.read(row.fallback, options)) << row.name;
  }
}

TEST(OptionTable, HasTheDefaultsOfTheOptions) {
  Options options;
  for (const OptionRow& row : option_table()) {
    if (!row.fallback.empty()) row.read(row.fallback, options);
  }
  const AnalysisOptions analysis = completed(AnalysisOptions{}, Tuning{});
  const FactorOptions factor = completed(FactorOptions{}, Tuning{});
  EXPECT_EQ(options.analysis.ordering, analysis.ordering);
  EXPECT_EQ(options.analysis.panel_width, analysis.panel_width);
  EXPECT_EQ(options.analysis.amalgamation->widths, analysis.amalgamation->widths);
  EXPECT_EQ(options.analysis.amalgamation->zeros, analysis.amalgamation->zeros);
  EXPECT_EQ(options.analysis.workers, analysis.workers);
  EXPECT_EQ(options.analysis.tuned, analysis.tuned);
  EXPECT_EQ(options.factor.tile_rows, factor.tile_rows);
  EXPECT_EQ(options.factor.subtrees_per_worker, factor.subtrees_per_worker);
  EXPECT_EQ(options.factor.memory_limit, factor.memory_limit);
  EXPECT_EQ(options.runtime, RuntimeOptions{});
  EXPECT_EQ(options.solve.refinement_steps, SolveOptions{}.refinement_steps);
}

TEST(OptionTable, ReadsEachWordOfAChoiceAsReportsNameIt) {
  const auto expect_words = [](const char* name, auto word_in) {
    EXPECT_TRUE(option_row(name).is_choice()) << name;
    for (const std::string& word : option_row(name).words) {
      Options options;
      options.set(name, word);
      EXPECT_EQ(word_in(options), word) << name;
    }
  };
  expect_words("granularity", [](const Options& o) { return name_of(o.factor.granularity); });
  expect_words("kernels", [](const Options& o) { return name_of(o.factor.kernels.from); });
  expect_words("mapping", [](const Options& o) { return name_of(o.factor.mapping); });
  expect_words("trsm-panel",
               [](const Options& o) { return std::to_string(*o.factor.kernels.panel1); });
  expect_words("potrf-panel",
               [](const Options& o) { return std::to_string(*o.factor.kernels.panel2); });
  expect_words("matching", [](const Options& o) { return o.analysis.matching ? "1" : "0"; });
  expect_words("deterministic",
               [](const Options& o) { return o.factor.deterministic ? "1" : "0"; });
}

TEST(OptionTable, IsWhatBindingsList) {
  const auto rows = option_table();
  const auto options = named_options();
  ASSERT_EQ(options.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(options[k].name, rows[k].name);
    EXPECT_EQ(options[k].help, rows[k].help);
    const bool flag = rows[k].name == "deterministic" || rows[k].name == "matching";
    EXPECT_EQ(options[k].flag, flag);
    EXPECT_EQ(options[k].repeated, rows[k].name == "sched-option");
  }
}

TEST(NamedOptions, SetTheOptionsOfEachPhase) {
  Options options;
  for (const char* const assignment :
       {"ordering=amd", "panel-width=64", "amalgamation-widths=1,2,3,4",
        "amalgamation-zeros=1,0.5,1e-2,0", "workers=3", "sched=lws", "sched-option=a=b",
        "device-memory=1K", "granularity=tile", "tile-rows=010", "subtrees-per-worker=1.5",
        "kernels=mixed", "trsm-panel=64", "mapping=block-cyclic", "grid=2x3", "memory-limit=2.5G",
        "refine=0"}) {
    options.set(assignment);
  }
  EXPECT_EQ(options.analysis.ordering, "amd");
  EXPECT_EQ(options.analysis.panel_width, 64);
  EXPECT_EQ(options.analysis.amalgamation->widths, (std::array<Index, 4>{1, 2, 3, 4}));
  EXPECT_EQ(options.analysis.amalgamation->zeros, (std::array<double, 4>{1, 0.5, 1e-2, 0}));
  EXPECT_EQ(options.analysis.workers, 3);
  EXPECT_EQ(options.runtime.workers, 3);
  EXPECT_EQ(options.runtime.scheduler, "lws");
  EXPECT_EQ(options.runtime.scheduler_options,
            (std::vector<std::string>{"a=b", "device_memory=1024"}));
  EXPECT_EQ(options.factor.granularity, Granularity::tile);
  EXPECT_EQ(options.factor.tile_rows, 10);  // not octal
  EXPECT_EQ(options.factor.subtrees_per_worker, 1.5);
  EXPECT_EQ(options.factor.kernels.from, DenseKernels::Source::mixed);
  EXPECT_EQ(options.factor.kernels.panel1, 64);
  EXPECT_EQ(options.factor.mapping, Mapping::block_cyclic);
  EXPECT_EQ(options.factor.grid, (std::array<Index, 2>{2, 3}));
  EXPECT_EQ(options.factor.memory_limit, Count{5} << 29);
  EXPECT_EQ(options.solve.refinement_steps, 0);
}

TEST(NamedOptions, PlanForTheSameWorkersWhereverResultsAreDeterministic) {
  for (const bool workers_first : {true, false}) {
    Options options;
    options.set(workers_first ? "workers=3" : "deterministic=1");
    options.set(workers_first ? "deterministic=1" : "workers=3");
    EXPECT_EQ(options.runtime.workers, 3);
    EXPECT_EQ(options.analysis.workers, 4);
    EXPECT_FALSE(options.analysis.tuned);
    options.set("deterministic", "0");
    EXPECT_EQ(options.analysis.workers, 3);
    EXPECT_TRUE(options.analysis.tuned);
  }
}

TEST(NamedOptions, StayAsTheyAreWhenAValueIsRefused) {
  Options options;
  EXPECT_THROW(options.set("amalgamation-widths=1,2,3,x"), UsageError);
  EXPECT_FALSE(options.analysis.amalgamation.has_value());
  EXPECT_THROW(options.set("panel-width=7"), UsageError);
  EXPECT_FALSE(options.analysis.panel_width.has_value());
}

TEST(NamedOptions, RefuseWhatIsNotAValue) {
  for (const char* const value : {"", "8 ", "+8", "8.5", "0x10", "nan", "7", "8193", "1e99"}) {
    const std::string assignment = std::string("panel-width=") + value;
    expect_refused(assignment.c_str(), {std::string("panel-width: '") + value +
                                        "' is not a whole number from 8 to 8192"});
  }
  expect_refused("subtrees-per-worker=nan", {"'nan' is not a number from 1 to 10000"});
  for (const char* const value :
       {"1,2,3", "1,2,3,4,5", "1,2,3,", ",2,3,4", "1,2,3,-4", "1;2;3;4"}) {
    const std::string assignment = std::string("amalgamation-widths=") + value;
    expect_refused(assignment.c_str(), {value, "is not A,B,C,D with whole numbers from 0 to "});
  }
  expect_refused("grid=0x1", {"grid: '0x1' is not RxC with whole numbers from 1 to 65536"});
  expect_refused("granularity=tiel", {"did you mean tile? choose one of auto, panel, tile, block"});
  expect_refused("memory-limit=1Q", {"memory-limit: '1Q' is not a number of bytes", "500M"});
}

TEST(NamedOptions, RefuseUnknownNamesAndMissingValues) {
  expect_refused("wrkers=2",
                 {"unknown option 'wrkers'; did you mean workers? there are ordering, "});
  expect_refused("ordering", {"the option ordering has no value; write ordering=VALUE"});
  expect_refused("a\x1b[31m=1", {"'a?[31m'"});
}

}  // namespace
}  // namespace espalier::internal
