// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ordering.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "ordering/compression.hpp"
#include "ordering/locality.hpp"
#include "ordering/methods.hpp"
#include "ordering/predecessors.hpp"

namespace espalier::internal {

namespace {

Ordering by_dissection(const CompressedGraph& graph, const OrderingRequest& request) {
  return {dissection_ordering(graph, request.workers), "dissection"};
}

Ordering by_scotch(const CompressedGraph& graph, const OrderingRequest&) {
  return {scotch_ordering(graph), "scotch"};
}

Ordering by_metis(const CompressedGraph& graph, const OrderingRequest&) {
  return {metis_ordering(graph), "metis"};
}

Ordering by_amd(const CompressedGraph& graph, const OrderingRequest&) {
  return {amd_ordering(graph).permutation, "amd"};
}

Ordering as_numbered(const CompressedGraph& graph, const OrderingRequest&) {
  return {Permutation::identity(graph.graph.n), "natural"};
}

Ordering by_ranks(const CompressedGraph&, const OrderingRequest&) {
  throw UsageError(
      "all ranks compute the ordering ptscotch together, so only `espalier solve` and analyze() of "
      "espalier/mpi.hpp accept it; choose another one here, such as scotch");
}

struct Method {
  std::string_view name;
  Ordering (*order)(const CompressedGraph&, const OrderingRequest&);
};

constexpr std::array<Method, 7> methods{{{"auto", automatic_ordering},
                                         {"dissection", by_dissection},
                                         {"scotch", by_scotch},
                                         {ptscotch, by_ranks},
                                         {"metis", by_metis},
                                         {"amd", by_amd},
                                         {"natural", as_numbered}}};

std::string known_methods() {
  std::string names;
  for (const std::string& name : ordering_methods()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

std::vector<std::string> ordering_methods() {
  std::vector<std::string> names;
  names.reserve(methods.size());
  for (const Method& method : methods) names.emplace_back(method.name);
  return names;
}

CompressedGraph graph_to_order(const PatternView& pattern, const std::string& method,
                               MatchedColumns matched, Index workers) {
  const bool reduces_fill = std::any_of(methods.begin(), methods.end(), [&](const Method& known) {
    return known.name == method && known.order != as_numbered;
  });
  if (matched.relates_columns()) {
    CompressedGraph pairs = merge_pairs(pattern, std::move(matched), workers);
    return reduces_fill ? with_local_numbering(compress(std::move(pairs), workers), workers)
                        : std::move(pairs);
  }
  if (!reduces_fill) return uncompressed(adjacency(pattern, workers));
  return with_local_numbering(compress(pattern, workers), workers);
}

namespace {

Ordering order_by_method(const CompressedGraph& graph, const OrderingRequest& request) {
  for (const Method& method : methods) {
    if (method.name == request.method) {
      return method.order(graph, request);
    }
  }
  std::error_code ignored;
  if (!std::filesystem::exists(request.method, ignored)) {
    throw UsageError("unknown ordering " + internal::quoted(request.method) + "; " +
                     did_you_mean(request.method, ordering_methods()) + "choose one of " +
                     known_methods() + ", or a file with a permutation");
  }
  const auto columns = static_cast<Index>(graph.member.size());
  return {contract(graph, read_permutation(request.method, columns)), "file"};
}

}  // namespace

Ordering order(const CompressedGraph& graph, const OrderingRequest& request) {
  Ordering ordering = order_by_method(graph, request);
  ordering.permutation = after_predecessors(graph, std::move(ordering.permutation));
  return ordering;
}

}  // namespace espalier::internal
