// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "ordering/gain_buckets.hpp"
#include "ordering/separation.hpp"

namespace espalier {

/// Makes and improves separators by moving vertices out of them, the best first: a vertex that goes
/// to one side pulls its neighbours on the other side into the separator. A pass moves all vertices
/// to the same side, so that the separator sweeps over the graph; then it returns to the best
/// separator met. Ashcraft, Liu, "Applications of the Dulmage-Mendelsohn decomposition and network
/// flow to graph bisection improvement", SIAM J. Matrix Anal. Appl. 19, 1998; Hendrickson,
/// Rothberg, "Improving the run time and quality of nested dissection ordering", SIAM J. Sci.
/// Comput. 20, 1998. Holds work space for one graph after the other.
class SeparatorRefinement {
 public:
  explicit SeparatorRefinement(const SeparationCost& cost) : cost_(cost) {}

  /// Improves a separation by up to two passes to either side.
  void refine(const WeightedGraph& graph, Separation& separation);
  /// Grows side 0 from a vertex over half of the graph, component by component. Returns the best
  /// separation met.
  Separation grow(const WeightedGraph& graph, Index seed);

 private:
  struct Move {
    Index vertex;
    std::size_t pulled_end;  ///< in pulled_, of what it pulled and what was pulled to start it
  };
  struct Best {
    double cost;
    std::size_t moves;
  };

  void bind(const WeightedGraph& graph, Separation& separation);
  void start_pass(std::uint8_t to);
  void collect_separator();
  bool pass(std::uint8_t to, std::size_t patience);
  /// Puts a vertex of the separator into the queue.
  void enter(Index v);
  /// Moves a vertex of the side `from_` into the separator.
  void pull(Index v);
  /// Moves the vertex of largest gain, and notes the separation where it is the best.
  void move(Best& best);
  void undo_to(std::size_t moves);
  void shift_weight(Index v, std::uint8_t from, std::uint8_t to);

  SeparationCost cost_;
  const WeightedGraph* graph_ = nullptr;
  Separation* separation_ = nullptr;
  std::uint8_t to_ = 0;        ///< the side that vertices move to in this pass
  std::uint8_t from_ = 1;      ///< the other one
  GainBuckets queue_;          ///< the separator
  std::vector<Index> behind_;  ///< weight of the neighbours, on the side `from_`, of those in it
  std::vector<Move> moves_;
  std::vector<Index> pulled_;
};

}  // namespace espalier
