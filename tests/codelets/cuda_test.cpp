// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "codelets/accelerator_cases.hpp"
#include "codelets/cuda/kernel_functors.hpp"
#include "codelets/cuda/subtract.hpp"

/// The threads of the kernels for CUDA devices, run in loops on the host.
namespace espalier::internal {
namespace {

using support::AcceleratorCases;
using support::DenseSample;

TEST(ClockOfADevice, MayBeSetBack) {
  EXPECT_DOUBLE_EQ(cuda::seconds_between(1'000'000'000, 3'500'000'000), 2.5);
  EXPECT_EQ(cuda::seconds_between(7, 7), 0);
  EXPECT_EQ(cuda::seconds_between(7, 6), 0);
}

template <class Work>
void run_all_lanes(const Work& work) {
  for (Index block = 0; block < work.blocks(); ++block) {
    for (Index thread = 0; thread < cuda::threads_of_block; ++thread) work.run({block, thread});
  }
}

/// Replaces a device and its libraries.
class Emulated {
 public:
  explicit Emulated(std::size_t space) : scratch_(space) {}

  void multiply(ConstMatrixView a, ConstMatrixView b, cuda::Factors factors, MatrixView c) {
    ++calls_;
    ASSERT_EQ(c.rows, a.rows);
    ASSERT_EQ(c.columns, b.rows);
    for (Index j = 0; j < c.columns; ++j) {
      for (Index i = 0; i < c.rows; ++i) put(a, i, b, j, factors, c);
    }
  }
  void square(ConstMatrixView a, cuda::Factors factors, MatrixView c) {
    ++calls_;
    ASSERT_EQ(c.rows, a.rows);
    ASSERT_EQ(c.columns, a.rows);
    for (Index j = 0; j < c.columns; ++j) {
      for (Index i = j; i < c.rows; ++i) put(a, i, a, j, factors, c);
    }
  }
  void multiply_each(const cuda::Multiplications& work) {
    for (Index i = 0; i < work.count; ++i) {
      multiply(work.a[i], work.b[i], {1, 0}, work.c[i]);
    }
    calls_ -= work.count - 1;
  }
  template <class Scatters>
  static void scatter(const Scatters& work) {
    run_all_lanes(work);
  }
  std::span<double> scratch() { return scratch_; }
  /// Number of calls of the libraries.
  Index calls() const { return calls_; }
  static const Index* there(std::span<const Index> list) {
    return list.empty() ? nullptr : list.data();
  }

 private:
  static void put(ConstMatrixView a, Index i, ConstMatrixView b, Index j, cuda::Factors factors,
                  MatrixView c) {
    double sum = 0;
    for (Index k = 0; k < a.columns; ++k) sum += a(i, k) * b(j, k);
    c(i, j) = factors.product * sum + (factors.c == 0 ? 0 : factors.c * c(i, j));
  }

  std::vector<double> scratch_;
  Index calls_ = 0;
};

class EmulatedRun {
 public:
  EmulatedRun(TaskData data, std::size_t space) : data_(data), space_(space) {}

  void operator()(const UpdateMessage& message) const {
    Emulated device(space_);
    const ConstMatrixView left = data_[message.products.count];
    if (message.products.count == 1) {
      return message.products.for_each([&](const Product& product) {
        cuda::Subtraction(product, left, data_.back(), data_[0], device).run();
      });
    }
    cuda::JointSubtraction joint(left, data_.back(), device);
    auto target = data_.begin();
    message.products.for_each([&](const Product& product) { joint.subtract(product, *target++); });
    joint.finish();
    EXPECT_EQ(device.calls(), space_ >= 1000 ? 1 : 2);
  }
  void operator()(const ReduceMessage& message) const {
    run_all_lanes(cuda::addition(data_[1], data_[0], message.row.data()));
  }
  template <class Message>
  void operator()(const Message& /*message*/) const {
    FAIL() << "its kernels are library calls";
  }

 private:
  TaskData data_;
  std::size_t space_;
};

auto cases(std::size_t space = 1 << 16) {
  const auto run_there = [=](const TaskPayload& payload, TaskData data) {
    payload.read<CudaMessages>(EmulatedRun(data, space));
  };
  const auto same = [](const DenseSample& actual, const DenseSample& expected, Index n) {
    return support::close(actual.view(), expected.view(), n);
  };
  return AcceleratorCases(run_there, same);
}

TEST(CudaThreads, UpdateAsACpuDoes) { cases().updates(); }
/// The product is computed in blocks of columns that fit the scratch memory, here one to three.
TEST(CudaThreads, UpdateInPieces) {
  for (const std::size_t space : {2600, 5200, 7900}) cases(space).updates();
}
/// One library call computes all products, or as many products as fit the scratch memory.
TEST(CudaThreads, UpdateSeveralTargetsTogether) {
  for (const std::size_t space : {1000, 320}) cases(space).joint_updates();
}
TEST(CudaThreads, ReduceAsACpuDoes) { cases().reduces(); }

/// One product computes all scattered columns of the target, instead of one product per run of
/// columns.
TEST(CudaThreads, UpdateScatteredColumnsTogether) {
  const std::vector<Index> column{0, 2, 4, 5, 9, 11};
  const DenseSample left = DenseSample::random(20, 3, 1);
  const DenseSample right = DenseSample::random(6, 3, 2);
  for (const Index columns : {2, 6}) {
    const Product product{.rows = 20,
                          .columns = columns,
                          .whole = columns,
                          .column = std::span(column).first(columns)};
    DenseSample target = DenseSample::random(20, 12, 3);
    DenseSample expected = target;
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < 20; ++i) {
        for (Index k = 0; k < 3; ++k) expected(i, column[j]) -= left(i, k) * right(j, k);
      }
    }
    Emulated device(1000);
    cuda::Subtraction(product, left.view(), right.view(), target.view(), device).run();
    EXPECT_TRUE(support::close(target.view(), expected.view(), 3));
    EXPECT_EQ(device.calls(), columns == 2 ? 2 : 1);
  }
}

/// Counts calls, and computes nothing.
struct Counting {
  std::vector<double> space = std::vector<double>(1 << 20);
  Index multiplications = 0;
  Index squares = 0;
  Index scatters = 0;

  void multiply(ConstMatrixView, ConstMatrixView, cuda::Factors, MatrixView) { ++multiplications; }
  void square(ConstMatrixView, cuda::Factors, MatrixView) { ++squares; }
  void scatter(const cuda::Scatter&) { ++scatters; }
  std::span<double> scratch() { return space; }
  static const Index* there(std::span<const Index> list) { return list.data(); }
};

/// One call computes a trapezoid if computing its upper triangle, too, takes less time than a
/// second call.
TEST(CudaThreads, UpdateTrapezoidsAtOnce) {
  constexpr Index rows = 600;
  std::vector<double> memory(rows * 400);
  std::vector<Index> row(rows);
  for (Index i = 0; i < rows; ++i) row[i] = 2 * i;
  for (const Index inner : {100, 400}) {
    for (const bool scatters : {false, true}) {
      const ConstMatrixView source{memory.data(), rows, inner, rows};
      std::vector<double> target(2 * rows * rows);
      Product product{.rows = rows, .columns = rows - 10};
      if (scatters) product.row = row;
      Counting device;
      cuda::Subtraction(product, source, source, {target.data(), 2 * rows, rows, 2 * rows}, device)
          .run();
      const bool at_once = inner == 100;
      EXPECT_EQ(device.multiplications, 1);
      EXPECT_EQ(device.squares, at_once ? 0 : 1);
      EXPECT_EQ(device.scatters, scatters ? 1 : 0);
    }
  }
}

TEST(CudaThreads, SetToZero) {
  for (const Index rows : {1, 700, 1500}) {
    DenseSample target = DenseSample::random(rows, 3, 1);
    run_all_lanes(cuda::Zeros{target.view()});
    for (Index j = 0; j < 3; ++j) {
      for (Index i = 0; i < rows; ++i) ASSERT_EQ(target(i, j), 0);
    }
    EXPECT_TRUE(target.guards_intact());
  }
}

/// The diagonal is so long that it needs two blocks of threads.
TEST(CudaThreads, BringTheDiagonalHome) {
  constexpr Index n = cuda::threads_of_block + 3;
  const DenseSample l = DenseSample::dominant_lower(n, 7);
  for (const int info : {0, 1, 258, n}) {
    std::vector<double> diagonal(n + 1, -1);
    const ConstMatrixView view = l.view();
    run_all_lanes(cuda::Outcome{view.data, view.ld, n, &info, diagonal.data()});
    for (Index j = 0; j < n; ++j) {
      EXPECT_TRUE(j + 1 == info ? std::isnan(diagonal[j]) : diagonal[j] == l(j, j));
    }
    EXPECT_EQ(diagonal[n], -1);
  }
}

}  // namespace
}  // namespace espalier::internal
