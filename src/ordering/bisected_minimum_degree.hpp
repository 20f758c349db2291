// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "ordering/methods.hpp"

namespace espalier {

/// Minimum degree of the halves of a graph, each with its halo, on two threads where there are two
/// workers, and last of the separator between them. The separator is a front of a breadth-first
/// search, refined: larger than dissection would find it, for a tenth of the time. Nothing where a
/// graph is too small to gain, or its separator too large. The result does not depend on the
/// workers. It takes three quarters of the time of AMD, nine tenths with one worker, and L takes 36
/// % more flops on irregular2d:300000, 18 % on irregular2d:1000000.
std::optional<MinimumDegree> bisected_minimum_degree(const CompressedGraph& graph,
                                                     const OrderingRequest& request);

}  // namespace espalier
