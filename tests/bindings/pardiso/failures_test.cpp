// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <limits>

#include "caller.hpp"

namespace caller {
namespace {

class Failures : public testing::TestWithParam<Door> {
 protected:
  Caller caller{GetParam(), 2};
  Upper matrix = laplace(5);

  Failures() { pass(matrix); }

  void pass(const Upper& given) {
    caller.set_matrix(given);
    caller.b = right_hand_sides(given, 1);
    caller.x.assign(caller.b.size(), 99);
  }

  /// Calls a phase, expects this error, and returns the message.
  std::string message(int phase, int error) {
    caller.msglvl = 1;
    testing::internal::CaptureStderr();
    EXPECT_EQ(caller.call(phase), error);
    caller.msglvl = 0;
    return testing::internal::GetCapturedStderr();
  }
};

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_P(Failures, RefusesOtherMatrixTypes) {
  for (const int type : {1, 11, 13, 3, 4, -4, 6, 0}) {
    caller.mtype = type;
    expect_contains(message(11, -1), "type 2 (positive definite) and type -2 (indefinite)");
  }
}

TEST_P(Failures, RefusesOtherPhases) {
  for (const int phase : {1, 10, 14, 21, 32, 44, -22, 330, 334}) {
    expect_contains(message(phase, -1), "phase " + std::to_string(phase) + " is not supported");
  }
}

TEST_P(Failures, ExpectPhasesInOrder) {
  expect_contains(message(22, -1), "call phase 11");
  expect_contains(message(33, -1), "call phase 11");
  ASSERT_EQ(caller.call(11), 0);
  expect_contains(message(33, -1), "needs a factorization");
  expect_contains(message(331, -1), "needs a factorization");
}

TEST_P(Failures, RefuseOtherMatricesThanTheAnalyzedOne) {
  ASSERT_EQ(caller.call(12), 0);
  pass(laplace(6));
  expect_contains(message(22, -1), "25 rows");
  Upper other = matrix;
  other.column[2] += 1;
  pass(other);
  expect_contains(message(22, -1), "differ from the analyzed pattern");
  caller.mtype = -2;
  expect_contains(message(22, -1), "matrix type");
}

TEST_P(Failures, NameTheColumnOfAFailedPivot) {
  matrix.value[0] = -1;
  pass(matrix);
  ASSERT_EQ(caller.call(11), 0);
  expect_contains(message(22, -4), "column 1");
  if (GetParam() != Door::panua) {
    EXPECT_EQ(caller.parameter(30), 1);
  }
  EXPECT_EQ(caller.call(33), -1);
  pass(laplace(5));
  EXPECT_EQ(caller.run({22, 33}), 0);  // other values of the same pattern
  if (GetParam() != Door::panua) {
    EXPECT_EQ(caller.parameter(30), 0);
  }
}

TEST_P(Failures, RefuseSolutionsThatAreNotFinite) {
  ASSERT_EQ(caller.call(12), 0);
  caller.b[3] = std::numeric_limits<double>::quiet_NaN();
  expect_contains(message(33, -4), "not finite");
}

TEST_P(Failures, RefuseValuesThatAreNotFinite) {
  for (const int base : {1, 0}) {
    caller.set_matrix(matrix, base);
    caller.a[5] = std::numeric_limits<double>::infinity();  // row 1, column 6, counted from 0
    ASSERT_EQ(caller.call(11), 0);
    const std::string place = base == 0 ? "row 1 has a value in column 6 that is not finite"
                                        : "row 2 has a value in column 7 that is not finite";
    expect_contains(message(22, -1), place);
    caller.mtype = -2;
    caller.parameter(13) = 1;
    expect_contains(message(11, -1), place);  // matching needs the values
    caller.parameter(13) = 0;
    caller.mtype = 2;
  }
}

TEST_P(Failures, ExpectTheUpperTriangle) {
  caller.ja[1] = 26;
  expect_contains(message(11, -1), "column 26");
  pass(matrix);
  caller.ja[5] = 1;
  expect_contains(message(11, -1), "not in the upper triangle");
  pass(matrix);
  caller.ia[3] = 1;
  expect_contains(message(11, -1), "ia descends");
  pass(matrix);
  caller.ja[5] = caller.ja[4];
  expect_contains(message(11, -1), "row 2 has two entries in column 3, counted from 1");
}

TEST_P(Failures, ExpectTheNumberOfTheFirstRow) {
  caller.ia[0] = 3;
  expect_contains(message(11, -1), "ia begins with 3");
  if (GetParam() == Door::panua) return;
  pass(matrix);
  caller.parameter(35) = 1;
  expect_contains(message(11, -1), "iparm(35)");
}

TEST_P(Failures, RefusesWrongNumbers) {
  caller.mnum = 2;
  expect_contains(message(11, -1), "maxfct");
  caller.mnum = 1;
  caller.n = 0;
  expect_contains(message(11, -1), "at least one row");
  caller.n = 25;
  ASSERT_EQ(caller.call(12), 0);
  caller.nrhs = 0;
  expect_contains(message(33, -1), "nrhs is 0");
}

TEST_P(Failures, RefusesMissingArrays) {
  caller.ia.clear();
  expect_contains(message(11, -1), "ia or ja is null");
  pass(matrix);
  ASSERT_EQ(caller.call(11), 0);
  caller.a.clear();
  expect_contains(message(22, -1), "a is null");
  pass(matrix);
  ASSERT_EQ(caller.call(22), 0);
  caller.x.clear();
  expect_contains(message(33, -1), "b or x is null");
  caller.parameter(5) = 2;
  expect_contains(message(11, -1), "perm is null");
}

TEST_P(Failures, RefuseWrongPermutations) {
  caller.parameter(5) = 1;
  caller.perm.assign(25, 1);
  expect_contains(message(11, -3), "perm is not a permutation");
}

TEST_P(Failures, RefuseUnsupportedFeatures) {
  const std::vector<int> features =
      GetParam() == Door::panua ? std::vector{32, 38} : std::vector{28, 36, 37, 43};
  for (const int number : features) {
    caller.parameter(number) = 1;
    expect_contains(message(11, -1), "iparm(" + std::to_string(number) + ") is 1");
    caller.parameter(number) = 0;
  }
}

TEST_P(Failures, RefuseHandlesOfOthers) {
  int other = 0;
  caller.pt[0] = &other;
  expect_contains(message(11, -1), "pt does not belong");
  expect_contains(message(-1, -1), "pt does not belong");
  caller.pt[0] = nullptr;
  ASSERT_EQ(caller.call(11), 0);
  void* const released = caller.pt[0];
  ASSERT_EQ(caller.call(-1), 0);
  EXPECT_EQ(caller.pt[0], nullptr);
  caller.pt[0] = released;
  EXPECT_EQ(caller.call(22), -1);
  caller.pt[0] = nullptr;
}

TEST_P(Failures, ReportALackOfMemory) {
  setenv("ESPALIER_OPTIONS", "memory-limit=1K", 1);
  ASSERT_EQ(caller.call(11), 0);
  unsetenv("ESPALIER_OPTIONS");
  expect_contains(message(22, -2), "memory");
}

TEST_P(Failures, RefuseWrongOptionsInTheEnvironment) {
  setenv("ESPALIER_OPTIONS", "ordering=amd  wrong=1", 1);
  expect_contains(message(11, -1), "wrong");
  setenv("ESPALIER_OPTIONS", "ordering=amd factorization=llt", 1);
  expect_contains(message(11, -1), "the matrix type chooses the factorization");
  unsetenv("ESPALIER_OPTIONS");
}

TEST_P(Failures, RefuseSingularMatrices) {
  Caller singular(GetParam(), -2);
  // The last two rows of the constraints are equal.
  const Upper dependent(
      6, {{0, 0, 2}, {0, 4, 1}, {0, 5, 1}, {1, 1, 3}, {1, 4, 1}, {1, 5, 1}, {2, 2, 1}, {3, 3, 4}});
  for (const Upper& matrix : {dependent, Upper(3, {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}),
                              Upper(2, {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}}),
                              // The large entry hides the small residual of a huge solution.
                              Upper(3, {{0, 0, 1e6}, {1, 1, 1}, {1, 2, 1}, {2, 2, 1}})}) {
    singular.set_matrix(matrix);
    ASSERT_EQ(singular.call(11), 0);
    singular.msglvl = 1;
    testing::internal::CaptureStderr();
    EXPECT_EQ(singular.call(22), -4);
    expect_contains(testing::internal::GetCapturedStderr(), "singular to rounding");
    singular.msglvl = 0;
    if (GetParam() != Door::panua) {
      EXPECT_GE(singular.parameter(30), 1);
      EXPECT_LE(singular.parameter(30), matrix.n);
    }
  }
}

/// No phase uses the factor or the numbers of an earlier matrix.
TEST_P(Failures, LeaveNoFactor) {
  for (const bool finite : {true, false}) {
    caller.mtype = -2;
    pass(Upper(2, {{0, 0, 1}, {0, 1, 2}, {1, 1, 1}}));
    ASSERT_EQ(caller.run({12, 33}), 0);
    EXPECT_EQ(caller.parameter(22), 1);
    EXPECT_EQ(caller.parameter(23), 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    pass(Upper(2, {{0, 0, 1}, {0, 1, finite ? 1 : nan}, {1, 1, 1}}));
    ASSERT_EQ(caller.call(22), finite ? -4 : -1);
    EXPECT_EQ(caller.parameter(22), 0);
    EXPECT_EQ(caller.parameter(23), 0);
    EXPECT_EQ(caller.parameter(14), 0);
    expect_contains(message(33, -1), "phase 33 needs a factorization; call phase 22 first");
    pass(Upper(2, {{0, 0, 1}, {0, 1, 3}, {1, 1, 1}}));
    EXPECT_EQ(caller.run({22, 33}), 0);  // the handle still works
    EXPECT_EQ(caller.parameter(23), 1);
  }
}

TEST_P(Failures, RefusePartsOfIndefiniteSolves) {
  Caller indefinite(GetParam(), -2);
  const Upper matrix = saddle(20, 5);
  indefinite.set_matrix(matrix);
  indefinite.b = indefinite.x = right_hand_sides(matrix, 1);
  ASSERT_EQ(indefinite.call(12), 0);
  for (const int phase : {331, 332, 333}) EXPECT_EQ(indefinite.call(phase), -1);
}

INSTANTIATE_TEST_SUITE_P(Pardiso, Failures, testing::Values(Door::panua, Door::mkl, Door::mkl_64));

TEST(Errors, OfSizesAbove32Bits) {
  Caller caller(Door::mkl_64, 2);
  caller.set_matrix(laplace(3));
  caller.n = long{1} << 31;
  EXPECT_EQ(caller.call(11), -8);
  caller.n = 9;
}

TEST(Errors, OfNullPointers) {
  int error = 77;
  std::array<void*, 64> pt{};
  std::array<int, 64> numbers{};
  const int one = 1;
  const int two = 2;
  const int phase = 11;
  auto* const pardiso = mkl().function<MklFunction<int>>("pardiso");
  pardiso(nullptr, &one, &one, &two, &phase, &one, nullptr, nullptr, nullptr, nullptr, &one,
          numbers.data(), &one, nullptr, nullptr, &error);
  EXPECT_EQ(error, -1);
  pardiso(pt.data(), nullptr, &one, &two, &phase, &one, nullptr, nullptr, nullptr, nullptr, nullptr,
          numbers.data(), nullptr, nullptr, nullptr, &error);
  EXPECT_EQ(error, -1);
  pardiso(pt.data(), &one, &one, &two, &phase, &one, nullptr, nullptr, nullptr, nullptr, &one,
          nullptr, &one, nullptr, nullptr, nullptr);  // must only return
}

TEST(Messages, OfWrongUseComeOnceUnlessAskedFor) {
  Caller caller(Door::mkl, 11);
  caller.set_matrix(laplace(3));
  EXPECT_EQ(caller.call(11), -1);  // other tests may have caused the first message
  testing::internal::CaptureStderr();
  EXPECT_EQ(caller.call(11), -1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Messages, AreStatisticsIfAskedFor) {
  for (const Door door : {Door::panua, Door::mkl}) {
    Caller caller(door, 2);
    const Upper matrix = laplace(5);
    caller.set_matrix(matrix);
    caller.b = caller.x = right_hand_sides(matrix, 1);
    caller.msglvl = 1;
    testing::internal::CaptureStdout();
    ASSERT_EQ(caller.call(13), 0);
    const std::string text = testing::internal::GetCapturedStdout();
    for (const char* part : {"phase 13", "25 rows, 65 entries", "nnz(L)", "worker",
                             "1 right-hand sides", "backward error"}) {
      expect_contains(text, part);
    }
  }
}

TEST(Messages, HaveOnlyWhatAPhaseKnows) {
  Caller caller(Door::mkl, 2);
  const Upper matrix = laplace(5);
  caller.set_matrix(matrix);
  caller.b = caller.x = right_hand_sides(matrix, 1);
  ASSERT_EQ(caller.call(12), 0);
  caller.msglvl = 1;
  for (const int phase : {33, 331}) {
    testing::internal::CaptureStdout();
    ASSERT_EQ(caller.call(phase), 0);
    const std::string text = testing::internal::GetCapturedStdout();
    expect_contains(text, "25 rows, 65 entries in the upper triangle");
    expect_contains(text, "1 right-hand sides");
    EXPECT_EQ(text.find("nnz(L)"), std::string::npos) << text;
    EXPECT_EQ(text.find("backward error") != std::string::npos, phase == 33) << text;
  }
}

}  // namespace
}  // namespace caller
