// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/row_structure.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "symbolic/amalgamation_samples.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier {
namespace {

using List = std::vector<Index>;

TEST(RowStructure, OfLiu1990) {
  const EliminationOrder order = elimination_order(liu_graph(), Permutation::identity(10));
  const AmalgamationOptions none{{0, 0, 0, 0}, {0, 0, 0, 0}};
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order)), none);
  const RowStructure rows = row_structure(order.graph, amalgamation);
  // Postorder d b e a c f g h i j, by the letters of the paper; i and j share their structure.
  EXPECT_EQ(order.permutation.old_of, (List{3, 1, 4, 0, 2, 5, 6, 7, 8, 9}));
  EXPECT_EQ(rows.begin, (std::vector<Count>{0, 3, 6, 9, 12, 15, 18, 20, 23, 25}));
  EXPECT_EQ(rows.row,
            (List{0, 8, 9, 1, 2, 9, 2, 8, 9, 3, 4, 7, 4, 6, 7, 5, 6, 7, 6, 7, 7, 8, 9, 8, 9}));
}

TEST(RowStructure, IsTheUnionOfTheColumnsOfAnElimination) {
  for (const auto& [setting, options] : amalgamation_samples()) {
    for (const Sample& sample : sample_graphs()) {
      SCOPED_TRACE(sample.name + ", " + setting);
      const EliminationOrder order = elimination_order(sample.graph, sample.ordering);
      const Amalgamation amalgamation =
          amalgamate(fundamental_supernodes(order.parent, column_counts(order)), options);
      const RowStructure rows = row_structure(order.graph, amalgamation);
      const auto structure = brute_force_structure(order.graph, amalgamation.renumbering);
      const Supernodes& supernodes = amalgamation.supernodes;
      ASSERT_EQ(static_cast<Index>(rows.begin.size()), supernodes.count() + 1);
      for (Index s = 0; s < supernodes.count(); ++s) {
        std::set<Index> expected;
        for (Index c = supernodes.begin[s]; c < supernodes.begin[s + 1]; ++c) {
          expected.insert(c);
          expected.insert(structure[c].begin(), structure[c].end());
        }
        EXPECT_EQ(List(rows.of(s).begin(), rows.of(s).end()),
                  List(expected.begin(), expected.end()))
            << "supernode " << s;
      }
    }
  }
}

}  // namespace
}  // namespace espalier
