// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier::internal {

/// Ordered partition of the vertices [first, first + size) into classes, each a range of the order.
/// Paige and Tarjan, "Three partition refinement algorithms", 1987.
class OrderedPartition {
 public:
  /// Starts again with one class of all vertices.
  void reset(Index first, Index size);

  /// Returns whether every class is a single vertex.
  bool is_finest() const { return classes_.size() == order_.size(); }

  /// Returns the position of a vertex in the order, from 0.
  Index position(Index vertex) const { return position_[vertex - first_]; }

  /// Splits each class that has members of the set, but also other vertices. The members move to
  /// the side of their class where the neighbouring class also has members. Cost O(size of the
  /// set).
  void refine(std::span<const Index> set);

 private:
  /// Side of their class to which the members of a set move.
  enum class Side { whole, left, right };

  struct Class {
    Index begin, end;  ///< positions in the order
    Index members;     ///< number of vertices of the current set in this class
    Side side;
    Index split_off;  ///< class to which the members move
    Index cursor;     ///< position for the next member
  };

  int attraction(Index position) const;
  Side side_of_members(const Class& c) const;
  void prepare_split(Index c);
  void move_member(Index vertex);

  // The vectors below count vertices from first_.
  Index first_ = 0;
  std::vector<Index> order_;
  std::vector<Index> position_;  ///< inverse of the order
  std::vector<Index> class_of_;
  std::vector<Class> classes_;
  std::vector<Index> met_;  ///< classes that the current set meets
};

/// Reorders the vertices inside every supernode so that the rows that face the supernode form fewer
/// contiguous runs. Renumbers the row structure accordingly. Apart from this renumbering, the
/// entries of L stay the same. Vertices of supernode s are [begin[s], begin[s+1]). Supernodes of
/// `rows` after these keep their order.
///
/// The vertices of a supernode start as one class. Each facing row set, the largest first, refines
/// the partition (OrderedPartition::refine()). A supernode keeps its old order unless the number of
/// runs decreases. Cost O(rows), plus sorting the sets by size. The result does not depend on
/// `workers`. Jacquelin, Ng and Peyton, "Fast and effective reordering of columns within supernodes
/// using partition refinement", 2018.
Permutation refine_partition(std::span<const Index> begin, RowStructure& rows, Index workers = 1);

/// Returns the number of maximal runs of consecutive rows below the diagonal blocks that face one
/// supernode. A scatter of updates addresses each run separately.
Count count_runs(const RowStructure& rows);

}  // namespace espalier::internal
