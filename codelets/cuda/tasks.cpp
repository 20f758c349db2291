// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cuda/tasks.hpp"

#include "codelets/block_pivots.hpp"
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/subtract.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::internal::cuda {

namespace {

void run(const FillMessage& /*message*/, TaskData data, DeviceContext& context) {
  launch(Zeros{data[0]}, context.stream());
}

void run(const DiagonalMessage& /*message*/, TaskData data, DeviceContext& context) {
  const MatrixView block = data[0];
  const auto ld = static_cast<int>(block.ld);
  const auto scratch = context.scratch();
  expect_success(
      cusolverDnDpotrf(context.solver(), CUBLAS_FILL_MODE_LOWER, block.columns, block.data, ld,
                       scratch.data(), static_cast<int>(scratch.size()), context.info()),
      "factoring a diagonal block");
  launch(Outcome{block.data, block.ld, block.columns, context.info(), context.result() + 1},
         context.stream());
}

/// x := x · op(L)⁻¹.
void solve_with_triangle(const DeviceContext& context, cublasOperation_t on_l, ConstMatrixView l,
                         MatrixView x) {
  constexpr double one = 1;
  expect_success(cublasDtrsm(context.blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, on_l,
                             CUBLAS_DIAG_NON_UNIT, x.rows, x.columns, &one, l.data,
                             static_cast<int>(l.ld), x.data, static_cast<int>(x.ld)),
                 "solving with a triangle");
}

void run(const FactorMessage& message, TaskData data, DeviceContext& context) {
  const MatrixView rows = data[0].row_range(message.skipped, data[0].rows - message.skipped);
  const ConstMatrixView l = data.back().row_range(0, rows.columns);
  if (message.pivots == 0) return solve_with_triangle(context, CUBLAS_OP_T, l, rows);
  double* const sign = context.result() + 1;
  launch(PivotColumns{{l.data, l.ld, l.columns}, rows.data, rows.ld, rows.rows, sign},
         context.stream());
  solve_with_triangle(context, CUBLAS_OP_T, l, rows);
  launch(PivotOutcome{l.data, l.ld, rows, message.skipped == 0, BlockPivots::largest,
                      BlockPivots::harmless, sign},
         context.stream());
}

/// The operations of a device for Subtraction and JointSubtraction.
class Operations {
 public:
  explicit Operations(DeviceContext& context) : context_(context), scratch_(context.scratch()) {}

  void multiply(ConstMatrixView a, ConstMatrixView b, Factors factors, MatrixView c) const {
    expect_success(cublasDgemm(context_.blas(), CUBLAS_OP_N, CUBLAS_OP_T, c.rows, c.columns,
                               a.columns, &factors.product, a.data, static_cast<int>(a.ld), b.data,
                               static_cast<int>(b.ld), &factors.c, c.data, static_cast<int>(c.ld)),
                   "multiplying matrices");
  }
  void square(ConstMatrixView a, Factors factors, MatrixView c) const {
    expect_success(cublasDsyrk(context_.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, c.columns,
                               a.columns, &factors.product, a.data, static_cast<int>(a.ld),
                               &factors.c, c.data, static_cast<int>(c.ld)),
                   "multiplying a matrix with itself");
  }
  void multiply_each(const Multiplications& work) const {
    const auto each = [&](auto value) {
      Multiplications::Each<decltype(value(Index{}))> list{};
      for (Index i = 0; i < work.count; ++i) list[i] = value(i);
      return list;
    };
    std::array<const double*, std::size_t{3} * most_targets> list{};  // pointers of a, of b, of c
    for (Index i = 0; i < work.count; ++i) {
      list[i] = work.a[i].data;
      list[work.count + i] = work.b[i].data;
      list[2 * work.count + i] = work.c[i].data;
    }
    const auto* const there = static_cast<const double* const*>(
        context_.fetch(list.data(), static_cast<std::size_t>(3 * work.count) * sizeof list[0]));
    const auto lda = each([&](Index i) { return static_cast<int>(work.a[i].ld); });
    const auto ldb = each([&](Index i) { return static_cast<int>(work.b[i].ld); });
    const auto ldc = each([&](Index i) { return static_cast<int>(work.c[i].ld); });
    const auto m = each([&](Index i) { return work.c[i].rows; });
    const auto n = each([&](Index i) { return work.c[i].columns; });
    const auto k = each([&](Index i) { return work.a[i].columns; });
    const auto on_a = each([](Index /*i*/) { return CUBLAS_OP_N; });
    const auto on_b = each([](Index /*i*/) { return CUBLAS_OP_T; });
    const auto one = each([](Index /*i*/) { return 1.0; });
    const auto zero = each([](Index /*i*/) { return 0.0; });
    const auto single = each([](Index /*i*/) { return 1; });
    expect_success(cublasDgemmGroupedBatched(
                       context_.blas(), on_a.data(), on_b.data(), m.data(), n.data(), k.data(),
                       one.data(), there, lda.data(), there + work.count, ldb.data(), zero.data(),
                       const_cast<double* const*>(there + Count{2} * work.count), ldc.data(),
                       work.count, single.data()),
                   "multiplying several matrices");
  }
  void scatter(const Scatter& work) const { launch(work, context_.stream()); }
  void scatter(const Scatters& work) const { launch(work, context_.stream()); }
  void copy(const SignedCopy& work) const { launch(work, context_.stream()); }
  std::span<double> scratch() const { return scratch_; }
  double* reserve(Count entries) {
    const auto rest = scratch_.size() - static_cast<std::size_t>(entries);
    double* const reserved = scratch_.data() + rest;
    scratch_ = scratch_.first(rest);
    return reserved;
  }
  const Index* there(std::span<const Index> list) const { return context_.there(list); }

 private:
  DeviceContext& context_;
  std::span<double> scratch_;
};

void run(const UpdateMessage& message, TaskData data, DeviceContext& context) {
  Operations operations(context);
  Update(message, data, operations).run();
}

void run(const ReduceMessage& message, TaskData data, DeviceContext& context) {
  const ConstMatrixView contribution = data[1];
  launch(addition(contribution.row_range(0, static_cast<Index>(message.row.size())), data[0],
                  context.there(message.row)),
         context.stream());
}

/// to -= from · op(L).
void subtract_product(const DeviceContext& context, cublasOperation_t on_l, ConstMatrixView l,
                      ConstMatrixView from, MatrixView to) {
  constexpr double one = 1;
  constexpr double minus_one = -1;
  expect_success(cublasDgemm(context.blas(), CUBLAS_OP_N, on_l, to.rows, to.columns, from.columns,
                             &minus_one, from.data, static_cast<int>(from.ld), l.data,
                             static_cast<int>(l.ld), &one, to.data, static_cast<int>(to.ld)),
                 "multiplying with a block of L");
}

/// The operations of a device for solve(), in one direction. Vectors are stored by rows: X(r, i) is
/// row i of vector r. X is thus the transpose of the unknowns.
struct TileOperations {
  const DeviceContext& context;
  cublasOperation_t on_l;

  void clear(MatrixView x) const { launch(Zeros{x}, context.stream()); }
  void triangle(ConstMatrixView l, MatrixView x) const { solve_with_triangle(context, on_l, l, x); }
  void block(ConstMatrixView l, ConstMatrixView from, MatrixView to) const {
    subtract_product(context, on_l, l, from, to);
  }
};

void run(const ForwardMessage& message, TaskData data, DeviceContext& context) {
  solve(message, data, TileOperations{context, CUBLAS_OP_T});
}

void run(const BackwardMessage& message, TaskData data, DeviceContext& context) {
  solve(message, data, TileOperations{context, CUBLAS_OP_N});
}

}  // namespace

void run(const TaskPayload& payload, TaskData data, DeviceContext& context) {
  const FactorContext& factor = *payload.task->arguments->context;
  context.begin(payload.content(), factor.messages.of(payload.content(), context.device()),
                factor.times_devices);
  payload.read<CudaMessages>([&](const auto& message) { run(message, data, context); });
  context.end();
}

}  // namespace espalier::internal::cuda
