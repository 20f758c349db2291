// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <thread>

#include "caller.hpp"

namespace caller {
namespace {

/// A door, a matrix type, and the number of the first row.
using Way = std::tuple<Door, int, int>;

class EveryWay : public testing::TestWithParam<Way> {
 protected:
  Caller caller{std::get<Door>(GetParam()), std::get<1>(GetParam())};
  Upper matrix = std::get<1>(GetParam()) == 2 ? laplace(12) : saddle(120, 40);

  void pass(const Upper& given, int count) {
    caller.set_matrix(given, std::get<2>(GetParam()));
    caller.nrhs = count;
    caller.b = right_hand_sides(given, count);
    caller.x.assign(caller.b.size(), 99);
  }
};

TEST_P(EveryWay, SolvesByEachSequenceOfPhases) {
  for (const std::vector<int>& phases : {std::vector{11, 22, 33}, {12, 33}, {13}, {11, 23}}) {
    pass(matrix, 1);
    for (const int phase : phases) ASSERT_EQ(caller.call(phase), 0) << phase;
    EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
  }
}

TEST_P(EveryWay, SolvesForSeveralRightHandSides) {
  pass(matrix, 5);
  const std::vector<double> before = caller.b;
  ASSERT_EQ(caller.call(13), 0);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
  EXPECT_EQ(caller.b, before);
}

TEST_P(EveryWay, ReplacesRightHandSides) {
  pass(matrix, 3);
  caller.parameter(6) = 1;
  ASSERT_EQ(caller.call(13), 0);
  EXPECT_LE(largest_error(matrix, caller.b), 1e-12);
}

TEST_P(EveryWay, FactorsNewValuesOfTheSamePattern) {
  pass(matrix, 1);
  ASSERT_EQ(caller.run({11, 22}), 0);
  Upper other = matrix;
  for (double& value : other.value) value *= 3;
  pass(other, 1);
  ASSERT_EQ(caller.run({22, 33}), 0);
  EXPECT_LE(largest_error(other, caller.x), 1e-12);
}

TEST_P(EveryWay, IsIndependentOfTheArraysOfEarlierCalls) {
  pass(matrix, 1);
  ASSERT_EQ(caller.call(12), 0);
  std::ranges::fill(caller.a, 1e300);
  std::ranges::fill(caller.ja, 1);
  ASSERT_EQ(caller.call(33), 0);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
}

TEST_P(EveryWay, ReturnsStatistics) {
  pass(matrix, 1);
  caller.parameter(8) = 2;
  ASSERT_EQ(caller.call(11), 0);
  const long entries = std::ssize(matrix.value);
  EXPECT_GT(caller.parameter(15), 0);
  EXPECT_GT(caller.parameter(16), 4 * entries / 1024);
  EXPECT_GE(caller.parameter(18), entries);
  EXPECT_GE(caller.parameter(17), 8 * caller.parameter(18) / 1024);
  EXPECT_GE(caller.parameter(19), 1);
  ASSERT_EQ(caller.run({22, 33}), 0);
  const long negative = caller.mtype == 2 ? 0 : 40;
  EXPECT_EQ(caller.parameter(22), matrix.n - negative);
  EXPECT_EQ(caller.parameter(23), negative);
  EXPECT_EQ(caller.parameter(14), 0);
  EXPECT_LE(caller.parameter(7), 2);
}

INSTANTIATE_TEST_SUITE_P(Pardiso, EveryWay,
                         testing::Values(Way{Door::panua, 2, 1}, Way{Door::panua, -2, 1},
                                         Way{Door::mkl, 2, 1}, Way{Door::mkl, -2, 1},
                                         Way{Door::mkl, 2, 0}, Way{Door::mkl, -2, 0},
                                         Way{Door::mkl_64, 2, 0}, Way{Door::mkl_64, -2, 1}));

class EveryDoor : public testing::TestWithParam<Door> {
 protected:
  /// Makes a caller pass a matrix and its right-hand sides.
  static void pass(Caller& caller, const Upper& matrix) {
    caller.set_matrix(matrix);
    caller.b = right_hand_sides(matrix, 1);
    caller.x.assign(caller.b.size(), 99);
  }
};

TEST_P(EveryDoor, UsesDefaultsIfTheCallerAsksForThem) {
  Caller caller(GetParam(), 2);
  const Upper matrix = laplace(5);
  pass(caller, matrix);
  for (int number = 2; number <= 64; ++number) caller.parameter(number) = 12345;
  caller.parameter(1) = 0;
  ASSERT_EQ(caller.call(13), 0);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
  EXPECT_EQ(caller.parameter(8), 2);
  EXPECT_EQ(caller.parameter(60), 0);
}

TEST_P(EveryDoor, RefinesOnlyIfAllowed) {
  const Upper matrix = laplace(20);
  Caller caller(GetParam(), 2);
  pass(caller, matrix);
  caller.parameter(8) = -1;  // one step
  ASSERT_EQ(caller.call(13), 0);
  EXPECT_LE(caller.parameter(7), 1);
}

TEST_P(EveryDoor, KeepsSeveralFactors) {
  Caller caller(GetParam(), 2);
  caller.maxfct = 3;
  const std::array<Upper, 3> matrices{laplace(8), laplace(8, 1), laplace(8, 2)};
  for (int k = 0; k < 3; ++k) {
    caller.mnum = k + 1;
    pass(caller, matrices[k]);
    ASSERT_EQ(caller.run(k == 1 ? std::initializer_list<int>{22} : std::initializer_list<int>{12}),
              0);
  }
  caller.mnum = 2;
  ASSERT_EQ(caller.call(0), 0);
  pass(caller, matrices[1]);
  EXPECT_EQ(caller.call(33), -1);  // its factor is gone
  for (const int k : {2, 0}) {
    caller.mnum = k + 1;
    pass(caller, matrices[k]);
    ASSERT_EQ(caller.call(33), 0);
    EXPECT_LE(largest_error(matrices[k], caller.x), 1e-12);
  }
  caller.mnum = 2;
  pass(caller, matrices[1]);
  ASSERT_EQ(caller.run({22, 33}), 0);  // the pattern is still known
  EXPECT_LE(largest_error(matrices[1], caller.x), 1e-12);
}

TEST_P(EveryDoor, SolvesInParts) {
  const Upper matrix = laplace(15);
  Caller caller(GetParam(), 2);
  pass(caller, matrix);
  ASSERT_EQ(caller.call(12), 0);
  for (const int phase : {331, 332, 333}) {
    ASSERT_EQ(caller.call(phase), 0);
    caller.b = caller.x;
  }
  EXPECT_LE(largest_error(matrix, caller.x), 1e-11);
  pass(caller, matrix);
  caller.parameter(6) = 1;
  ASSERT_EQ(caller.run({331, 332, 333}), 0);
  EXPECT_LE(largest_error(matrix, caller.b), 1e-11);
}

TEST_P(EveryDoor, ServesIndependentHandlesInThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const Upper matrix = laplace(6 + t);
      Caller caller(GetParam(), 2);
      for (int repetition = 0; repetition < 3; ++repetition) {
        pass(caller, matrix);
        ASSERT_EQ(caller.run({11, 22, 33}), 0);
        EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(EveryDoor, AcceptsMissingDiagonalEntries) {
  const Upper matrix = saddle(60, 20, true);
  Caller caller(GetParam(), -2);
  pass(caller, matrix);
  ASSERT_EQ(caller.run({11, 22, 33}), 0);
  EXPECT_EQ(caller.parameter(23), 20);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
}

TEST_P(EveryDoor, MatchesByTheValuesOfTheAnalysis) {
  const Upper matrix = saddle(600, 250);
  for (const long matching : {1, 2}) {
    Caller caller(GetParam(), -2);
    caller.parameter(13) = matching;
    pass(caller, matrix);
    ASSERT_EQ(caller.run({11, 22, 33}), 0);
    EXPECT_EQ(caller.parameter(14), 0);
    EXPECT_EQ(caller.parameter(23), 250);
    EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
    caller.a.clear();
    EXPECT_EQ(caller.call(11), -1);  // the analysis needs values
    pass(caller, matrix);
  }
}

TEST_P(EveryDoor, AcceptsColumnsInAnyOrder) {
  Upper matrix = laplace(7);
  for (int i = 0; i < matrix.n; ++i) {
    std::reverse(matrix.column.begin() + matrix.begin[i],
                 matrix.column.begin() + matrix.begin[i + 1]);
    std::reverse(matrix.value.begin() + matrix.begin[i],
                 matrix.value.begin() + matrix.begin[i + 1]);
  }
  Caller caller(GetParam(), 2);
  pass(caller, matrix);
  ASSERT_EQ(caller.run({11, 22, 33}), 0);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
}

TEST_P(EveryDoor, GivesTheSameBitsIfAsked) {
  const Upper matrix = laplace(30);
  std::vector<double> first;
  for (const char* workers : {"1", "2"}) {
    setenv("OMP_NUM_THREADS", workers, 1);
    Caller caller(GetParam(), 2);
    pass(caller, matrix);
    caller.parameter(34) = 1;
    ASSERT_EQ(caller.call(13), 0);
    if (first.empty()) first = caller.x;
    EXPECT_EQ(caller.x, first);
  }
  unsetenv("OMP_NUM_THREADS");
}

INSTANTIATE_TEST_SUITE_P(Pardiso, EveryDoor, testing::Values(Door::panua, Door::mkl, Door::mkl_64));

/// A matrix whose first row is full. Its L is sparse only if this row is eliminated last.
Upper arrow(int n) {
  std::vector<std::tuple<int, int, double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2 * n);
    if (i > 0) entries.emplace_back(0, i, 1);
  }
  return {n, entries};
}

/// Returns the entries of L if the row at position k of the permutation, counted from 1, is
/// first_last(k).
long entries_with(Door door, bool hub_last) {
  const int n = 300;
  Caller caller(door, 2);
  const Upper matrix = arrow(n);
  caller.set_matrix(matrix);
  caller.parameter(5) = 1;
  for (int i = 0; i < n; ++i) {
    // In MKL, entry i is the row at position i. In Panua's PARDISO, it is the position of row i.
    const int row_at = hub_last ? (i + 1) % n : i;
    const int position_of = hub_last ? (i + n - 1) % n : i;
    caller.perm.push_back(1 + (door == Door::panua ? position_of : row_at));
  }
  caller.b = right_hand_sides(matrix, 1);
  caller.x = caller.b;
  EXPECT_EQ(caller.call(13), 0);
  EXPECT_LE(largest_error(matrix, caller.x), 1e-12);
  return caller.parameter(18);
}

TEST(Permutation, IsTheEliminationOrder) {
  for (const Door door : {Door::panua, Door::mkl, Door::mkl_64}) {
    EXPECT_EQ(entries_with(door, false), 300 * 301 / 2);
    EXPECT_LE(entries_with(door, true), 5000);
  }
}

TEST(Permutation, IsReturned) {
  for (const Door door : {Door::panua, Door::mkl, Door::mkl_64}) {
    const Upper matrix = arrow(300);
    Caller caller(door, 2);
    caller.set_matrix(matrix);
    caller.perm.assign(300, 0);
    caller.parameter(5) = 2;
    ASSERT_EQ(caller.call(11), 0);
    const long entries = caller.parameter(18);
    std::vector<long> sorted = caller.perm;
    std::ranges::sort(sorted);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(sorted[i], i + 1);
    // The returned permutation has the meaning of a given one, and row 1 is among the last rows.
    const long hub = door == Door::panua
                         ? caller.perm[0]
                         : 1 + (std::ranges::find(caller.perm, 1) - caller.perm.begin());
    EXPECT_GE(hub, 250);
    caller.parameter(5) = 1;
    ASSERT_EQ(caller.call(11), 0);
    EXPECT_EQ(caller.parameter(18), entries);
  }
}

TEST(Determinant, IsReturnedByPanua) {
  Caller caller(Door::panua, 2);
  caller.set_matrix(Upper(3, {{0, 0, 2}, {1, 1, 3}, {2, 2, 4}}));
  caller.parameter(33) = 1;
  ASSERT_EQ(caller.call(12), 0);
  EXPECT_NEAR(caller.dparm[32], std::log(24), 1e-14);
}

}  // namespace
}  // namespace caller
