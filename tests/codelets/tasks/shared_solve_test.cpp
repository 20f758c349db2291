// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/shared_solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codelets/samples.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// Two right-hand sides, the second one ten times the first. A node of the solve with four rows,
/// and a tile of a panel with columns 1 and 2 of L:
///
///   2        columns 1 and 2
///   3  4
///   5  6     rows 0 and 3 of the node
///   7  8
class SharedTile : public testing::Test {
 protected:
  SharedTile() {
    l_(0, 0) = 2, l_(1, 0) = 3, l_(2, 0) = 5, l_(3, 0) = 7;
    l_(1, 1) = 4, l_(2, 1) = 6, l_(3, 1) = 8;
    node_.vectors = {front_.data(), 2, 4, 2};
    structure_.n = 3;
    context_.structure = &structure_;
    worker_.workspace.vectors.resize(8);
  }

  SharedTileArguments tile(bool diagonal) {
    const ConstMatrixView all = l_.view();
    return {{{&context_}, &vectors_, old_of_.data()},
            diagonal ? all : all.row_range(2, 2),
            diagonal,
            1,
            place_,
            &node_};
  }
  void set_local_vector(const std::vector<double>& one) {
    const std::vector<double> both = two(one);
    std::copy(both.begin(), both.end(), front_.begin());
  }
  void set_vectors() { vectors_ = {b_.data(), x_.data(), 2}; }

  std::array<MatrixView, 1> segment() { return {MatrixView{segment_.data(), 2, 2, 2}}; }
  static std::vector<double> two(std::vector<double> one) {
    std::vector<double> both;
    for (const double value : one) both.insert(both.end(), {value, 10 * value});
    return both;
  }

  DenseSample l_{4, 2};
  std::vector<double> front_ = two({100, 200, 300, 400});
  std::vector<double> segment_ = two({8, 20});
  std::vector<double> b_{1, 2, 3, 4, 5, 6};
  std::vector<double> x_ = std::vector<double>(6, -1.0);
  std::vector<Index> place_{0, 3};
  const std::array<Index, 3> old_of_{2, 0, 1};
  SolveNode node_;
  SolveVectors vectors_;
  PanelStructure structure_;
  FactorContext context_;
  support::SampleWorker sample_{4};
  Worker worker_{reference::kernels, sample_.workspace};
};

TEST_F(SharedTile, WithADiagonalBlockSolvesForwardAndSubtractsTheRest) {
  ForwardSharedTileTask{tile(true)}.run(segment(), worker_);
  EXPECT_EQ(segment_, two({4, 2}));
  EXPECT_EQ(front_, two({100 - 32, 200, 300, 400 - 44}));
}

TEST_F(SharedTile, WithoutADiagonalBlockReadsItsSegment) {
  ForwardSharedTileTask{tile(false)}.run(segment(), worker_);
  EXPECT_EQ(segment_, two({8, 20}));
  EXPECT_EQ(front_, two({100 - 160, 200, 300, 400 - 216}));
}

TEST_F(SharedTile, WorksInTheFrontWhereItsRowsFollowOneAnother) {
  place_ = {1, 2};
  worker_.workspace.vectors.clear();
  ForwardSharedTileTask{tile(false)}.run(segment(), worker_);
  EXPECT_EQ(front_, two({100, 200 - 160, 300 - 216, 400}));
}

TEST_F(SharedTile, WithADiagonalBlockSolvesBackwardAndStoresX) {
  set_vectors();
  set_local_vector({1, 200, 300, 2});
  segment_ = two({8 + 19 + 3, 20 + 22});
  BackwardSharedTileTask{tile(true), false}.run(segment(), worker_);
  EXPECT_EQ(segment_, two({-2, 5}));
  EXPECT_EQ(x_, (std::vector<double>{-2, 5, -1, -20, 50, -1}));
}

TEST_F(SharedTile, LeavesStoringXToAnotherTask) {
  set_vectors();
  set_local_vector({1, 200, 300, 2});
  segment_ = two({8 + 19 + 3, 20 + 22});
  SharedTileArguments with_triangle = tile(true);
  with_triangle.first_column = -1;
  BackwardSharedTileTask{with_triangle, false}.run(segment(), worker_);
  EXPECT_EQ(segment_, two({-2, 5}));
  EXPECT_EQ(x_, std::vector<double>(6, -1.0));
}

TEST_F(SharedTile, IsForAcceleratorsWhereItHasAMessage) {
  SharedTileArguments rows = tile(false);
  EXPECT_FALSE(rows.is_for_accelerators({TaskKind::forward}));
  rows.words.write(SolveTileMessage{-1});
  EXPECT_TRUE(rows.is_for_accelerators({TaskKind::forward}));
}

TEST_F(SharedTile, ThatIsTheFirstOfItsRankClearsTheSegment) {
  set_local_vector({1, 200, 300, 2});
  BackwardSharedTileTask{tile(false), true}.run(segment(), worker_);
  EXPECT_EQ(segment_, two({-19, -22}));
  EXPECT_EQ(x_, std::vector<double>(6, -1.0));
}

/// The node has a child, whose rows map to rows 1 and 3 of the node.
TEST_F(SharedTile, BeginsWithBAndWhatTheDomainLeft) {
  set_vectors();
  std::vector<double> left = two({0, 7, 9});
  SolveNode child;
  child.columns = 1;
  child.in_parent = {1, 3};
  child.vectors = {left.data(), 2, 3, 2};
  node_.children = {&child};
  const VectorArguments vectors{{&context_}, &vectors_, old_of_.data()};
  LoadSegmentTask{vectors, &node_, 0, 2, 1}.run({}, worker_);
  EXPECT_EQ(front_, (std::vector<double>{1, 4, 2 + 7, 5 + 70, 300, 3000, 400, 4000}));
  LoadSegmentTask{vectors, &node_, 2, 4}.run({}, worker_);
  EXPECT_EQ(front_, (std::vector<double>{1, 4, 9, 75, 0, 0, 9, 90}));
}

TEST_F(SharedTile, HasWhatAnotherRankAddsToASegment) {
  std::vector<double> other = two({1, 2});
  const std::array data{segment()[0], MatrixView{other.data(), 2, 2, 2}};
  AddSegmentTask{{&context_}}.run(data, worker_);
  EXPECT_EQ(segment_, two({9, 22}));
}

}  // namespace
}  // namespace espalier::internal
