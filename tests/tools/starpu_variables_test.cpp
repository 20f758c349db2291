// SPDX-License-Identifier: BSD-3-Clause
#include "launch/starpu_variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {
namespace {

const StarpuVariable& variable_named(const std::string& name) {
  const auto all = starpu_variables();
  const auto at = std::find_if(all.begin(), all.end(), [&](const StarpuVariable& variable) {
    return name == variable.name;
  });
  if (at == all.end()) throw std::out_of_range(name);
  return *at;
}

/// Returns the message about the value, empty if it is usable.
std::string said_of(const std::string& name, const std::string& value) {
  try {
    expect_usable(variable_named(name), value);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(StarpuVariables, AreListedOnce) {
  std::set<std::string> names;
  for (const StarpuVariable& variable : starpu_variables()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    EXPECT_LE(variable.lowest, variable.highest) << variable.name;
  }
}

TEST(StarpuVariables, NumbersAreThoseThatStarpuReads) {
  for (const char* const value : {"0", "4", " 4", "+4", "0004", "4096", ""}) {
    EXPECT_EQ(said_of("STARPU_NCPU", value), "") << value;
  }
  for (const char* const value : {"abc", "-5", "4 ", "4x", "1.5", "0x4", "4097", "99999999999",
                                  "99999999999999999999999", "-", "+-4", "+", " ", "\t"}) {
    EXPECT_THAT(said_of("STARPU_NCPU", value), testing::HasSubstr("from 0 to 4096")) << value;
  }
  EXPECT_EQ(said_of("STARPU_CALIBRATE", "2147483647"), "");
  EXPECT_NE(said_of("STARPU_CALIBRATE", "2147483648"), "");
}

TEST(StarpuVariables, NumbersHaveLimitsOfTheirOwn) {
  EXPECT_NE(said_of("STARPU_TCPIP_MS_PORT", "0"), "");
  EXPECT_NE(said_of("STARPU_TCPIP_MS_PORT", ""), "");
  EXPECT_EQ(said_of("STARPU_TCPIP_MS_PORT", "65535"), "");
  EXPECT_NE(said_of("STARPU_TCPIP_MS_PORT", "65536"), "");
}

TEST(StarpuVariables, FractionsAreFinite) {
  for (const char* const value : {"1", "-0.5", "1e-3", ""}) {
    EXPECT_EQ(said_of("STARPU_SCHED_ALPHA", value), "") << value;
  }
  for (const char* const value : {"abc", "1,5", "nan", "inf", "1e99"}) {
    EXPECT_NE(said_of("STARPU_SCHED_ALPHA", value), "") << value;
  }
}

TEST(StarpuVariables, CoresAreNumbersAndRanges) {
  for (const char* const value : {"0", "0 2", "0,2", "0, 2", " 1", "0-3", "0-3,8", "2-", "2- 0"}) {
    EXPECT_EQ(said_of("STARPU_WORKERS_CPUID", value), "") << value;
  }
  for (const char* const value :
       {"", " ", "zz", "-1", "0 -1", "0--1", "0-x", "0zz", "1;2", "9999999"}) {
    EXPECT_NE(said_of("STARPU_WORKERS_CPUID", value), "") << value;
  }
}

TEST(StarpuVariables, ThreadsAndCoresAreThoseOfTheMachine) {
  for (const char* const name : {"STARPU_MAIN_THREAD_CPUID", "STARPU_MAIN_THREAD_COREID"}) {
    EXPECT_EQ(said_of(name, "0"), "") << name;
    for (const char* const value : {"-1", "999999", "first"}) EXPECT_NE(said_of(name, value), "");
  }
}

TEST(StarpuVariables, PathsHaveToBeThere) {
  EXPECT_EQ(said_of("STARPU_PERF_MODEL_DIR", testing::TempDir() + "/not/yet"), "");
  EXPECT_EQ(said_of("STARPU_PERF_MODEL_DIR", ""), "");
  EXPECT_NE(said_of("STARPU_PERF_MODEL_DIR", "/dev/null"), "");
  EXPECT_NE(said_of("STARPU_PERF_MODEL_DIR", "/dev/null/folder"), "");
  EXPECT_EQ(said_of("STARPU_SCHED_LIB", "libpolicies.so"), "");
  EXPECT_NE(said_of("STARPU_SCHED_LIB", "/dev/null/libpolicies.so"), "");
  EXPECT_EQ(said_of("STARPU_HOSTNAME", "node1.2x1"), "");
  EXPECT_NE(said_of("STARPU_HOSTNAME", "rack/node1"), "");
  EXPECT_NE(said_of("STARPU_SINK", ""), "");
}

TEST(StarpuVariables, MessagesAreShortAndPrintable) {
  const std::string said = said_of("STARPU_NCPU", "\n\x1b[31m\xff" + std::string(5000, 'x'));
  EXPECT_THAT(said, testing::HasSubstr("STARPU_NCPU"));
  EXPECT_LT(said.size(), 200U);
  EXPECT_TRUE(std::all_of(said.begin(), said.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
}

}  // namespace
}  // namespace espalier::internal
