// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "solver/data.hpp"

namespace espalier::internal {
namespace {

/// A device with little memory still does most of the updates that it would do with unlimited
/// memory (HALO, figure 8), because the panels with the most descendants get most of the updates.
TEST(OffloadingSlow, KeepsMostOperationsInShadowsOfASixthOfTheFactor) {
  std::vector<std::string> matrices{"stencil27:36", "laplace3d:50"};
  if (const char* const folder = std::getenv("ESPALIER_MATRICES")) {
    const auto file = std::filesystem::path(folder) / "lp_qap12.mtx.gz";
    if (std::filesystem::exists(file)) matrices.push_back(file.string());
  }
  for (const std::string& matrix : matrices) {
    AnalysisOptions options;
    options.workers = 2;
    options.tuned = false;
    const Analysis analysis(Matrix::load_pattern(matrix), options);
    const SymbolicFactor& symbolic = Internals::data(analysis).symbolic;
    OffloadOptions limited;
    limited.device_bytes = static_cast<Count>(0.17 * static_cast<double>(symbolic.factor_bytes()));
    const FactorPlan plan = plan_factorization(
        symbolic, {.workers = 2, .devices = {.present = true, .division = limited}});
    ASSERT_TRUE(plan.offload.has_value());
    EXPECT_GE(plan.offload->flops, 0.7 * plan.offload->unlimited) << matrix;
    EXPECT_GT(plan.offload->unlimited, 0.2 * plan.offload->total) << matrix;
    RecordProperty(matrix, std::to_string(plan.offload->flops / plan.offload->unlimited));
  }
}

}  // namespace
}  // namespace espalier::internal
