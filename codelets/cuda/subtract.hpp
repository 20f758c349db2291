// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "codelets/context.hpp"
#include "codelets/cuda/kernel_functors.hpp"
#include "codelets/payload/message.hpp"
#include "codelets/relative_indices.hpp"

namespace espalier::internal::cuda {

/// Factors of a product: C := c C + product (A Bᵀ).
struct Factors {
  double product;
  double c;
};

/// Returns the scatter that subtracts the columns [begin, end) of a product from the target. The
/// columns are stored at `from`.
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

/// One product of U on a device. `Device` has these members:
///
///   multiply(a, b, factors, c)   C from A Bᵀ
///   square(a, factors, c)        the lower triangle of C from A Aᵀ
///   scatter(scatter)
///   scratch()                    scratch memory: at least one entry for each row of any product
///                                that has a list of rows
///   reserve(entries)             takes this many entries from the end of the scratch memory
///   copy(signed copy)
///   there(list)                  the device's copy of a list of the message, null if it is empty
///
/// If the rows are consecutive and the columns form few runs of consecutive columns, each run goes
/// straight into the target. The same holds for consecutive rows if one column does not fit into
/// the scratch memory. All other products go through the scratch memory, in groups of as many
/// columns as fit.
/// Each run or group is one call that computes the rectangle around it. If the rectangle has many
/// more operations, one call computes the triangle and another one the rows below. With signs, the
/// right operand is not a part of the left one, so several rectangles replace the triangle. The
/// scatter takes only the wanted part of a rectangle. Without a scatter, entries above the diagonal
/// of L get values that no task reads.
template <class Device>
class Subtraction {
 public:
  Subtraction(const Product& product, ConstMatrixView left, ConstMatrixView right,
              MatrixView target, Device& device, bool has_signs = false)
      : has_signs_(has_signs),
        p_(product),
        left_(left.row_range(p_.left_row, p_.rows)),
        right_(right.row_range(p_.right_row, p_.columns)),
        target_(target),
        device_(device) {}

  void run() const {
    const auto capacity = static_cast<Count>(device_.scratch().size());
    if (p_.row.empty() && (runs() <= few_runs || p_.rows > capacity)) {
      for (Index j = 0; j < p_.columns;) j = subtract_run(j);
    } else {
      const auto most = static_cast<Index>(std::min<Count>(capacity / p_.rows, p_.columns));
      for (Index j = 0; j < p_.columns; j += most) {
        subtract_by_scatter(j, std::min(j + most, p_.columns));
      }
    }
  }

 private:
  Index column_place(Index j) const {
    return p_.target_column + (p_.column.empty() ? j : p_.column[j]);
  }

  /// Maximum number of runs that go straight into the target although the scratch memory has space.
  /// Two small calls take as long to start as one call for all columns and its scatter.
  static constexpr Index few_runs = 2;

  /// Returns the first column after `begin` that does not follow its predecessor in the target.
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

  /// Number of operations that take a device as long as the host needs to start another call of
  /// CUDA's libraries: some microseconds.
  static constexpr double operations_of_a_call = 1 << 27;

  /// Computes the product in the columns [begin, end) into `c`.
  void compute(Index begin, Index end, Factors factors, MatrixView c) const {
    if (has_signs_) return compute_by_rectangles(begin, end, factors, c);
    const Index whole = std::clamp(p_.whole, begin, end);
    const Index top = whole - p_.whole;  // row of column `whole` at which the trapezoid begins
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

  /// Does the same by products of rectangles alone.
  void compute_by_rectangles(Index begin, Index end, Factors factors, MatrixView c) const {
    const Index top = std::max(begin - p_.whole, 0);
    const Index rows = p_.rows - top;
    if (rows <= 0) return;
    const Index triangle = end - std::max(begin, p_.whole);
    if (triangle > 1 && flops::syrk(triangle, left_.columns) > operations_of_a_call) {
      const Index half = (end - begin) / 2;
      compute_by_rectangles(begin, begin + half, factors, c.column_range(0, half));
      return compute_by_rectangles(begin + half, end, factors,
                                   c.column_range(half, end - begin - half));
    }
    device_.multiply(left_.row_range(top, rows), right_.row_range(begin, end - begin), factors,
                     c.row_range(top, rows));
  }

  bool has_signs_;
  const Product& p_;
  ConstMatrixView left_;
  ConstMatrixView right_;
  MatrixView target_;
  Device& device_;
};

/// Several products C := A Bᵀ with the same inner dimension.
struct Multiplications {
  template <class View>
  using Each = std::array<View, most_targets>;

  Each<ConstMatrixView> a;
  Each<ConstMatrixView> b;
  Each<MatrixView> c;
  Index count = 0;
};

/// The products of a U with several targets on a device. `Device` has these members in addition to
/// those for Subtraction:
///
///   multiply_each(multiplications)
///   scatter(scatters)
///
/// One call computes all products that fit into the scratch memory, and one kernel scatters them.
/// The products are small, so the call computes the rectangle around each trapezoid, and the kernel
/// takes the wanted part.
template <class Device>
class JointSubtraction {
 public:
  JointSubtraction(ConstMatrixView left, ConstMatrixView right, Device& device, bool has_signs)
      : left_(left), right_(right), device_(device), has_signs_(has_signs) {}

  void subtract(const Product& p, MatrixView target) {
    const Count entries = Count{p.rows} * p.columns;
    const auto capacity = static_cast<Count>(device_.scratch().size());
    if (entries > capacity) {
      return Subtraction(p, left_, right_, target, device_, has_signs_).run();
    }
    if (used_ + entries > capacity) finish();
    double* const to = device_.scratch().data() + used_;
    used_ += entries;
    const Index i = products_.count++;
    products_.a[i] = left_.row_range(p.left_row, p.rows);
    products_.b[i] = right_.row_range(p.right_row, p.columns);
    products_.c[i] = {to, p.rows, p.columns, p.rows};
    scatters_.of[scatters_.count++] = subtraction(p, 0, p.columns, to, target, device_);
  }

  /// Must be called once, after all products.
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
  bool has_signs_;
  Multiplications products_;
  Scatters scatters_;
  Count used_ = 0;  ///< used entries of the scratch memory
};

/// The products of a U on a device.
template <class Device>
class Update {
 public:
  Update(const UpdateMessage& message, TaskData data, Device& device)
      : products_(message.products),
        data_(data),
        left_(data[message.products.count]),
        device_(device),
        has_signs_(message.signs != 0) {}

  void run() {
    if (!has_signs_) return subtract(data_.back());
    const auto half = static_cast<Count>(device_.scratch().size()) / 2;
    const Index most = static_cast<Index>(std::min<Count>(half / left_.columns, data_.back().rows));
    const RowRange rows = rows_of_right();
    if (rows.end - rows.begin > most) return subtract_by_columns(most);
    double* const copy = device_.reserve(Count{rows.end - rows.begin} * left_.columns);
    subtract(times_signs(rows, copy));
  }

 private:
  /// Returns the rows of the right operand that the products use.
  RowRange rows_of_right() const {
    RowRange used{data_.back().rows, 0};
    products_.for_each([&](const Product& p) {
      used = {std::min(used.begin, p.right_row), std::max(used.end, p.right_row + p.columns)};
    });
    return used;
  }

  /// Copies rows of the right operand times their signs. Returns the copy as a view in which these
  /// rows have the same numbers.
  ConstMatrixView times_signs(RowRange rows, double* copy) const {
    const Index count = rows.end - rows.begin;
    device_.copy(SignedCopy{left_.data, left_.ld, data_.back().row_range(rows.begin, count), copy});
    return {copy - rows.begin, rows.end, left_.columns, count};
  }

  void subtract(ConstMatrixView right) {
    if (products_.count == 1) {
      return products_.for_each([&](const Product& product) {
        Subtraction(product, left_, right, data_[0], device_, has_signs_).run();
      });
    }
    JointSubtraction joint(left_, right, device_, has_signs_);
    auto target = data_.begin();
    products_.for_each([&](const Product& product) { joint.subtract(product, *target++); });
    joint.finish();
  }

  /// Copies at most this many rows of the right operand at a time.
  void subtract_by_columns(Index most) {
    double* const copy = device_.reserve(Count{most} * left_.columns);
    auto target = data_.begin();
    products_.for_each([&](const Product& product) {
      for (Index j = 0; j < product.columns; j += most) {
        const Product part = product.within_columns(j, std::min(j + most, product.columns));
        const RowRange rows{part.right_row, part.right_row + part.columns};
        if (part.rows > 0) {
          Subtraction(part, left_, times_signs(rows, copy), *target, device_, true).run();
        }
      }
      ++target;
    });
  }

  const RecordList<Product>& products_;
  TaskData data_;
  ConstMatrixView left_;
  Device& device_;
  bool has_signs_;
};

}  // namespace espalier::internal::cuda
