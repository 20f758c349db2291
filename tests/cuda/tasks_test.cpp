// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/tasks.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "codelets/accelerator_cases.hpp"
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/device_context.hpp"
#include "codelets/cuda/functions.hpp"

/// Tasks on a CUDA device by their messages, without StarPU.
namespace espalier::internal {
namespace {

using cuda::expect_success;
using support::AcceleratorCases;
using support::DenseSample;

/// A matrix of the host on the device, all of its memory from the first entry to the last.
class Copy {
 public:
  explicit Copy(MatrixView here) : here_(here), bytes_(bytes_of(here)) {
    void* there = nullptr;
    expect_success(cudaMalloc(&there, bytes_), "allocating");
    there_.reset(static_cast<double*>(there));
    expect_success(cudaMemcpy(there, here.data, bytes_, cudaMemcpyHostToDevice), "copying");
  }

  MatrixView view() const { return {there_.get(), here_.rows, here_.columns, here_.ld}; }
  void bring_home() const {
    expect_success(cudaMemcpy(here_.data, there_.get(), bytes_, cudaMemcpyDeviceToHost), "copying");
  }

 private:
  static std::size_t bytes_of(MatrixView m) {
    return static_cast<std::size_t>((m.columns - 1) * m.ld + m.rows) * sizeof(double);
  }

  MatrixView here_;
  std::size_t bytes_;
  cuda::OnDevice<double> there_;
};

class CudaTasks : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    context_.emplace(cudaStream_t{});
  }

  /// What the device returns.
  std::vector<double> run(const TaskPayload& payload, TaskData data) {
    std::vector<Copy> copies;
    for (const MatrixView& view : data) copies.emplace_back(view);
    std::vector<MatrixView> there;
    for (const Copy& copy : copies) there.push_back(copy.view());
    cuda::run(payload, there, *context_);
    expect_success(cudaDeviceSynchronize(), "waiting");
    for (const Copy& copy : copies) copy.bring_home();
    const auto diagonal = payload.shape.kind == TaskKind::diagonal ? data[0].columns : 0;
    return {context_->result(), context_->result() + 1 + diagonal};
  }

  auto cases() {
    const auto run_there = [this](const TaskPayload& payload, TaskData data) {
      const std::vector<double> result = run(payload, data);
      EXPECT_GE(result.front(), 0);
      EXPECT_LT(result.front(), 10);
    };
    const auto same = [](const DenseSample& actual, const DenseSample& expected, Index n) {
      return support::close(actual.view(), expected.view(), n);
    };
    return AcceleratorCases(run_there, same);
  }

  /// The diagonal of L that comes back, where entry (bad, bad) of the matrix is -1.
  std::vector<double> factor_diagonal(DenseSample& block, Index bad) {
    if (bad >= 0) block(bad, bad) = -1;
    FactorContext context;
    LazyTile lazy;
    const DiagonalTask task{{{&context}, &lazy}, 0};
    const support::SamplePayload sample({TaskKind::diagonal}, task, 1);
    const MatrixView data[] = {block.view()};
    const std::vector<double> result = run(sample.payload(), data);
    return {result.begin() + 1, result.end()};
  }

  std::optional<cuda::DeviceContext> context_;
};

TEST(CudaFunctions, AreOfAllKindsButSubtreesAndWhatTheseContribute) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const bool runs = kind != TaskKind::subtree && kind != TaskKind::assemble;
    EXPECT_EQ(cuda::function(kind) != nullptr, runs) << name_of(kind);
  }
}

TEST_F(CudaTasks, UpdateAsACpuDoes) { cases().updates(); }
TEST_F(CudaTasks, ReduceAsACpuDoes) { cases().reduces(); }
TEST_F(CudaTasks, FactorRowsAsACpuDoes) { cases().factors(); }
TEST_F(CudaTasks, SolveWithTilesAsACpuDoes) { cases().solves(); }

/// Three targets, and so lists of three matrices; the message; and nothing else.
TEST_F(CudaTasks, BringTheirListsAlone) {
  auto* const brought =
      reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "stand_in_bytes_to_devices"));
  if (brought == nullptr) return;  // a device does not tell
  const auto run_there = [&](const TaskPayload& payload, TaskData data) {
    const long before = brought();
    run(payload, data);
    EXPECT_EQ(brought() - before, payload.content().size_bytes() + 3 * 3 * sizeof(double*));
  };
  const auto any = [](const DenseSample&, const DenseSample&, Index) { return true; };
  AcceleratorCases(run_there, any).joint_updates();
}

TEST_F(CudaTasks, FactorDiagonalBlocksAsACpuDoes) {
  for (const Index n : {1, 7, 64, 257, 500}) {
    DenseSample block = DenseSample::dominant_lower(n, 3);
    DenseSample expected = block;
    ASSERT_EQ(reference::kernels.potrf(expected.view()), -1);
    const std::vector<double> diagonal = factor_diagonal(block, -1);
    EXPECT_TRUE(support::close_lower(block.view(), expected.view(), n));
    EXPECT_TRUE(block.guards_intact());
    for (Index j = 0; j < n; ++j) EXPECT_EQ(diagonal[j], block(j, j));
  }
}

TEST_F(CudaTasks, ReturnTheFirstPivotThatFails) {
  for (const Index bad : {0, 5, 299}) {
    DenseSample block = DenseSample::dominant_lower(300, 3);
    const std::vector<double> diagonal = factor_diagonal(block, bad);
    for (Index j = 0; j < bad; ++j) EXPECT_GT(diagonal[j], 0);
    EXPECT_FALSE(diagonal[bad] > 0);
  }
}

TEST_F(CudaTasks, FillShadowsWithZeros) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {7, 3}, {1500, 5}}) {
    DenseSample shadow = DenseSample::random(rows, columns, 3);
    FactorContext context;
    LazyTile lazy{.part = {}, .from_zero = true};
    Shape shape{TaskKind::fill};
    shape.device = 0;
    const support::SamplePayload sample(shape, FillTask{{{&context}, &lazy}}, 1);
    const MatrixView data[] = {shadow.view()};
    run(sample.payload(), data);
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) EXPECT_EQ(shadow(i, j), 0);
    }
    EXPECT_TRUE(shadow.guards_intact());
  }
}

/// There are more tasks than have room at a time on one stream.
TEST_F(CudaTasks, KeepTheirResultsApart) {
  for (Index task = 0; task < 30; ++task) {
    DenseSample block = DenseSample::dominant_lower(20 + task, 3);
    EXPECT_EQ(std::ssize(factor_diagonal(block, -1)), 20 + task);
  }
}

}  // namespace
}  // namespace espalier::internal
