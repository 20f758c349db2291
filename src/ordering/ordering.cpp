// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ordering.hpp"

#include <array>
#include <filesystem>
#include <string_view>

#include "espalier/error.hpp"
#include "ordering/methods.hpp"

namespace espalier {

namespace {

Ordering by_scotch(const AdjacencyGraph& graph, const OrderingRequest&) {
  return {scotch_ordering(compress(graph)), "scotch"};
}

Ordering by_metis(const AdjacencyGraph& graph, const OrderingRequest&) {
  return {metis_ordering(compress(graph)), "metis"};
}

Ordering by_amd(const AdjacencyGraph& graph, const OrderingRequest&) {
  return {amd_ordering(graph, compress(graph)).permutation, "amd"};
}

Ordering as_numbered(const AdjacencyGraph& graph, const OrderingRequest&) {
  return {Permutation::identity(graph.n), "natural"};
}

struct Method {
  std::string_view name;
  Ordering (*order)(const AdjacencyGraph&, const OrderingRequest&);
};

constexpr std::array<Method, 5> methods{{{"auto", automatic_ordering},
                                         {"scotch", by_scotch},
                                         {"metis", by_metis},
                                         {"amd", by_amd},
                                         {"natural", as_numbered}}};

std::string known_methods() {
  std::string names;
  for (const Method& method : methods) {
    names += std::string(names.empty() ? "" : ", ") + std::string(method.name);
  }
  return names;
}

}  // namespace

Ordering order(const AdjacencyGraph& graph, const OrderingRequest& request) {
  for (const Method& method : methods) {
    if (method.name == request.method) {
      return method.order(graph, request);
    }
  }
  std::error_code ignored;
  if (!std::filesystem::exists(request.method, ignored)) {
    throw UsageError("'" + request.method + "' is neither an ordering method (" + known_methods() +
                     ") nor a file with a permutation");
  }
  return {read_permutation(request.method, graph.n), "file"};
}

}  // namespace espalier
