// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codelets/dense_sample.hpp"
#include "codelets/sample_groups.hpp"
#include "mapping/tiling.hpp"
#include "matrix/generators.hpp"

namespace espalier {
namespace {

using support::DenseMatrix;
using support::DenseSample;
using support::Groups;

/// a(r, c) - sum over the group's columns k of l(r, k) l(c, k).
double expected_entry(const Groups& groups, const SubtreeCut::Group& group, const DenseMatrix& l,
                      Index r, Index c) {
  const auto& begin = groups.symbolic().panel_begin;
  double entry = groups.dense()(r, c);
  for (Index k = begin[group.panel_begin]; k < begin[group.panel_end]; ++k) {
    entry -= l(r, k) * l(c, k);
  }
  return entry;
}

void check_tile(Groups& groups, const SubtreeCut::Group& group, const Tile& tile,
                const DenseMatrix& l, Index slices) {
  const SymbolicFactor& s = groups.symbolic();
  const auto rows =
      s.rows(tile.panel)
          .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
  DenseSample target(std::ssize(rows), s.width(tile.panel));
  LazyTile lazy{{s.panel_begin[tile.panel], tile.row_begin}};
  const AssembleTask task{{&groups.context()}, &lazy,          tile.panel, rows,
                          group.panel_begin,   group.panel_end};
  const MatrixView data[] = {target.view(), groups.values_of(group)};
  support::run_in_slices(task, data, groups.worker(), slices);
  EXPECT_EQ(lazy.epoch, groups.context().epoch);
  for (Index j = 0; j < s.width(tile.panel); ++j) {
    const Index column = s.panel_begin[tile.panel] + j;
    for (Index i = 0; i < std::ssize(rows); ++i) {
      if (rows[i] < column) continue;
      const double expected = expected_entry(groups, group, l, rows[i], column);
      EXPECT_TRUE(support::close(target(i, j), expected, 30, s.n));
    }
  }
  EXPECT_TRUE(target.guards_intact());
}

class AssembleTaskWith : public testing::TestWithParam<const Kernels*> {};

/// Into every tile above the cut, also those that the group does not reach: they are only filled.
TEST_P(AssembleTaskWith, SubtractsWhatAGroupContributes) {
  for (const char* spec : {"laplace2d:12", "laplace3d:6", "irregular2d:150"}) {
    for (const Granularity granularity : {Granularity::panel, Granularity::tile}) {
      SCOPED_TRACE(spec);
      Groups groups(generate_matrix(spec), 0.2, *GetParam());
      const DenseMatrix l = support::dense_cholesky(groups.dense());
      const Tiling tiling = tile_panels(groups.symbolic(), groups.cut(), granularity, 3);
      ASSERT_FALSE(tiling.tile.empty());
      for (const auto& group : groups.cut().groups) {
        groups.run(group);
        for (const Tile& tile : tiling.tile) {
          for (const Index slices : {1, 2, 5}) check_tile(groups, group, tile, l, slices);
        }
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, AssembleTaskWith,
                         testing::Values(&reference::kernels, &cpu::kernels),
                         [](const auto& info) { return info.index == 0 ? "reference" : "cpu"; });

}  // namespace
}  // namespace espalier
