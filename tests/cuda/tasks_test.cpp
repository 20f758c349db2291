// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/tasks.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "codelets/accelerator_cases.hpp"
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/device_context.hpp"
#include "codelets/cuda/functions.hpp"

/// Tasks on a CUDA device, given by their messages, without StarPU.
namespace espalier::internal {
namespace {

using cuda::expect_success;
using support::AcceleratorCases;
using support::DenseSample;

/// Copy of a host matrix on the device, with all of its memory from the first entry to the last.
class Copy {
 public:
  explicit Copy(MatrixView here) : here_(here), bytes_(bytes_of(here)) {
    void* there = nullptr;
    expect_success(cudaMalloc(&there, bytes_), "allocating");
    there_.reset(static_cast<double*>(there));
    expect_success(cudaMemcpy(there, here.data, bytes_, cudaMemcpyHostToDevice), "copying");
  }

  MatrixView view() const { return {there_.get(), here_.rows, here_.columns, here_.ld}; }
  void copy_to_host() const {
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

/// Returns a count of the stand-in, or 0 on a real device.
long counted(const char* what) {
  auto* const count = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, what));
  return count == nullptr ? 0 : count();
}

/// Maximum number of kernels, library calls and copies of a task on its stream, without its timing.
class Operations {
 public:
  static Index most_of(const TaskPayload& payload) {
    Index most = 0;
    payload.read<CudaMessages>([&](const auto& message) { most = most_of(message); });
    return most;
  }
  /// Number of lists of positions in the message. One copy brings all of them to the device.
  static Index lists_of(const TaskPayload& payload) {
    Index lists = 0;
    payload.read<CudaMessages>([&](const auto& message) { lists = lists_of(message); });
    return lists;
  }

 private:
  /// One product, and a kernel that scatters it. Several products also need a copy of their
  /// positions.
  /// Signs need another kernel.
  static Index most_of(const UpdateMessage& message) {
    const Index upload = lists_of(message) > 0 ? 1 : 0;
    return upload + (message.products.count == 1 ? 2 : 3) + message.signs;
  }
  static Index most_of(const FactorMessage& message) { return message.pivots == 0 ? 1 : 3; }
  static Index most_of(const ReduceMessage& /*message*/) { return 2; }
  static Index most_of(const DiagonalMessage& /*message*/) { return 2; }
  template <std::derived_from<SolveTileMessage> Message>
  static Index most_of(const Message& message) {
    return message.clears + (message.triangle < 0 ? 0 : 1) + message.blocks.count;
  }
  template <class Message>
  static Index most_of(const Message& /*message*/) {
    return 1;
  }
  static Index lists_of(const UpdateMessage& message) {
    Index lists = 0;
    message.products.for_each([&](const Product& product) {
      lists +=
          static_cast<Index>(!product.row.empty()) + static_cast<Index>(!product.column.empty());
    });
    return lists;
  }
  static Index lists_of(const ReduceMessage& /*message*/) { return 1; }
  template <class Message>
  static Index lists_of(const Message& /*message*/) {
    return 0;
  }
};

/// Keeps the message of a payload on the device while the object lives.
class CopyOfMessage {
 public:
  CopyOfMessage(const TaskPayload& payload, CopiedMemory& messages) : messages_(messages) {
    const auto content = std::as_bytes(payload.content());
    void* there = nullptr;
    expect_success(cudaMalloc(&there, content.size() + 1), "allocating");
    there_.reset(static_cast<std::byte*>(there));
    expect_success(cudaMemcpy(there, content.data(), content.size(), cudaMemcpyHostToDevice),
                   "copying");
    messages_ = {content, {there_.get()}};
  }
  ~CopyOfMessage() { messages_ = {}; }
  CopyOfMessage(const CopyOfMessage&) = delete;
  CopyOfMessage& operator=(const CopyOfMessage&) = delete;

 private:
  CopiedMemory& messages_;
  cuda::OnDevice<std::byte> there_;
};

class CudaTasks : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    context_.emplace(cudaStream_t{});
  }

  /// Runs the task. Returns the seconds and the results of the device.
  std::vector<double> run(const TaskPayload& payload, TaskData data) {
    std::vector<Copy> copies;
    for (const MatrixView& view : data) copies.emplace_back(view);
    std::vector<MatrixView> there;
    for (const Copy& copy : copies) there.push_back(copy.view());
    const long before = counted("stand_in_operations");
    cuda::run(payload, there, *context_);
    expect_success(cudaDeviceSynchronize(), "waiting");
    operations_ = counted("stand_in_operations") - before;
    for (const Copy& copy : copies) copy.copy_to_host();
    if (payload.shape.kind == TaskKind::diagonal) {
      EXPECT_LE(operations_, 2);
    }
    return {context_->result(), context_->result() + 1 + payload.results};
  }

  /// Test cases with or without timing, and with or without a copy of the messages on the device.
  auto cases(bool timed = false, bool copied = false,
             support::Pivots pivots = support::Pivots::none) {
    const auto run_there = [=, this](const TaskPayload& payload, TaskData data) {
      FactorContext& factor = *payload.task->arguments->context;
      factor.times_devices = timed;
      std::optional<CopyOfMessage> copy;
      if (copied) copy.emplace(payload, factor.messages);
      const std::vector<double> result = run(payload, data);
      const double seconds = result.front();
      if (timed) {
        EXPECT_GE(seconds, 0);
        EXPECT_LT(seconds, 10);
      } else {
        EXPECT_EQ(seconds, not_timed);
      }
      const Index most = Operations::most_of(payload) + (timed ? 2 : 0);
      EXPECT_LE(operations_, most - (copied && Operations::lists_of(payload) > 0 ? 1 : 0));
      return std::vector<double>(result.begin() + 1, result.end());
    };
    const auto same = [](const DenseSample& actual, const DenseSample& expected, Index n) {
      return support::close(actual.view(), expected.view(), n);
    };
    return AcceleratorCases(run_there, same, pivots);
  }

  /// Returns the diagonal of L from the device. If `bad` is not negative, entry (bad, bad) of the
  /// matrix is -1.
  std::vector<double> factor_diagonal(DenseSample& block, Index bad) {
    if (bad >= 0) block(bad, bad) = -1;
    FactorContext context;
    LazyTile lazy;
    const DiagonalTask task{{{&context}, &lazy}, 0};
    Shape shape{TaskKind::diagonal};
    shape.n = block.view().columns;
    const support::SamplePayload sample(shape, task, 1);
    const MatrixView data[] = {block.view()};
    const std::vector<double> result = run(sample.payload(), data);
    return {result.begin() + 1, result.end()};
  }

  std::optional<cuda::DeviceContext> context_;
  long operations_ = 0;  ///< of the last task
};

TEST(CudaFunctions, AreOfAllKindsButSubtreesAndWhatTheseContribute) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const bool runs = kind != TaskKind::subtree && kind != TaskKind::assemble;
    EXPECT_EQ(cuda::function(kind) != nullptr, runs) << name_of(kind);
  }
}

TEST_F(CudaTasks, UpdateAsACpuDoes) {
  for (const bool timed : {false, true}) cases(timed).updates();
}
TEST_F(CudaTasks, ReduceAsACpuDoes) { cases().reduces(); }
TEST_F(CudaTasks, BringNoMessageThatIsThere) {
  cases(false, true).updates();
  cases(false, true).reduces();
}
TEST_F(CudaTasks, FactorRowsAsACpuDoes) { cases().factors(); }
TEST_F(CudaTasks, SolveWithTilesAsACpuDoes) { cases().solves(); }
TEST_F(CudaTasks, UpdateWithSignsAsACpuDoes) {
  for (const bool copied : {false, true}) {
    cases(false, copied, support::Pivots::carried).updates();
  }
}
TEST_F(CudaTasks, FactorRowsWithPivotsAsACpuDoes) {
  for (const bool timed : {false, true}) cases(timed).factors_with_pivots();
}

/// For three targets: lists of three matrices, the message, and nothing else.
TEST_F(CudaTasks, BringTheirListsAlone) {
  if (dlsym(RTLD_DEFAULT, "stand_in_bytes_to_devices") == nullptr)
    return;  // a real device does not count
  const auto run_there = [&](const TaskPayload& payload, TaskData data) {
    const long before = counted("stand_in_bytes_to_devices");
    run(payload, data);
    EXPECT_EQ(counted("stand_in_bytes_to_devices") - before,
              payload.content().size_bytes() + 3 * 3 * sizeof(double*));
  };
  const auto any = [](const DenseSample&, const DenseSample&, Index) { return true; };
  AcceleratorCases(run_there, any).joint_updates();
}

TEST_F(CudaTasks, FactorDiagonalBlocksAsACpuDoes) {
  for (const Index n : {1, 7, 64, 257, 500}) {
    DenseSample block = DenseSample::dominant_lower(n, 3);
    DenseSample expected = block;
    ASSERT_EQ(reference::kernels.potrf(expected.view()).first_bad, -1);
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

/// Runs more tasks than one stream has memory for at a time.
TEST_F(CudaTasks, KeepTheirResultsApart) {
  for (Index task = 0; task < 30; ++task) {
    DenseSample block = DenseSample::dominant_lower(20 + task, 3);
    EXPECT_EQ(std::ssize(factor_diagonal(block, -1)), 20 + task);
  }
}

}  // namespace
}  // namespace espalier::internal
