// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// The performance model of swCholesky (section 3.4, equations 2 and 3) over the kernels of this
/// machine: what merging supernodes costs, as a function of the limits of amalgamation and the
/// widths of panels alone. It knows of a matrix no more than the size and the density of L. Seconds
/// are those of one core.
class SupernodeModel {
 public:
  /// A matrix whose factor has `n` columns and `entries`; a core that factors a diagonal block
  /// keeps `cores`, itself included, from other work (the paper's penalty of 64).
  SupernodeModel(double n, double entries, double cores, const KernelCost& cost)
      : n_(n), density_(2 * (entries - n) / (n * n)), cores_(cores), cost_(cost) {}

  /// F, equation 3a. Of the tuning it reads the ten parameters of paper_parameters().
  double objective(const Tuning& tuning) const;

  /// Equation 2b: `rows` rows times the inverse of a triangle, by panels of `p1` columns.
  double trsm(double rows, double order, double p1) const;
  /// Equation 2c, by panels of `p2` columns.
  double potrf(double order, double p2, double p1) const;

 private:
  /// Equations 3b and 3c: supernodes of less than `ns` columns merged into one of that width with a
  /// share `z` of zeros, in the mean over their widths.
  double merging(double ns, double z, double p1, double p2) const;
  double gemm(double rows, double columns, double inner) const;
  /// Equation 3d without its coefficient: a supernode of `ns` columns and `height` rows.
  double supernode(double ns, double height, double p1, double p2) const;

  double n_;
  double density_;
  double cores_;
  const KernelCost& cost_;
};

/// The ten parameters of swCholesky among ours, with its ranges (section 3.4.4). Its four cases of
/// merging pair nrelax[0..3] with zrelax[3], [0], [1] and [2]; ours pair amalgamation_width_i with
/// amalgamation_zeros_i.
std::span<const TuningParameter> paper_parameters();

}  // namespace espalier::internal
