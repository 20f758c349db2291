// SPDX-License-Identifier: BSD-3-Clause

#include <optional>
#include <utility>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/ptscotch.hpp"
#include "espalier/error.hpp"
#include "espalier/mpi.hpp"
#include "ordering/methods.hpp"
#include "solver/analysis.hpp"

namespace espalier::internal {

namespace {

/// Returns on the root the ordering that all ranks compute together, and an empty one on other
/// ranks.
CountedOrdering ordered_together(const Communicator& comm, const DividedGraph& divided) {
  const std::vector<Index> places = ptscotch_places(comm, divided.part);
  return agree(comm, [&] {
    std::vector<Index> old_of(places.size());
    for (std::size_t v = 0; v < places.size(); ++v) old_of[places[v]] = divided.vertex[v];
    return CountedOrdering{{Permutation::from_old_of(std::move(old_of)), ptscotch}, {}};
  });
}

/// Analyzes a matrix of the root. divide(graph) returns this rank's part of the graph of the root,
/// and is collective.
template <typename Divide>
std::optional<Analysis> analyze_on_ranks(const Communicator& comm, const Matrix* matrix,
                                         const AnalysisOptions& options, Divide divide) {
  std::optional<AnalysisDraft> draft = agree(comm, [&] {
    if (options.matching && options.ordering == ptscotch) {
      throw UsageError(
          "ptscotch cannot keep pairs of columns together; leave out matching, or choose another "
          "ordering");
    }
    std::optional<AnalysisDraft> begun;
    if (comm.is_root()) begun.emplace(*matrix, options);
    return begun;
  });
  bool together = comm.is_root() && options.ordering == ptscotch;
  comm.broadcast(together);
  std::optional<CountedOrdering> ordering;
  if (together) ordering = ordered_together(comm, divide(draft ? &draft->graph() : nullptr));
  return agree(comm, [&] {
    std::optional<Analysis> analysis;
    if (draft) {
      analysis = Internals::holding<Analysis>(
          draft->finish(ordering ? std::move(*ordering) : draft->order(), comm.size()));
    }
    return analysis;
  });
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

std::optional<Analysis> analyze(const Ranks& ranks, const Matrix* matrix,
                                const AnalysisOptions& options) {
  const Communicator& comm = Internals::data(ranks).comm;
  agree(comm, [&] {
    if (comm.is_root() == (matrix != nullptr)) return;
    throw UsageError("pass the matrix to analyze on rank 0, and null on all other ranks");
  });
  return analyze_on_ranks(comm, matrix, options,
                          [&](const CompressedGraph* graph) { return divide_graph(comm, graph); });
}

std::optional<Analysis> analyze(const Ranks& ranks, const DistributedMatrix& matrix,
                                const AnalysisOptions& options) {
  const Communicator& comm = Internals::data(ranks).comm;
  const DistributedMatrixData& data = Internals::data(matrix);
  bool needs_values = options.matching;
  comm.broadcast(needs_values);
  const std::optional<Matrix> whole = needs_values ? gathered(comm, data) : std::nullopt;
  return analyze_on_ranks(comm, whole ? &*whole : matrix.pattern(), options,
                          [&](const CompressedGraph* graph) {
                            return divide_graph(comm, graph, data.rank_of_column, data.part);
                          });
}

}  // namespace espalier
