// SPDX-License-Identifier: BSD-3-Clause

#include <ptscotch.h>

#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "distributed/ptscotch.hpp"
#include "espalier/error.hpp"
#include "ordering/scotch_objects.hpp"

namespace espalier::internal {

namespace {

/// Returns the strategy for PT-Scotch: all ranks together compute vertex separators. Each rank
/// refines them in a band around the separator of the coarser graph, and the best result is used. A
/// part on a single rank is ordered as by scotch_ordering().
std::string strategy_text() {
  const std::string separators = "m{vert=120,low=h{pass=5},asc=f{bal=0.2,pass=3}}";
  const std::string alone =
      "n{sep=/(vert>200)?" + separators + ";,ole=f{cmin=0,cmax=100000,frat=0.0},ose=g}";
  return "n{sep=m{vert=100,low=q{strat=h},asc=b{width=3,strat=q{strat=f}},seq=q{strat=" +
         separators + "}},ole=q{strat=" + alone + "},ose=s,osq=" + alone + "}";
}

/// A graph that is divided among the ranks of a communicator.
struct DividedScotchGraph {
  explicit DividedScotchGraph(MPI_Comm comm) { SCOTCH_dgraphInit(&handle, comm); }
  ~DividedScotchGraph() { SCOTCH_dgraphExit(&handle); }
  DividedScotchGraph(const DividedScotchGraph&) = delete;
  DividedScotchGraph& operator=(const DividedScotchGraph&) = delete;
  SCOTCH_Dgraph handle;
};

struct DividedScotchOrdering {
  explicit DividedScotchOrdering(SCOTCH_Dgraph& of) : graph(of) {
    SCOTCH_dgraphOrderInit(&graph, &handle);
  }
  ~DividedScotchOrdering() { SCOTCH_dgraphOrderExit(&graph, &handle); }
  DividedScotchOrdering(const DividedScotchOrdering&) = delete;
  DividedScotchOrdering& operator=(const DividedScotchOrdering&) = delete;
  SCOTCH_Dgraph& graph;
  SCOTCH_Dordering handle;
};

/// Returns the total number of neighbours in the parts of all ranks.
Count all_neighbours(const Communicator& comm, const GraphPart& part) {
  const std::vector<Count> each = comm.gather_from_all(std::ssize(part.neighbour));
  return std::accumulate(each.begin(), each.end(), Count{0});
}

/// Returns the numbers as SCOTCH_Num. The array is never null, because null would mean that no rank
/// has such an array.
template <typename Number>
std::vector<SCOTCH_Num> numbers(const std::vector<Number>& of) {
  std::vector<SCOTCH_Num> result;
  result.reserve(of.size() + 1);
  result.assign(of.begin(), of.end());
  return result;
}

class PtScotch {
 public:
  PtScotch(const Communicator& comm, const GraphPart& part)
      : comm_(comm),
        begin_(numbers(part.begin)),
        neighbour_(numbers(part.neighbour)),
        weight_(numbers(part.weight)),
        unbound_(comm.get()),
        bound_(comm.get()) {}

  /// Returns the positions of the vertices of the part in the order.
  std::vector<SCOTCH_Num> places() {
    const std::string strategy = strategy_text();
    expect(prepare_scotch(context_, strategy_, SCOTCH_stratDgraphOrder, strategy.c_str()), "start");
    const auto vertices = static_cast<SCOTCH_Num>(weight_.size());
    const auto neighbours = static_cast<SCOTCH_Num>(neighbour_.size());
    expect(SCOTCH_dgraphBuild(&unbound_.handle, 0, vertices, vertices, begin_.data(), nullptr,
                              weight_.data(), nullptr, neighbours, neighbours, neighbour_.data(),
                              nullptr, nullptr) == 0,
           "take");
    expect(SCOTCH_contextBindDgraph(&context_.handle, &unbound_.handle, &bound_.handle) == 0,
           "bind");
    DividedScotchOrdering ordering(bound_.handle);
    expect(SCOTCH_dgraphOrderCompute(&bound_.handle, &ordering.handle, &strategy_.handle) == 0,
           "order");
    std::vector<SCOTCH_Num> places(weight_.size());
    expect(SCOTCH_dgraphOrderPerm(&bound_.handle, &ordering.handle, places.data()) == 0, "number");
    return places;
  }

 private:
  /// Throws MemoryError on all ranks if a step failed on one of them.
  void expect(bool success, const char* step) const {
    agree(comm_, [&] {
      if (success) return;
      throw MemoryError("PT-Scotch could not " + std::string(step) + " a part with " +
                        std::to_string(weight_.size()) + " vertices and " +
                        std::to_string(neighbour_.size()) +
                        " neighbours; choose the ordering amd, which needs less memory");
    });
  }

  const Communicator& comm_;
  std::vector<SCOTCH_Num> begin_;
  std::vector<SCOTCH_Num> neighbour_;
  std::vector<SCOTCH_Num> weight_;
  ScotchContext context_;
  ScotchStrategy strategy_;
  DividedScotchGraph unbound_;
  DividedScotchGraph bound_;
};

}  // namespace

std::vector<Index> ptscotch_places(const Communicator& comm, const GraphPart& part) {
  const Count neighbours = all_neighbours(comm, part);
  if (neighbours > std::numeric_limits<SCOTCH_Num>::max()) {
    throw UsageError("this PT-Scotch counts in " + std::to_string(8 * sizeof(SCOTCH_Num)) +
                     " bits and cannot order a graph with " + std::to_string(neighbours) +
                     " neighbours; choose the ordering amd");
  }
  const std::vector<SCOTCH_Num> own = PtScotch(comm, part).places();
  std::vector<Index> places;
  for (const std::vector<SCOTCH_Num>& of_rank : comm.gather(std::span(own))) {
    places.insert(places.end(), of_rank.begin(), of_rank.end());
  }
  return places;
}

}  // namespace espalier::internal
