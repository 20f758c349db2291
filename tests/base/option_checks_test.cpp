// SPDX-License-Identifier: BSD-3-Clause
#include "base/option_checks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <stdexcept>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

template <class Options, class Set>
void expect_refused(Set set, std::initializer_list<std::string> parts) {
  Options options;
  set(options);
  support::expect_error<UsageError>([&] { validate(options); }, parts);
}

template <class Options, class Set>
void expect_taken(Set set) {
  Options options;
  set(options);
  EXPECT_NO_THROW(validate(options));
}

TEST(OptionChecks, TakeTheDefaults) {
  EXPECT_NO_THROW(validate(AnalysisOptions{}));
  EXPECT_NO_THROW(validate(FactorOptions{}));
  EXPECT_NO_THROW(validate(RuntimeOptions{}));
  EXPECT_NO_THROW(validate(SolveOptions{}));
}

TEST(OptionChecks, NameOptionValueAndRange) {
  using A = AnalysisOptions;
  expect_refused<A>([](A& o) { o.factorizations = 0; }, {"factorizations is 0", "1 to "});
  expect_refused<A>([](A& o) { o.workers = -1; }, {"workers is -1", "0 to 4096"});
  expect_refused<A>([](A& o) { o.workers = 4097; }, {"workers is 4097", "0 to 4096"});
  expect_refused<A>([](A& o) { o.panel_width = 7; }, {"panel-width is 7", "8 to 8192"});
  expect_refused<A>([](A& o) { o.panel_width = 8193; }, {"panel-width is 8193", "8 to 8192"});
  expect_refused<A>([](A& o) { o.narrow_panel_width = 7; }, {"narrow-panel-width is 7"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.subtrees_per_worker = 0.9; },
                                {"subtrees-per-worker is 0.9", "1 to 1000"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.tile_rows = 0; }, {"tile-rows is 0"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.memory_limit = -1; },
                                {"memory-limit is -1", "0 to "});
  expect_refused<RuntimeOptions>([](RuntimeOptions& o) { o.workers = -2; },
                                 {"workers is -2", "0 to 4096"});
  expect_refused<SolveOptions>([](SolveOptions& o) { o.refinement_steps = -1; },
                               {"refine is -1", "0 to 100"});
  expect_refused<SolveOptions>([](SolveOptions& o) { o.refinement_steps = 101; },
                               {"refine is 101", "0 to 100"});
}

TEST(OptionChecks, LookAtEachOfTheFourLimits) {
  using A = AnalysisOptions;
  for (std::size_t i = 0; i < 4; ++i) {
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().widths[i] = -1; },
                      {"amalgamation-width is -1"});
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().zeros[i] = 1.01; },
                      {"amalgamation-zeros is 1.01", "0 to 1"});
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().zeros[i] = -0.01; },
                      {"amalgamation-zeros is"});
    expect_refused<A>(
        [i](A& o) { o.amalgamation.emplace().zeros[i] = std::numeric_limits<double>::quiet_NaN(); },
        {"amalgamation-zeros is nan"});
  }
}

TEST(OptionChecks, TakeTheEndsOfTheRanges) {
  using A = AnalysisOptions;
  expect_taken<A>([](A& o) { o.factorizations = 1000000000; });
  expect_taken<A>([](A& o) { o.workers = 4096; });
  expect_taken<A>([](A& o) { o.panel_width = 8; });
  expect_taken<A>([](A& o) { o.panel_width = 8192; });
  expect_taken<A>([](A& o) { o.amalgamation = {{0, 0, 0, 0}, {0, 0, 0, 0}}; });
  expect_taken<A>([](A& o) { o.amalgamation.emplace().zeros = {1, 1, 1, 1}; });
  expect_taken<FactorOptions>([](FactorOptions& o) { o.memory_limit = 1; });
  expect_taken<RuntimeOptions>([](RuntimeOptions& o) { o.workers = 4096; });
  expect_taken<SolveOptions>([](SolveOptions& o) { o.refinement_steps = 100; });
}

TEST(OptionChecks, OfASingleValueNameOptionValueAndRange) {
  EXPECT_NO_THROW(expect_in_range("nrhs", 1));
  EXPECT_NO_THROW(expect_in_range("nrhs", option("nrhs").highest));
  support::expect_error<UsageError>([] { expect_in_range("nrhs", 0); },
                                    {"nrhs is 0", "range 1 to"});
  EXPECT_THROW(expect_in_range("no-such-option", 1), std::out_of_range);
}

TEST(OptionChecks, TableHasEachNameOnceWithRangeAndHelp) {
  std::set<std::string_view> names;
  for (const OptionInfo& info : numeric_options()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_LT(info.lowest, info.highest) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_EQ(&option(info.name), &info);
  }
  EXPECT_GE(names.size(), 9u);
  EXPECT_THROW(option("no-such-option"), std::out_of_range);
  EXPECT_THROW(option(""), std::out_of_range);
}

}  // namespace
}  // namespace espalier
