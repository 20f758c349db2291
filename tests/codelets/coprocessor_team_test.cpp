// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/dense.hpp"
#include "codelets/accelerator_cases.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/flavours.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;
using support::Flavour;

constexpr std::array<Index, 2> team_sizes{2, 7};

/// The message of a task as a coprocessor receives it.
class SentMessage {
 public:
  template <class Message, class... Records>
  explicit SentMessage(const Message& message, Index data, const Records&... records) {
    MessageWriter writer;
    writer.write(message);
    (writer.add(records), ...);
    const auto words = writer.words();
    const TaskPayload payload{
        {Message::kind}, nullptr, {0, 1}, data, 0, static_cast<Index>(words.size())};
    memory_.resize(sizeof payload / sizeof(double) + words.size());
    std::memcpy(memory_.data(), &payload, sizeof payload);
    std::memcpy(memory_.data() + sizeof payload / sizeof(double), words.data(), words.size_bytes());
  }
  const TaskPayload& payload() const {
    return *reinterpret_cast<const TaskPayload*>(memory_.data());
  }

 private:
  std::vector<double> memory_;
};

/// Threads that run all tasks together, whatever their size.
class Together {
 public:
  Together(Index threads, const Kernels& kernels)
      : kernels_(kernels), buffer_(threads * update_buffer_entries), team_(threads) {}

  /// Returns the results in addition to the seconds.
  std::vector<double> run(const TaskPayload& payload, TaskData data) {
    std::vector<double> results;
    EXPECT_TRUE(coprocessor::run(payload, data, {kernels_, buffer_.span(), results, &team_}));
    return results;
  }

 private:
  const Kernels& kernels_;
  Buffer buffer_;
  ThreadTeam team_;
};

class TeamOf : public testing::TestWithParam<Index> {
 protected:
  /// The results have the same bits as the reference, because each entry is computed in the same
  /// order.
  auto cases(support::Pivots pivots = support::Pivots::none) {
    const auto same = [](const DenseSample& actual, const DenseSample& expected, Index /*n*/) {
      return actual.same_bits(expected);
    };
    return support::AcceleratorCases(
        [this](const TaskPayload& payload, TaskData data) { return together_.run(payload, data); },
        same, pivots);
  }

 private:
  Together together_{GetParam(), reference::kernels};
};
INSTANTIATE_TEST_SUITE_P(Coprocessor, TeamOf, testing::ValuesIn(team_sizes));

TEST_P(TeamOf, UpdatesAsACpuDoes) { cases().updates(); }
TEST_P(TeamOf, AssemblesAsACpuDoes) { cases().assembles(); }
TEST_P(TeamOf, ReducesAsACpuDoes) { cases().reduces(); }
TEST_P(TeamOf, FactorsRowsAsACpuDoes) { cases().factors(); }
TEST_P(TeamOf, SolvesWithTilesAsACpuDoes) { cases().solves(); }
TEST_P(TeamOf, UpdatesWithSignsAsACpuDoes) { cases(support::Pivots::carried).updates(); }
TEST_P(TeamOf, AssemblesWithSignsAsACpuDoes) { cases(support::Pivots::carried).assembles(); }
TEST_P(TeamOf, FactorsRowsWithPivotsAsACpuDoes) { cases().factors_with_pivots(); }

/// Tests of all kernels with this number of threads.
class TeamKernels : public testing::TestWithParam<std::tuple<Flavour, Index>> {
 protected:
  void SetUp() override {
    const Flavour& flavour = std::get<0>(GetParam());
    if (!flavour.runs_here) GTEST_SKIP() << "this processor has no " << flavour.name;
    together_.emplace(std::get<1>(GetParam()), flavour.kernels);
  }

  /// Compares an update by the team with the reference.
  void update(const Product& product, Index inner) {
    SCOPED_TRACE(testing::Message() << product.rows << " x " << product.columns << " x " << inner
                                    << ", " << product.whole << " whole");
    const DenseSample left = DenseSample::random(product.left_row + product.rows, inner, 1);
    DenseSample right = DenseSample::random(product.right_row + product.columns, inner, 2);
    for (Index k = 0; k < inner; ++k) {
      for (Index j = product.whole; j < std::min(product.columns, product.whole + product.rows);
           ++j) {
        right(product.right_row + j, k) = left(product.left_row + j - product.whole, k);
      }
    }
    DenseSample expected = DenseSample::random(
        product.target_row + (product.row.empty() ? product.rows : product.row.back() + 1),
        product.target_column + product.columns, 3);
    DenseSample actual = expected;
    product.subtract(reference::kernels, left.view(), right.view(), expected.view(), {});
    DenseSample sources[] = {left, right};
    const MatrixView data[] = {actual.view(), sources[0].view(), sources[1].view()};
    together_->run(SentMessage(UpdateMessage{}, 3, product).payload(), data);
    EXPECT_TRUE(actual.guards_intact());
    ASSERT_TRUE(support::close(actual.view(), expected.view(), inner));
  }

  std::optional<Together> together_;
};
INSTANTIATE_TEST_SUITE_P(Coprocessor, TeamKernels,
                         testing::Combine(testing::ValuesIn(support::all_flavours()),
                                          testing::ValuesIn(team_sizes)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_by_" +
                                  std::to_string(std::get<1>(info.param));
                         });

/// The rows of targets are consecutive or have gaps. Targets are rectangles, trapezoids, and
/// rectangles beside trapezoids.
TEST_P(TeamKernels, UpdateAsTheReferenceDoes) {
  for (const Index rows : {1, 8, 9, 131, 260}) {
    const support::Rows gaps = support::every_but(0, rows, 3);
    for (const Index columns : {1, 70}) {
      for (const Index inner : {17, 66}) {
        for (const Index whole : std::set<Index>{0, columns / 3, columns}) {
          Product product{rows, columns, 3, 2, whole, 4, 1};
          update(product, inner);
          product.row = gaps;
          update(product, inner);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(TeamKernels, SolveForRowsAsTheReferenceDoes) {
  for (const Index width : {1, 9, 70}) {
    DenseSample l = DenseSample::dominant_lower(width, 4);
    for (const Index rows : {0, 1, 8, 70, 201}) {
      for (const Index skipped : {0, 5}) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << width << " after " << skipped);
        DenseSample expected = DenseSample::random(skipped + rows, width, 5);
        DenseSample actual = expected;
        reference::kernels.trsm(l.view(), expected.view().row_range(skipped, rows), {});
        const MatrixView data[] = {actual.view(), l.view()};
        together_->run(SentMessage(FactorMessage{skipped}, 2).payload(), data);
        EXPECT_TRUE(actual.guards_intact());
        ASSERT_TRUE(support::close(actual.view(), expected.view(), width));
      }
    }
  }
}

/// Blocks have one panel, or several panels whose last one is narrow or as wide as the others.
TEST_P(TeamKernels, FactorADiagonalBlockAsTheReferenceDoes) {
  for (const Index n : {1, 63, 64, 65, 128, 200}) {
    SCOPED_TRACE(n);
    DenseSample expected = DenseSample::dominant_lower(n, 6);
    DenseSample actual = expected;
    ASSERT_EQ(reference::kernels.potrf(expected.view()).first_bad, -1);
    const MatrixView data[] = {actual.view()};
    const auto diagonal = together_->run(SentMessage(DiagonalMessage{}, 1).payload(), data);
    EXPECT_TRUE(actual.guards_intact() && actual.upper_hidden());
    ASSERT_TRUE(support::close_lower(actual.view(), expected.view(), n));
    ASSERT_EQ(std::ssize(diagonal), n);
    for (Index j = 0; j < n; ++j) EXPECT_EQ(diagonal[j], actual(j, j)) << j;
  }
}

TEST_P(TeamKernels, NameTheFirstColumnWhosePivotFails) {
  constexpr Index n = 200;
  for (const Index bad : {0, 63, 64, 150, 199}) {
    DenseSample a = DenseSample::dominant_lower(n, 7);
    for (Index j = 0; j < bad; ++j) a(bad, j) = 0;
    a(bad, bad) = -1;
    const MatrixView data[] = {a.view()};
    const auto diagonal = together_->run(SentMessage(DiagonalMessage{}, 1).payload(), data);
    const auto failed = std::ranges::find_if(diagonal, [](double d) { return std::isnan(d); });
    EXPECT_EQ(failed - diagonal.begin(), bad);
    EXPECT_TRUE(is_marked_as_failed(a.view()));
  }
}

TEST(CoprocessorTeam, LeavesSmallTasksToOneThread) {
  const auto update = [](Index m, Index n, Index k) {
    return Shape{TaskKind::update, m, n, k, flops::gemm(m, n, k)};
  };
  EXPECT_FALSE(coprocessor::is_worth_a_team(update(20, 10, 10)));
  EXPECT_TRUE(coprocessor::is_worth_a_team(update(2048, 256, 256)));
  EXPECT_TRUE(coprocessor::is_worth_a_team({TaskKind::reduce, 2048, 512, 1}));
  EXPECT_FALSE(coprocessor::is_worth_a_team({TaskKind::forward, 2048, 64, 256, 1e9}));
}

}  // namespace
}  // namespace espalier::internal
