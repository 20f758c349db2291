// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// The performance model of swCholesky (section 3.4, equations 2 and 3) with the kernels of this
/// machine. It predicts the cost of merging supernodes from the limits of amalgamation and the
/// widths of panels alone. Of a matrix it uses only the size and the density of L. Seconds are for
/// one core.
class SupernodeModel {
 public:
  /// Describes a matrix whose factor has `n` columns and `entries` entries. A core that factors a
  /// diagonal block keeps `cores` cores, including itself, from other work (the paper's penalty of
  /// 64).
  SupernodeModel(double n, double entries, double cores, const KernelCost& cost)
      : n_(n), density_(2 * (entries - n) / (n * n)), cores_(cores), cost_(cost) {}

  /// Returns F, equation 3a. Uses only the ten parameters of paper_parameters().
  ///
  /// Let d be the density of L. The times of kernels do not fall if a dimension grows, with or
  /// without padding. So F is not negative if no zrelax[i] exceeds 1 - d: the merged supernode then
  /// has at least as many rows and columns as each of its parts, and its coefficient is the sum of
  /// theirs. F is 0 if nothing merges.
  double objective(const Tuning& tuning) const;

  /// Equation 2b: the seconds of a product of `rows` rows with the inverse of a triangle, by panels
  /// of `p1` columns.
  double trsm(double rows, double order, double p1) const;
  /// Equation 2c: the seconds of a POTRF by panels of `p2` columns.
  double potrf(double order, double p2, double p1) const;

 private:
  /// Equations 3b and 3c: the seconds that a merge adds, averaged over the widths of the merged
  /// supernodes. These have less than `ns` columns and become one supernode of `ns` columns with a
  /// fraction `z` of zeros.
  double merging(double ns, double z, double p1, double p2) const;
  double gemm(double rows, double columns, double inner) const;
  /// Equation 3d without its coefficient: the seconds of a supernode of `ns` columns and `height`
  /// rows.
  double supernode(double ns, double height, double p1, double p2) const;

  double n_;
  double density_;
  double cores_;
  const KernelCost& cost_;
};

/// The ten parameters of swCholesky as parameters of Espalier, with the paper's ranges (section
/// 3.4.4). The paper's four cases of merging pair nrelax[0..3] with zrelax[3], [0], [1] and [2];
/// Espalier pairs amalgamation_width_i with amalgamation_zeros_i.
std::span<const TuningParameter> paper_parameters();

}  // namespace espalier::internal
