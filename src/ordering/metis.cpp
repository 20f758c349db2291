// SPDX-License-Identifier: BSD-3-Clause
#include <metis.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>

#include "espalier/error.hpp"
#include "ordering/automatic.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {

namespace {

/// Gives the C library's rand() a separate state while METIS seeds and uses it, so that the
/// sequence of the application is not disturbed. The state has the default size.
class PrivateRandomState {
 public:
  PrivateRandomState() : saved_(initstate(1, state_.data(), state_.size())) {}
  ~PrivateRandomState() { setstate(saved_); }
  PrivateRandomState(const PrivateRandomState&) = delete;
  PrivateRandomState& operator=(const PrivateRandomState&) = delete;

 private:
  alignas(long) std::array<char, 128> state_{};
  char* saved_;
};

constexpr idx_t seed = 1;

std::array<idx_t, METIS_NOPTIONS> dissection_options(Index imbalance) {
  std::array<idx_t, METIS_NOPTIONS> options;
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_COMPRESS] = 0;
  options[METIS_OPTION_UFACTOR] = imbalance;
  options[METIS_OPTION_SEED] = seed;
  return options;
}

/// Throws if METIS failed. METIS catches SIGTERM and SIGABRT while it runs, and then returns a
/// general error.
void require_success(int status, const AdjacencyGraph& graph) {
  const std::string what = "order a graph of " + std::to_string(graph.n) + " vertices and " +
                           std::to_string(graph.neighbour.size()) + " neighbours";
  if (status == METIS_ERROR_MEMORY) {
    throw MemoryError("METIS had too little memory to " + what +
                      "; choose the ordering amd, which needs less");
  }
  if (status != METIS_OK) {
    throw RuntimeFailure("METIS was interrupted or failed when it had to " + what +
                         "; try again, or choose the ordering amd");
  }
}

}  // namespace

bool metis_accepts(Count neighbours) { return neighbours <= std::numeric_limits<idx_t>::max(); }

Permutation metis_ordering(const CompressedGraph& compressed) {
  const AdjacencyGraph& graph = compressed.graph;
  const Count neighbours = static_cast<Count>(graph.neighbour.size());
  if (neighbours == 0) {
    return Permutation::identity(graph.n);
  }
  if (!metis_accepts(neighbours)) {
    throw UsageError("METIS counts in " + std::to_string(8 * sizeof(idx_t)) +
                     " bits here and cannot order a graph with " + std::to_string(neighbours) +
                     " neighbours; choose the ordering amd");
  }
  idx_t n = graph.n;
  std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end());
  std::vector<idx_t> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> weight(compressed.weight.begin(), compressed.weight.end());
  auto options = dissection_options(dissection_imbalance(graph.n, neighbours));
  std::vector<idx_t> order(n);
  std::vector<idx_t> place(n);

  static std::mutex one_sequence;
  const std::scoped_lock lock(one_sequence);
  const PrivateRandomState random_state;
  const int status = METIS_NodeND(&n, begin.data(), neighbour.data(), weight.data(), options.data(),
                                  order.data(), place.data());
  require_success(status, graph);
  return Permutation::from_old_of({order.begin(), order.end()});
}

}  // namespace espalier::internal
