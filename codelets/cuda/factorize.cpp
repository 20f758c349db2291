// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/subtract.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

void fill(std::span<const Index> /*message*/, TaskData data, DeviceContext& context) {
  launch(Zeros{data[0]}, context.stream());
}

void diagonal(std::span<const Index> /*message*/, TaskData data, DeviceContext& context) {
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

void factor(std::span<const Index> message, TaskData data, DeviceContext& context) {
  const Index skipped = MessageReader(message).number();
  const MatrixView b = data[0].row_range(skipped, data[0].rows - skipped);
  const ConstMatrixView l = data.back();
  constexpr double one = 1;
  expect_success(cublasDtrsm(context.blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                             CUBLAS_DIAG_NON_UNIT, b.rows, b.columns, &one, l.data,
                             static_cast<int>(l.ld), b.data, static_cast<int>(b.ld)),
                 "solving with a triangle");
}

namespace {

/// What a Subtraction asks of a device.
class Operations {
 public:
  explicit Operations(DeviceContext& context) : context_(context) {}

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
    const auto a = each([&](Index i) { return work.a[i].data; });
    const auto b = each([&](Index i) { return work.b[i].data; });
    const auto c = each([&](Index i) { return work.c[i].data; });
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
    expect_success(
        cublasDgemmGroupedBatched(context_.blas(), on_a.data(), on_b.data(), m.data(), n.data(),
                                  k.data(), one.data(), there<const double* const>(a), lda.data(),
                                  there<const double* const>(b), ldb.data(), zero.data(),
                                  there<double* const>(c), ldc.data(), work.count, single.data()),
        "multiplying several matrices");
  }
  void scatter(const Scatter& work) const { launch(work, context_.stream()); }
  void scatter(const Scatters& work) const { launch(work, context_.stream()); }
  std::span<double> scratch() const { return context_.scratch(); }
  const Index* there(std::span<const Index> list) const { return context_.there(list); }

 private:
  /// Addresses of matrices, on the device.
  template <class Address, class List>
  Address* there(const List& list) const {
    return static_cast<Address*>(context_.bring(list.data(), sizeof(list)));
  }

  DeviceContext& context_;
};

}  // namespace

void update(std::span<const Index> message, TaskData data, DeviceContext& context) {
  MessageReader reader(message);
  const Index targets = reader.number();
  const ConstMatrixView left = data[targets];
  Operations operations(context);
  if (targets == 1) {
    return Subtraction(Product::read(reader), left, data.back(), data[0], operations).run();
  }
  JointSubtraction joint(left, data.back(), operations);
  for (Index t = 0; t < targets; ++t) joint.subtract(Product::read(reader), data[t]);
  joint.finish();
}

void assemble(std::span<const Index> message, TaskData data, DeviceContext& context) {
  const MatrixView target = data[0];
  launch(Assembly{context.message_there(), static_cast<Index>(message.size()), data[1].data,
                  target.data, target.ld, target.rows, target.columns},
         context.stream());
}

void reduce(std::span<const Index> message, TaskData data, DeviceContext& context) {
  launch(addition(data[1], data[0], context.there(MessageReader(message).list())),
         context.stream());
}

}  // namespace espalier::cuda
