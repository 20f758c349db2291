// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "schedulers/own_policies.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using Values = PolicyOption::Values;

constexpr std::array<PolicyOption, 5> table{{
    {"order", "first second", "fifo", "which goes first", Values::choice, 0, 0, "fifo lifo"},
    {"limit_us", "first", "auto", "the limit", Values::number, 0, 1e6},
    {"batch", "first", "4", "tasks at once", Values::whole_number, 1, 64},
    {"grid", "first", "auto", "the workers", Values::grid, 1, 4096},
    {"depth", "second", "1", "the depth", Values::whole_number, 0, 9},
}};

char* nothing(const char* /*variable*/) { return nullptr; }

PolicySettings first(const std::vector<std::string>& assignments) {
  return {table, "first", assignments, nothing};
}

TEST(PolicyOptions, AreListedOnceWithAPolicyThatExistsAndAnAllowedDefault) {
  std::set<std::string_view> keys;
  for (const PolicyOption& option : policy_options()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    EXPECT_FALSE(option.help.empty()) << option.key;
    const std::string policy(option.policies.substr(0, option.policies.find(' ')));
    EXPECT_NE(own_policy(policy), nullptr) << option.key;
    const std::vector<std::string> assigned{std::string(option.key) + "=" +
                                            std::string(option.fallback)};
    EXPECT_NO_THROW(PolicySettings(policy_options(), policy, assigned, nothing)) << option.key;
  }
}

TEST(PolicyOptions, HaveTheirDefaultsWhereNothingIsSaid) {
  const PolicySettings settings = first({});
  EXPECT_EQ(settings.text("order"), "fifo");
  EXPECT_EQ(settings.number("batch"), 4);
  EXPECT_EQ(settings.number("limit_us", 2.5), 2.5);
  EXPECT_EQ(settings.text("grid"), "auto");
  EXPECT_THROW(settings.text("depth"), std::out_of_range);
}

TEST(PolicyOptions, TakeTheLastAssignment) {
  const PolicySettings settings =
      first({"batch=7", "order=lifo", "limit_us=12.5", "grid=2x16", "batch=64"});
  EXPECT_EQ(settings.text("order"), "lifo");
  EXPECT_EQ(settings.number("batch"), 64);
  EXPECT_EQ(settings.number("limit_us", 1), 12.5);
  EXPECT_EQ(settings.text("grid"), "2x16");
}

TEST(PolicyOptions, PreferAnAssignmentToTheEnvironmentAndThatToTheDefault) {
  const auto environment = [](const char* variable) {
    static std::array<char, 3> batch{"12"};
    static std::array<char, 9> wrong{"nonsense"};
    const std::string name = variable;
    if (name == "ESPALIER_BATCH") return batch.data();
    return name == "ESPALIER_DEPTH" ? wrong.data() : nullptr;
  };
  EXPECT_EQ(PolicySettings(table, "first", {}, environment).number("batch"), 12);
  const std::vector<std::string> assigned{"batch=3"};
  EXPECT_EQ(PolicySettings(table, "first", assigned, environment).number("batch"), 3);
  support::expect_error<UsageError>([&] { PolicySettings(table, "second", {}, environment); },
                                    {"ESPALIER_DEPTH", "nonsense", "0 to 9", "second"});
}

TEST(PolicyOptions, RefuseOtherKeysAndSayWhichThereAre) {
  support::expect_error<UsageError>([] { first({"batches=3"}); },
                                    {"'batches'", "first has", "order, limit_us, batch, grid"});
  support::expect_error<UsageError>([] { first({"depth=3"}); },
                                    {"'depth'", "0 to 9", "second", "order, limit_us"});
  support::expect_error<UsageError>([] { first({"batch"}); }, {"'batch'", "key=value", "order"});
  const std::vector<std::string> assigned{"batch=3"};
  support::expect_error<UsageError>([&] { PolicySettings(table, "lws", assigned, nothing); },
                                    {"'batch'", "first", "lws has no options"});
}

TEST(PolicyOptions, RefuseOtherValuesAndSayWhichAreAllowed) {
  for (const char* const value : {"", "0", "65", "1.5", "3 ", "many", "auto"}) {
    support::expect_error<UsageError>(
        [&] { first({std::string("batch=") + value}); },
        {"batch: '" + std::string(value) + "' is not", "whole number from 1 to 64", "first"});
  }
  support::expect_error<UsageError>([] { first({"order=FIFO"}); }, {"'FIFO'", "fifo, lifo"});
  support::expect_error<UsageError>([] { first({"limit_us=-1"}); }, {"'-1'", "0 to 1e+06", "auto"});
  support::expect_error<UsageError>([] { first({"limit_us=nan"}); }, {"'nan'"});
  for (const char* const value : {"2", "x2", "2x", "0x2", "2x2x2", "2X2", "2x5000"}) {
    support::expect_error<UsageError>([&] { first({std::string("grid=") + value}); },
                                      {value, "ROWSxCOLUMNS"});
  }
}

TEST(PolicyOptions, StayInUseForThePolicyTheyAreFor) {
  EXPECT_THROW(policy_settings("first").text("batch"), std::out_of_range);
  use_policy_settings("first", first({"batch=9"}));
  EXPECT_EQ(policy_settings("first").number("batch"), 9);
  EXPECT_THROW(policy_settings("second").text("batch"), std::out_of_range);
  use_policy_settings("first", {});
}

TEST(PolicyOptions, AreSetAndReadInSeveralThreads) {
  std::vector<std::thread> threads;
  for (const std::string policy : {"one", "two", "three"}) {
    threads.emplace_back([policy] {
      for (int time = 0; time < 640; ++time) {
        const int batch = time % 64 + 1;
        const std::string own = policy + std::to_string(time % 10);
        use_policy_settings(own, first({"batch=" + std::to_string(batch)}));
        EXPECT_EQ(policy_settings(own).number("batch"), batch);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace espalier::internal
