// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/separator_tree.hpp"
#include "ordering/compression.hpp"

namespace espalier::internal {

/// Returns a tree of one part with n columns.
std::vector<TreePart> one_part(Index n);

/// Positions of a part of a dissection and of its separator, which comes last in it. In a leaf all
/// positions belong to the separator.
struct DissectedRange {
  Index first = 0;
  Index separator = 0;  ///< position of the first vertex of the separator
  Index end = 0;
};

/// Returns the tree of ranges that are nested, in any order. One of them has all positions. Empty
/// ranges are dropped. Cost O(r log r) for r ranges.
std::vector<TreePart> tree_of(std::vector<DissectedRange> ranges);

/// Positions of the subtrees of a tree.
class Ancestry {
 public:
  explicit Ancestry(std::span<const TreePart> part);

  /// Returns whether part `a` is part `b` or an ancestor of it.
  bool contains(Index a, Index b) const { return first_[a] <= b && b <= a; }
  bool related(Index a, Index b) const { return contains(a, b) || contains(b, a); }
  /// Returns the lowest part that contains both. Cost O(depth).
  Index common(Index a, Index b) const;
  /// Returns the smallest part in the subtree of a part.
  Index first(Index part) const { return first_[part]; }
  bool is_leaf(Index part) const { return first_[part] == part; }

 private:
  std::vector<Index> parent_;
  std::vector<Index> first_;
};

/// Checks the parts of a tree one after the other.
class PartSequence {
 public:
  PartSequence(Index parts, Index columns) : parts_(parts), columns_(columns) {}

  /// Returns why this part cannot be the next one, or an empty text.
  std::string fault(const TreePart& part);

 private:
  Index parts_;
  Index columns_;
  Index next_ = 0;  ///< number of the next part
  Index end_ = 0;
  std::vector<Index> waiting_;  ///< parents that have not come
};

/// Returns the part at each position.
std::vector<Index> part_at_positions(const SeparatorTree& tree);

/// Returns the tree in columns for an order and a tree in merged vertices.
SeparatorTree in_columns(const CompressedGraph& graph, const Permutation& permutation,
                         std::span<const TreePart> part);

/// Returns the tree in merged vertices for a tree in columns. `permutation` has the merged vertices
/// in the order of their first columns in the tree. Returns nothing if the tree does not separate
/// the graph, or if the members of a merged vertex are in different parts. Cost O(n + edges).
std::optional<std::vector<TreePart>> in_merged_vertices(const CompressedGraph& graph,
                                                        const Permutation& permutation,
                                                        const SeparatorTree& tree);

/// Throws InputError unless the tree has each column once, its parts are in postorder and have all
/// positions, and the parts separate the graph. Cost O(n + edges).
void check(const SeparatorTree& tree, const AdjacencyGraph& graph);

}  // namespace espalier::internal
