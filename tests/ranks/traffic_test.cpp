// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "graph/predicted_traffic.hpp"
#include "matrix/generators.hpp"
#include "ranks/whole.hpp"

namespace espalier::internal {
namespace {

using support::PredictedTraffic;
using support::Runs;
using support::traffic_since;
using support::Whole;

/// The messages and bytes that ranks count in a factorization and a solve agree with the map
/// of ranks.
TEST(Traffic, IsWhatTheMapPredicts) {
  Runs here;
  constexpr Index solves[] = {2, 2, 5};
  for (const char* spec : {"laplace3d:8", "irregular2d:500", "elasticity3d:3x3x2"}) {
    const Whole whole(generate_matrix(spec));
    for (const Mapping mapping : support::mappings) {
      const RankMap map = whole.map(mapping);
      const LocalStructure local = whole.part(mapping);
      for (const Granularity granularity :
           {Granularity::panel, Granularity::tile, Granularity::block}) {
        SCOPED_TRACE(std::string(spec) + ", mapping " + std::to_string(static_cast<int>(mapping)) +
                     ", granularity " + std::to_string(static_cast<int>(granularity)));
        NumericFactor factor =
            here.factor(whole, local,
                        plan_factorization(local, {.workers = support::workers_here(),
                                                   .options = {.granularity = granularity}}));
        const PredictedTraffic predicted(whole.symbolic(), map, local, factor.plan().graph.tiling);
        Traffic before = here.engine.traffic();
        support::factorize(factor, whole);
        EXPECT_EQ(traffic_since(before, here.engine),
                  predicted.of_factorization()[support::rank_here()]);
        std::vector<double> b(static_cast<std::size_t>(local.n) * 5, 1.0);
        std::vector<double> x(b);
        for (const Index columns : solves) {
          before = here.engine.traffic();
          factor.submit_solve({b.data(), x.data(), columns});
          factor.wait();
          EXPECT_EQ(traffic_since(before, here.engine),
                    predicted.of_solve(columns)[support::rank_here()]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::internal
