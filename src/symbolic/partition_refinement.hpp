// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier::internal {

/// An ordered partition of the vertices [first, first + size) into classes, each a range of the
/// order. Paige and Tarjan, "Three partition refinement algorithms", 1987.
class OrderedPartition {
 public:
  /// Starts again with one class.
  void reset(Index first, Index size);

  /// Whether every class is a single vertex.
  bool is_finest() const { return classes_.size() == order_.size(); }

  /// Where a vertex stands in the order, from 0.
  Index position(Index vertex) const { return position_[vertex - first_]; }

  /// Splits all classes that the set meets in part; its members go to the side where a neighbouring
  /// class meets the set too. Cost O(size of the set).
  void refine(std::span<const Index> set);

 private:
  enum class Side { whole, left, right };  ///< where the members of a set go inside their class

  struct Class {
    Index begin, end;  ///< positions in the order
    Index members;     ///< vertices of the current set in this class
    Side side;
    Index split_off;  ///< the class that the members move to
    Index cursor;     ///< where the next member goes
  };

  int attraction(Index position) const;
  Side side_of_members(const Class& c) const;
  void prepare_split(Index c);
  void move_member(Index vertex);

  // Vertices are counted from first_ in all of these.
  Index first_ = 0;
  std::vector<Index> order_;
  std::vector<Index> position_;  ///< inverse of the order
  std::vector<Index> class_of_;
  std::vector<Class> classes_;
  std::vector<Index> met_;  ///< classes that the current set meets
};

/// Reorders the vertices inside every supernode so that the rows of its descendants that face it
/// become contiguous, and renumbers the row structure accordingly; the set of entries of L stays
/// the same but for this renumbering. Vertices of supernode s are [begin[s], begin[s+1]);
/// supernodes of `rows` behind these keep their order.
///
/// The vertices of a supernode start as one class. Each facing row set, the largest first, splits
/// every class that it meets in part, and its members go to the side where a neighbouring class
/// meets the set too. A supernode keeps its order where this leaves no fewer runs.
/// Cost O(rows) but for the sorting of the sets by size. The result does not depend on `workers`.
/// Jacquelin, Ng and Peyton, "Fast and effective reordering of columns within supernodes using
/// partition refinement", 2018.
Permutation refine_partition(std::span<const Index> begin, RowStructure& rows, Index workers = 1);

/// Maximal runs of consecutive rows below the diagonal blocks that face one supernode: what a
/// scatter of updates has to address one by one.
Count count_runs(const RowStructure& rows);

}  // namespace espalier::internal
