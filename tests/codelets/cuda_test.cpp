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
  void copy(const cuda::SignedCopy& work) {
    run_all_lanes(work);
    ++copies_;
  }
  std::span<double> scratch() { return std::span(scratch_).first(scratch_.size() - reserved_); }
  double* reserve(Count entries) {
    reserved_ += static_cast<std::size_t>(entries);
    return scratch_.data() + scratch_.size() - reserved_;
  }
  Index copies() const { return copies_; }
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
  std::size_t reserved_ = 0;
  Index calls_ = 0;
  Index copies_ = 0;
};

class EmulatedRun {
 public:
  EmulatedRun(TaskData data, std::size_t space, std::vector<double>& results)
      : data_(data), space_(space), results_(results) {}

  void operator()(const UpdateMessage& message) const {
    Emulated device(space_);
    cuda::Update(message, data_, device).run();
    if (message.signs != 0) {
      EXPECT_GE(device.copies(), 1);
    } else if (message.products.count > 1) {
      EXPECT_EQ(device.calls(), space_ >= 1000 ? 1 : 2);
    }
  }
  void operator()(const FactorMessage& message) const {
    ASSERT_EQ(message.pivots, 1);
    const MatrixView rows = data_[0].row_range(message.skipped, data_[0].rows - message.skipped);
    const ConstMatrixView l = data_.back().row_range(0, rows.columns);
    results_.resize(static_cast<std::size_t>(rows.columns));
    run_all_lanes(cuda::PivotColumns{
        {l.data, l.ld, l.columns}, rows.data, rows.ld, rows.rows, results_.data()});
    reference::kernels.trsm(l, rows, {});
    run_all_lanes(cuda::PivotOutcome{l.data, l.ld, rows, message.skipped == 0, BlockPivots::largest,
                                     BlockPivots::harmless, results_.data()});
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
  std::vector<double>& results_;
};

auto cases(std::size_t space = 1 << 16, support::Pivots pivots = support::Pivots::none) {
  const auto run_there = [=](const TaskPayload& payload, TaskData data) {
    std::vector<double> results;
    payload.read<CudaMessages>(EmulatedRun(data, space, results));
    return results;
  };
  const auto same = [](const DenseSample& actual, const DenseSample& expected, Index n) {
    return support::close(actual.view(), expected.view(), n);
  };
  return AcceleratorCases(run_there, same, pivots);
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
TEST(CudaThreads, UpdateWithSignsAsACpuDoes) {
  for (const std::size_t space : {1 << 16, 5300}) {
    cases(space, support::Pivots::carried).updates();
  }
}
/// The copy of the right operand fits half of the scratch memory, or only six of its rows do.
TEST(CudaThreads, UpdateSeveralTargetsWithSigns) {
  for (const std::size_t space : {1000, 320, 84}) {
    cases(space, support::Pivots::carried).joint_updates();
  }
}

/// Updates a target with 40 rows and 30 columns by an operand with seven columns and their signs.
void update_in_pieces(Product product) {
  constexpr Index inner = 7;
  const std::vector<double> sign = support::sample_signs(inner);
  DenseSample left = DenseSample::random(product.left_row + product.rows, inner, 1);
  DenseSample right = DenseSample::random(product.right_row + product.columns, inner, 2);
  put_signs(left.view(), sign.data());
  for (Index k = 0; k < inner; ++k) {
    for (Index j = product.whole; j < product.columns; ++j) {
      right(product.right_row + j, k) = left(product.left_row + j - product.whole, k);
    }
  }
  DenseSample expected = DenseSample::random(90, 70, 3);
  DenseSample actual = expected;
  product.subtract(reference::kernels, left.view(), right.view(), expected.view(), {}, sign.data());
  MessageWriter writer;
  writer.write(UpdateMessage{1});
  writer.add(product);
  const MatrixView data[] = {actual.view(), left.view(), right.view()};
  Emulated device(100);
  const auto message = MessageReader(writer.words()).read<UpdateMessage>();
  cuda::Update(message, data, device).run();
  EXPECT_EQ(device.copies(), 5);
  for (Index j = 0; j < 70; ++j) {  // entries above the diagonal are not used
    for (Index i = 0; i < 90 && j >= product.target_column + product.whole; ++i) {
      if (i < product.target_row + j - product.target_column - product.whole) {
        actual(i, j) = expected(i, j);
      }
    }
  }
  EXPECT_TRUE(support::close(actual.view(), expected.view(), inner));
}

/// Half of the scratch memory has space for seven rows of the right operand.
TEST(CudaThreads, UpdateWithSignsInPieces) {
  const support::Rows rows = support::every_but(0, 40, 3);
  const support::Rows columns = support::every_but(0, 30, 4);
  for (const Index whole : {0, 9, 30}) {
    SCOPED_TRACE(whole);
    Product product{40, 30, 2, 1, whole, 4, 3};
    update_in_pieces(product);
    product.row = rows;
    update_in_pieces(product);
    product.column = columns;
    update_in_pieces(product);
  }
}
TEST(CudaThreads, FactorRowsWithPivotsAsACpuDoes) { cases().factors_with_pivots(); }

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

/// With signs, rectangles of at most this work above the diagonal replace a triangle.
TEST(CudaThreads, UpdateTrapezoidsWithSignsByRectangles) {
  constexpr Index rows = 600;
  std::vector<double> memory(rows * 400);
  for (const Index inner : {100, 400}) {
    const ConstMatrixView source{memory.data(), rows, inner, rows};
    std::vector<double> target(rows * rows);
    const Product product{.rows = rows, .columns = rows - 10};
    Counting device;
    cuda::Subtraction(product, source, source, {target.data(), rows, rows, rows}, device, true)
        .run();
    EXPECT_EQ(device.multiplications, inner == 100 ? 1 : 2);
    EXPECT_EQ(device.squares, 0);
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
