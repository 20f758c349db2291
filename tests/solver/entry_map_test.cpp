// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "matrix/generators.hpp"
#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

TEST(EntryMap, PutsEveryEntryOfTheMatrixAtItsPlaceInL) {
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const SymbolicFactor symbolic = support::structure_of(problem.matrix);
    const PanelEntries entries = map_entries(problem.matrix.pattern, symbolic);
    const auto expected = support::permuted(problem.matrix, symbolic.permutation);
    support::DenseMatrix filled(symbolic.n);
    for (Index p = 0; p < symbolic.panels(); ++p) {
      const auto rows = symbolic.rows(p);
      for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
        for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
          const Index row = rows[entries.entry[k].local_row()];
          filled(row, j) = filled(j, row) = problem.matrix.value[entries.entry[k].source()];
        }
      }
    }
    for (Index j = 0; j < symbolic.n; ++j) {
      for (Index i = 0; i < symbolic.n; ++i) ASSERT_EQ(filled(i, j), expected(i, j));
    }
  }
}

TEST(EntryMap, HasRowsAscendingAndTheDiagonalFirst) {
  for (const auto& problem : support::small_matrices()) {
    const SymbolicFactor symbolic = support::structure_of(problem.matrix);
    const PanelEntries entries = map_entries(problem.matrix.pattern, symbolic);
    ASSERT_EQ(std::ssize(entries.begin), symbolic.n + 1);
    EXPECT_EQ(entries.begin.back(), problem.matrix.pattern.entries());
    for (Index p = 0; p < symbolic.panels(); ++p) {
      for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
        const auto begin = entries.entry.begin() + entries.begin[j];
        const auto end = entries.entry.begin() + entries.begin[j + 1];
        ASSERT_NE(begin, end);
        EXPECT_EQ(begin->local_row(), j - symbolic.panel_begin[p]) << problem.name;
        const auto ascends = [](PanelEntry a, PanelEntry b) {
          return a.local_row() < b.local_row();
        };
        EXPECT_EQ(std::adjacent_find(begin, end, std::not_fn(ascends)), end);
      }
    }
  }
}

TEST(EntryMap, TakesEveryEntryOnce) {
  for (const auto& problem : support::small_matrices()) {
    const SymbolicFactor symbolic = support::structure_of(problem.matrix);
    std::vector<Count> source;
    for (const PanelEntry entry : map_entries(problem.matrix.pattern, symbolic).entry) {
      source.push_back(entry.source());
    }
    std::sort(source.begin(), source.end());
    for (std::size_t k = 0; k < source.size(); ++k) ASSERT_EQ(source[k], static_cast<Count>(k));
  }
}

TEST(EntryMap, IsTheSameForAnyNumberOfThreads) {
  // The columns of the first matrix have few entries, those of the second one many.
  for (const char* const name : {"laplace3d:30", "elasticity3d:14x14x14"}) {
    const SparseMatrix a = generate_matrix(name);
    ASSERT_GE(a.pattern.entries(), 100'000);  // enough for several threads
    const SymbolicFactor symbolic = support::structure_of(a);
    const PanelEntries alone = map_entries(a.pattern, symbolic);
    for (const Index workers : {2, 3, 7}) {
      const PanelEntries together = map_entries(a.pattern, symbolic, workers);
      EXPECT_EQ(together.begin, alone.begin);
      EXPECT_EQ(together.entry, alone.entry);
    }
  }
}

}  // namespace
}  // namespace espalier::internal
