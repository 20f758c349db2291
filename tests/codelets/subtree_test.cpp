// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/subtree.hpp"

#include <gtest/gtest.h>

#include "codelets/sample_groups.hpp"
#include "matrix/generators.hpp"

namespace espalier {
namespace {

using support::Groups;

class SubtreeTaskWith : public testing::TestWithParam<const Kernels*> {};

TEST_P(SubtreeTaskWith, FactorsGroupsOfSubtrees) {
  for (const char* spec : {"laplace2d:12", "laplace3d:6", "irregular2d:150"}) {
    const SparseMatrix a = generate_matrix(spec);
    for (const double share : {0.05, 0.3, 2.0}) {
      SCOPED_TRACE(std::string(spec) + ", cut at " + std::to_string(share));
      Groups groups(a, share, *GetParam());
      const support::DenseMatrix l = support::dense_cholesky(groups.dense());
      ASSERT_FALSE(groups.cut().groups.empty());
      for (const auto& group : groups.cut().groups) {
        groups.run(group);
        ASSERT_EQ(groups.failed_column(), -1);
        groups.expect_panels(group, l);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(SubtreeTaskWith, ReportsTheColumnWhosePivotFails) {
  const SparseMatrix good = generate_matrix("laplace2d:6");
  for (const Index column : {0, 17, 35}) {
    Groups groups(support::with_bad_column(good, column), 2.0, *GetParam());
    ASSERT_EQ(groups.cut().groups.size(), 1u);
    groups.run(groups.cut().groups[0]);
    EXPECT_EQ(groups.failed_column(), groups.symbolic().permutation.new_of[column]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SubtreeTaskWith,
                         testing::Values(&reference::kernels, &cpu::kernels),
                         [](const auto& info) { return info.index == 0 ? "reference" : "cpu"; });

}  // namespace
}  // namespace espalier
