// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ordering.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "ordering/compression.hpp"
#include "ordering/locality.hpp"
#include "ordering/methods.hpp"
#include "ordering/ordering_file.hpp"
#include "ordering/predecessors.hpp"
#include "ordering/separator_tree.hpp"

namespace espalier::internal {

namespace {

Ordering by_dissection(const CompressedGraph& graph, const OrderingRequest& request) {
  DissectedOrder order = dissection_ordering(graph, request.workers);
  return {std::move(order.permutation), "dissection", std::move(order.part)};
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

bool merges_columns(const std::string& method) {
  const auto known = std::ranges::find(methods, method, &Method::name);
  return known == methods.end() ? begins_with_ordering_banner(method) : known->order != as_numbered;
}

CompressedGraph graph_to_order(const PatternView& pattern, const std::string& method,
                               MatchedColumns matched, Index workers) {
  const bool merges = merges_columns(method);
  if (matched.relates_columns()) {
    CompressedGraph pairs = merge_pairs(pattern, std::move(matched), workers);
    return merges ? with_local_numbering(compress(std::move(pairs), workers), workers)
                  : std::move(pairs);
  }
  if (!merges) return uncompressed(adjacency(pattern, workers));
  return with_local_numbering(compress(pattern, workers), workers);
}

namespace {

/// Returns the order of a file. Throws InputError if its parts do not separate the graph.
Ordering by_file(const CompressedGraph& graph, const std::string& path) {
  SeparatorTree tree = read_ordering(path, static_cast<Index>(graph.member.size()));
  Ordering ordering{contract(graph, Permutation::from_old_of(tree.column)), "file"};
  if (tree.part.empty()) return ordering;
  std::optional<std::vector<TreePart>> part = in_merged_vertices(graph, ordering.permutation, tree);
  if (!part) {
    throw InputError(path +
                     ": the parts do not separate this matrix; remove the first line, the "
                     "line 'parts' and all lines after it to use only the order");
  }
  ordering.part = std::move(*part);
  return ordering;
}

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
  return by_file(graph, request.method);
}

}  // namespace

Ordering order(const CompressedGraph& graph, const OrderingRequest& request) {
  Ordering ordering = order_by_method(graph, request);
  move_after_predecessors(graph, ordering);
  return ordering;
}

SeparatorTree separator_tree(const CompressedGraph& graph, const Ordering& ordering) {
  const bool needs_part =
      ordering.part.empty() && ordering.method != "natural" && ordering.method != "file";
  return in_columns(graph, ordering.permutation,
                    needs_part ? one_part(graph.graph.n) : ordering.part);
}

}  // namespace espalier::internal
