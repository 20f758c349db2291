// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/supernode_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/dense.hpp"

namespace espalier::internal {
namespace {

/// Kernels with one rate and no cost per call or entry, so that seconds are operations.
KernelCost cost_in_operations() {
  KernelCost cost;
  cost.rate = 1;
  cost.half_width = cost.half_order = cost.call = cost.scattered = 0;
  return cost;
}

/// The operations do not depend on the widths of panels, if the squares on the diagonal count once.
TEST(SupernodeModel, DividesTrsmWithoutMoreOperations) {
  const KernelCost cost = cost_in_operations();
  const SupernodeModel model(100, 1000, 1, cost);
  const double whole = flops::trsm(7, 60);
  for (const double p1 : {1.0, 7.0, 20.0, 59.0, 60.0, 1000.0}) {
    EXPECT_NEAR(model.trsm(7, 60, p1), whole, 1e-12 * whole) << p1;
  }
  EXPECT_EQ(model.trsm(7, 0, 64), 0);
}

/// Compares with equation 2c for three panels, computed by hand.
TEST(SupernodeModel, FactorsByPanels) {
  const KernelCost cost = cost_in_operations();
  const double cores = 5;
  const SupernodeModel model(100, 1000, cores, cost);
  const auto gemm = [](double m, double n, double k) { return flops::gemm(m, n, k); };
  const double expected = cores * (2 * flops::potrf(4) + flops::potrf(2)) + flops::trsm(6, 4) +
                          gemm(4, 4, 4) + gemm(2, 4, 4) + flops::trsm(2, 4) + gemm(2, 2, 8);
  EXPECT_NEAR(model.potrf(10, 4, 64), expected, 1e-12 * expected);
}

/// Compares with equations 3b to 3d for supernodes of three columns, which are merged in two ways.
TEST(SupernodeModel, ComparesMergedSupernodesWithTheirParts) {
  const KernelCost cost = cost_in_operations();
  const double n = 100;
  const double entries = 600;
  const SupernodeModel model(n, entries, 1, cost);
  Tuning tuning;
  tuning.amalgamation.widths = {3, 3, 3, 3};
  tuning.amalgamation.zeros = {0.75, 0.75, 0.75, 0.75};
  const auto supernode = [&](double ns, double height) {
    return flops::gemm(ns, ns, ns) + flops::potrf(ns) + flops::gemm(height - ns, ns, ns);
  };
  const double below = 2 * (entries - n) / n;  // N d
  const double merged = 4 * supernode(3, n * 0.25 + 3);
  const double apart = 2 * (supernode(1, below + 1) + supernode(2, below + 2));
  EXPECT_NEAR(model.objective(tuning), merged - apart, 1e-9 * merged);
}

TuningParameter parameter(std::string_view name, Index number) {
  const std::string numbered = std::string(name) + "[" + std::to_string(number) + "]";
  return *std::ranges::find(paper_parameters(), numbered, &TuningParameter::name);
}

/// F uses nrelax[i] only together with zrelax[i]. Merging itself, as in Espalier, pairs the limits
/// in another way.
TEST(SupernodeModel, TakesTheLimitsWithTheSameNumberTogether) {
  const KernelCost cost = cost_in_operations();
  const SupernodeModel model(100, 600, 1, cost);
  for (Index i = 0; i < 4; ++i) {
    Tuning tuning;
    tuning.amalgamation.widths = {1, 1, 1, 1};  // nothing to merge
    parameter("nrelax", i).set(tuning, 40);
    for (Index j = 0; j < 4; ++j) {
      Tuning changed = tuning;
      parameter("zrelax", j).set(changed, 0.875);
      EXPECT_EQ(model.objective(changed) != model.objective(tuning), i == j);
    }
  }
}

/// Returns F if all supernodes of at most `width` columns and a fraction `zeros` of zeros merge.
double merging_all(const SupernodeModel& model, Index width, double zeros) {
  Tuning tuning;
  tuning.amalgamation.widths.fill(width);
  tuning.amalgamation.zeros.fill(zeros);
  return model.objective(tuning);
}

TEST(SupernodeModel, SeesNoGainInMergingUnlessLIsDenserThanTheMergedSupernode) {
  const double n = 100000;
  // The built-in costs have a fixed time per call, and lower rates for small dimensions.
  for (const KernelCost& cost : {cost_in_operations(), KernelCost{}}) {
    const SupernodeModel sparse(n, n + 0.009 * n * n / 2, 2, cost);
    const SupernodeModel dense(n, n + 0.2 * n * n / 2, 2, cost);
    EXPECT_EQ(merging_all(sparse, 1, 0.99), 0) << "nothing merges";
    for (const Index width : {2, 3, 8, 31, 32, 33, 200}) {
      for (const double zeros : {0.01, 0.5, 0.99}) {
        EXPECT_GE(merging_all(sparse, width, zeros), 0) << width << ", " << zeros;
      }
    }
    EXPECT_LT(merging_all(dense, 32, 0.99), 0);
  }
}

TEST(PaperParameters, AreTenOfOursEachWithItsRange) {
  std::set<TuningParameter::Field> fields;
  Tuning tuning;
  for (const TuningParameter& parameter : paper_parameters()) {
    fields.insert(parameter.field(tuning));
    EXPECT_LT(parameter.lowest, parameter.highest) << parameter.name;
  }
  EXPECT_EQ(fields.size(), 10u);
  // The first case of merging: up to nrelax[0] columns with a share of zeros up to zrelax[3].
  for (const TuningParameter& parameter : paper_parameters()) {
    if (parameter.name == "zrelax[3]") parameter.set(tuning, 0.91);
  }
  EXPECT_EQ(tuning.amalgamation.zeros[0], 0.91);
}

}  // namespace
}  // namespace espalier::internal
