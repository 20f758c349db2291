// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "codelets/cuda/subtract.hpp"

namespace espalier::cuda {

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

  /// Once, after all.
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
  Count used_ = 0;  ///< of the scratch memory
};

}  // namespace espalier::cuda
