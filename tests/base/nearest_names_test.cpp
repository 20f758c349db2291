// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace espalier::internal {
namespace {

TEST(NearestNames, CountsEveryKindOfChange) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("lsw", "lws"), 1U) << "neighbours are exchanged";
  EXPECT_EQ(edit_distance("ca", "abc"), 3U) << "no piece is changed twice";
  EXPECT_EQ(edit_distance("METIS", "metis"), 0U);
}

TEST(NearestNames, TheDistanceIsTheSameBothWays) {
  const std::vector<std::string> words{"", "a", "lws", "ws", "dmdas", "dmda", "heteroprio", "prio"};
  for (const std::string& a : words) {
    for (const std::string& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
  }
}

TEST(NearestNames, NamesTheNearestAndAllThatAreAsNear) {
  const std::vector<std::string> known{"lws", "eager", "dmdas", "laplace2d", "laplace3d"};
  EXPECT_EQ(did_you_mean("lsw", known), "did you mean lws? ");
  EXPECT_EQ(did_you_mean("EAGER", known), "did you mean eager? ");
  EXPECT_EQ(did_you_mean("dmda", known), "did you mean dmdas? ");
  EXPECT_EQ(did_you_mean("laplac3d", known), "did you mean laplace3d? ");
  EXPECT_EQ(did_you_mean("laplace", known), "did you mean laplace2d or laplace3d? ");
  EXPECT_EQ(did_you_mean("aaab", {"aaac", "aaad", "aaae", "aaaf"}), "") << "too many names";
}

TEST(NearestNames, NeverGuessesFarOrShortNames) {
  const std::vector<std::string> known{"lws", "ws", "eager", "random", "factorizations"};
  for (const char* const far : {"", "l", "sw", "xyz", "nosuch", "frobnicate", "fatcorizatoinsxx"}) {
    EXPECT_EQ(did_you_mean(far, known), "") << far;
  }
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'a'), known), "");
  EXPECT_EQ(did_you_mean("lws", {}), "");
}

}  // namespace
}  // namespace espalier::internal
