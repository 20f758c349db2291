// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "codelets/cuda/kernel_functors.hpp"
#include "codelets/payload/message.hpp"
#include "codelets/relative_indices.hpp"

namespace espalier::internal::cuda {

/// C := c_factor C + product_factor (the product).
struct Factors {
  double product;
  double c;
};

/// Subtracts the columns from `begin` to `end` of a product, which are at `from`, from the target.
template <class Device>
Scatter subtraction(const Product& p, Index begin, Index end, const double* from, MatrixView target,
                    Device& device) {
  Scatter scatter;
  scatter.factor = -1;
  scatter.from = from;
  scatter.from_ld = p.rows;
  scatter.rows = p.rows;
  scatter.columns = end - begin;
  scatter.first_row = begin - p.whole;
  scatter.ld = target.ld;
  scatter.row = device.there(p.row);
  if (p.column.empty()) {
    scatter.target = &target(p.target_row, p.target_column + begin);
  } else {
    scatter.target = &target(p.target_row, p.target_column);
    scatter.column = device.there(p.column) + begin;
  }
  return scatter;
}

/// A product of U on a device, which has
///
///   multiply(a, b, factors, c)   C of A Bᵀ
///   square(a, factors, c)        lower triangle of C of A Aᵀ
///   scatter(scatter)
///   scratch()                    room for entries, at least as many as any product that has a list
///                                of rows has rows
///   there(list)                  where the device has a list of the message, null where it is
///   empty
///
/// Consecutive rows go straight into the target, by runs of consecutive columns where these are
/// few; all else through the scratch memory, by as many columns as it holds. Each is one call, of
/// the rectangle around it, where that has few more operations, else one for the triangle and one
/// for what is below. Of the rectangle the scatter takes what is wanted; where it goes straight
/// into the target there is more above the diagonal of L, which nobody reads.
template <class Device>
class Subtraction {
 public:
  Subtraction(const Product& product, ConstMatrixView left, ConstMatrixView right,
              MatrixView target, Device& device)
      : p_(product),
        left_(left.row_range(p_.left_row, p_.rows)),
        right_(right.row_range(p_.right_row, p_.columns)),
        target_(target),
        device_(device) {}

  void run() const {
    const auto room = static_cast<Count>(device_.scratch().size());
    if (p_.row.empty() && (runs() <= few_runs || p_.rows > room)) {
      for (Index j = 0; j < p_.columns;) j = subtract_run(j);
    } else {
      const auto most = static_cast<Index>(std::min<Count>(room / p_.rows, p_.columns));
      for (Index j = 0; j < p_.columns; j += most) {
        subtract_by_scatter(j, std::min(j + most, p_.columns));
      }
    }
  }

 private:
  Index column_place(Index j) const {
    return p_.target_column + (p_.column.empty() ? j : p_.column[j]);
  }

  /// As many small calls take as long to start as one for all with the scatter after it.
  static constexpr Index few_runs = 2;

  /// Returns the first column after `begin` that is not consecutive in the target.
  Index run_end(Index begin) const {
    Index end = p_.columns;
    if (!p_.column.empty()) {
      for (end = begin + 1; end < p_.columns && p_.column[end] == p_.column[end - 1] + 1;) ++end;
    }
    return end;
  }
  Index runs() const {
    Index count = 0;
    for (Index j = 0; j < p_.columns; j = run_end(j)) ++count;
    return count;
  }

  Index subtract_run(Index begin) const {
    const Index end = run_end(begin);
    double* const to = &target_(p_.target_row, column_place(begin));
    compute(begin, end, {-1, 1}, {to, p_.rows, end - begin, target_.ld});
    return end;
  }

  void subtract_by_scatter(Index begin, Index end) const {
    double* const product = device_.scratch().data();
    compute(begin, end, {1, 0}, {product, p_.rows, end - begin, p_.rows});
    device_.scatter(subtraction(p_, begin, end, product, target_, device_));
  }

  /// As many operations take a device no longer than it takes the host to start another call of
  /// CUDA's libraries: some microseconds.
  static constexpr double operations_of_a_call = 1 << 27;

  /// Computes all that the product has in the columns from `begin` to `end`; `c` has room for them.
  void compute(Index begin, Index end, Factors factors, MatrixView c) const {
    const Index whole = std::clamp(p_.whole, begin, end);
    const Index top = whole - p_.whole;  // of column `whole`, where the trapezoid begins
    const Index columns = std::max(std::min(end - whole, p_.rows - top), 0);
    const double above =
        flops::gemm(top, columns, left_.columns) + flops::syrk(columns, left_.columns);
    const bool at_once = columns == 0 || above <= operations_of_a_call;
    const Index rectangle = at_once ? whole - begin + columns : whole - begin;
    if (rectangle > 0) {
      device_.multiply(left_, right_.row_range(begin, rectangle), factors,
                       c.column_range(0, rectangle));
    }
    if (at_once) return;
    const MatrixView trapezoid = c.column_range(whole - begin, columns);
    device_.square(left_.row_range(top, columns), factors, trapezoid.row_range(top, columns));
    const Index below = top + columns;
    if (below == p_.rows) return;
    device_.multiply(left_.row_range(below, p_.rows - below), right_.row_range(whole, columns),
                     factors, trapezoid.row_range(below, p_.rows - below));
  }

  const Product& p_;
  ConstMatrixView left_;
  ConstMatrixView right_;
  MatrixView target_;
  Device& device_;
};

/// C := A Bᵀ, several with one inner dimension.
struct Multiplications {
  template <class View>
  using Each = std::array<View, most_targets>;

  Each<ConstMatrixView> a;
  Each<ConstMatrixView> b;
  Each<MatrixView> c;
  Index count = 0;
};

/// The products of a U with several targets on a device, which has in addition to what a
/// Subtraction asks of it
///
///   multiply_each(multiplications)
///   scatter(scatters)
///
/// As many as the scratch memory holds are one call and one kernel after it. They are small: of a
/// trapezoid the call computes the rectangle around it, and the kernel takes what is wanted.
template <class Device>
class JointSubtraction {
 public:
  JointSubtraction(ConstMatrixView left, ConstMatrixView right, Device& device)
      : left_(left), right_(right), device_(device) {}

  void subtract(const Product& p, MatrixView target) {
    const Count entries = Count{p.rows} * p.columns;
    const auto room = static_cast<Count>(device_.scratch().size());
    if (entries > room) return Subtraction(p, left_, right_, target, device_).run();
    if (used_ + entries > room) finish();
    double* const to = device_.scratch().data() + used_;
    used_ += entries;
    const Index i = products_.count++;
    products_.a[i] = left_.row_range(p.left_row, p.rows);
    products_.b[i] = right_.row_range(p.right_row, p.columns);
    products_.c[i] = {to, p.rows, p.columns, p.rows};
    scatters_.of[scatters_.count++] = subtraction(p, 0, p.columns, to, target, device_);
  }

  /// The caller calls it once, after all products.
  void finish() {
    if (products_.count == 0) return;
    device_.multiply_each(products_);
    device_.scatter(scatters_);
    products_.count = scatters_.count = 0;
    used_ = 0;
  }

 private:
  ConstMatrixView left_;
  ConstMatrixView right_;
  Device& device_;
  Multiplications products_;
  Scatters scatters_;
  Count used_ = 0;  ///< entries of the scratch memory that are taken
};

}  // namespace espalier::internal::cuda
