// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/ordering.hpp"

namespace espalier::internal {

// Time model of the automatic choice. Its constants were measured on cores with AVX-512, for graphs
// of 10^3 to 10^6 vertices (2-D and 3-D grids, elasticity, linear programmes). The constants affect
// only which orderings are tried, not the correctness of the result.

/// Returns the predicted time of one factorization on one core, in seconds. The model is 50 Gflop/s
/// plus 6 ns per entry of L for scatter, initialisation and small supernodes.
double factor_seconds(const OrderingCost& cost);

/// Returns the predicted time of dissection, in seconds. The critical path is 6 / cbrt(vertices) of
/// the work.
double dissection_seconds(Index vertices, Count neighbours, Index workers);

/// Returns the fraction of the factorization time in AMD's ordering that dissection is expected to
/// save. It grows with flops / entries, which is large for 3-D meshes (900 and more) and small for
/// 2-D meshes.
double expected_saving(const OrderingCost& minimum_degree);

/// Returns whether dissection is expected to save more time than it takes, if `factorizations`
/// factorizations on `workers` cores follow.
bool dissection_pays(const OrderingCost& minimum_degree, double dissection_seconds,
                     Index factorizations, Index workers);

/// Returns whether AMD's ordering of a problem of some size may need more than 1.3 times the flops
/// of a dissection. On three or more workers the dissection is then also computed, whatever time it
/// takes. On one and two workers it returns false, because the time of a dissection there counts in
/// full (dissection_pays()).
bool dissection_is_required(const OrderingCost& minimum_degree, Index workers);

/// Returns whether `left` has the cheaper factorization. This is the ordering with the shorter
/// predicted time, unless only that ordering has more than 1.3 times the flops or entries of the
/// other.
bool is_cheaper(const OrderingCost& left, const OrderingCost& right);

/// Returns the predicted time of AMD for a graph, in seconds.
double minimum_degree_seconds(Count neighbours);

/// Returns whether dissection is expected to take less time than AMD. Dissection usually also gives
/// the better ordering, so that AMD need not run first.
bool dissection_is_faster(Index vertices, Count neighbours, Index workers);

/// Returns whether AMD may save more time in the factorizations than it takes, after dissection has
/// given an ordering of this cost. AMD is rarely better by more than 30 % for meshes in the plane
/// and similar graphs, and hardly ever for meshes in space, which have more flops per entry.
bool minimum_degree_may_pay(const OrderingCost& dissection, Count neighbours, Index factorizations,
                            Index workers);

/// Returns whether ordering two halves in parallel saves more time than their separator costs in
/// `factorizations` factorizations.
bool bisection_pays(Count neighbours, Index separator_columns, Index factorizations);

/// Returns the imbalance that METIS may use in a bisection, in thousandths. It is larger than
/// METIS's default of 200 if vertices have few neighbours, as in grids, because uneven parts need
/// fewer flops there.
Index dissection_imbalance(Index vertices, Count neighbours);

/// Returns the cost for a graph from the cost for its compression. `mean_weight` is the mean number
/// of vertices that were merged into one.
OrderingCost expanded_cost(const OrderingCost& compressed, double mean_weight);

}  // namespace espalier::internal
