// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/ordering.hpp"

namespace espalier::internal {

// What the automatic choice knows about time. The constants were measured on cores with AVX-512
// (2-D and 3-D grids, elasticity, linear programmes; 10^3 to 10^6 vertices); they decide which
// ordering is tried, never whether it is right.

/// Seconds of one factorization on one core: 50 GF/s, and 6 ns for each entry of L, which stand for
/// scatter, initialisation and small supernodes.
double factor_seconds(const OrderingCost& cost);

/// Seconds that dissection takes for a graph. The first separator runs on one core: about a seventh
/// of the work.
double dissection_seconds(Index vertices, Count neighbours, Index workers);

/// The share of the time to factor in AMD's ordering that dissection can be expected to save. It
/// grows with flops / entries, which tells meshes in space (900 and more) from meshes in the plane.
double expected_saving(const OrderingCost& minimum_degree);

/// Whether dissection can be expected to save more time than it takes, when `factorizations` follow
/// on `workers` cores.
bool dissection_pays(const OrderingCost& minimum_degree, double dissection_seconds,
                     Index factorizations, Index workers);

/// Seconds that AMD takes for a graph.
double minimum_degree_seconds(Count neighbours);

/// Whether ordering two halves side by side saves more time than the separator between them costs
/// in `factorizations` factorizations.
bool bisection_pays(Count neighbours, Index separator_columns, Index factorizations);

/// The imbalance to allow METIS in a bisection, in thousandths: looser where vertices have few
/// neighbours (grids: 5 to 30 % fewer flops), METIS's own 200 where they have many.
Index dissection_imbalance(Index vertices, Count neighbours);

/// The cost for a graph, given that of its compression with `mean_weight` vertices merged into one.
OrderingCost expanded_cost(const OrderingCost& compressed, double mean_weight);

}  // namespace espalier::internal
