// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/separator_tree.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "espalier/error.hpp"

namespace espalier::internal {

std::vector<TreePart> one_part(Index n) { return {{-1, 0, n}}; }

std::vector<TreePart> tree_of(std::vector<DissectedRange> ranges) {
  std::erase_if(ranges, [](const DissectedRange& range) { return range.first == range.end; });
  if (ranges.empty()) return one_part(0);
  // Of equal ranges, one has an empty separator and a single side that is not empty.
  std::ranges::sort(ranges, [](const DissectedRange& a, const DissectedRange& b) {
    return std::tuple(a.end, -a.first, a.separator) < std::tuple(b.end, -b.first, b.separator);
  });
  const auto same = std::ranges::unique(
      ranges, [](const auto& a, const auto& b) { return a.first == b.first && a.end == b.end; });
  ranges.erase(same.begin(), same.end());
  std::vector<TreePart> part;
  part.reserve(ranges.size());
  std::vector<Index> open;  // parts that have no parent yet
  for (const DissectedRange& range : ranges) {
    const auto k = static_cast<Index>(part.size());
    while (!open.empty() && ranges[open.back()].first >= range.first) {
      part[open.back()].parent = k;
      open.pop_back();
    }
    open.push_back(k);
    part.push_back({-1, range.separator, range.end});
  }
  return part;
}

Ancestry::Ancestry(std::span<const TreePart> part) : parent_(part.size()), first_(part.size()) {
  for (std::size_t k = 0; k < part.size(); ++k) {
    parent_[k] = part[k].parent;
    first_[k] = static_cast<Index>(k);
  }
  for (std::size_t k = 0; k < part.size(); ++k) {
    if (parent_[k] >= 0) first_[parent_[k]] = std::min(first_[parent_[k]], first_[k]);
  }
}

Index Ancestry::common(Index a, Index b) const {
  while (!contains(a, b)) a = parent_[a];
  return a;
}

std::vector<Index> part_at_positions(const SeparatorTree& tree) {
  std::vector<Index> result(tree.column.size(), 0);
  for (std::size_t k = 0; k < tree.part.size(); ++k) {
    std::fill(result.begin() + tree.part[k].first, result.begin() + tree.part[k].end,
              static_cast<Index>(k));
  }
  return result;
}

SeparatorTree in_columns(const CompressedGraph& graph, const Permutation& permutation,
                         std::span<const TreePart> part) {
  SeparatorTree tree;
  tree.column.reserve(graph.member.size());
  std::vector<Index> begin;  // position of the first column of each merged vertex, in their order
  begin.reserve(permutation.old_of.size() + 1);
  for (const Index c : permutation.old_of) {
    begin.push_back(static_cast<Index>(tree.column.size()));
    const auto members = graph.members(c);
    tree.column.insert(tree.column.end(), members.begin(), members.end());
  }
  begin.push_back(static_cast<Index>(tree.column.size()));
  tree.part.reserve(part.size());
  for (const TreePart& one : part) {
    tree.part.push_back({one.parent, begin[one.first], begin[one.end]});
  }
  return tree;
}

namespace {

/// Returns the part of each merged vertex, or nothing if its members are in different parts.
std::optional<std::vector<Index>> parts_of(const CompressedGraph& graph,
                                           const SeparatorTree& tree) {
  const std::vector<Index> at_position = part_at_positions(tree);
  std::vector<Index> of_column(tree.column.size());
  for (std::size_t k = 0; k < tree.column.size(); ++k) of_column[tree.column[k]] = at_position[k];
  std::vector<Index> result(graph.graph.n);
  for (Index c = 0; c < graph.graph.n; ++c) {
    const auto members = graph.members(c);
    result[c] = of_column[members.front()];
    if (std::ranges::any_of(members, [&](Index v) { return of_column[v] != result[c]; })) {
      return std::nullopt;
    }
  }
  return result;
}

bool separates(const Ancestry& ancestry, const std::vector<Index>& part,
               const AdjacencyGraph& graph) {
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index w : graph.of(v)) {
      if (w > v && !ancestry.related(part[v], part[w])) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<TreePart>> in_merged_vertices(const CompressedGraph& graph,
                                                        const Permutation& permutation,
                                                        const SeparatorTree& tree) {
  const std::optional<std::vector<Index>> part = parts_of(graph, tree);
  if (!part || !separates(Ancestry(tree.part), *part, graph.graph)) return std::nullopt;
  std::vector<TreePart> result;
  result.reserve(tree.part.size());
  Index position = 0;
  for (std::size_t k = 0; k < tree.part.size(); ++k) {
    const Index first = position;
    while (position < graph.graph.n &&
           (*part)[permutation.old_of[position]] == static_cast<Index>(k)) {
      ++position;
    }
    result.push_back({tree.part[k].parent, first, position});
  }
  return result;
}

std::string PartSequence::fault(const TreePart& part) {
  const auto text = [](Index number) { return std::to_string(number); };
  const Index k = next_++;
  const bool last = next_ == parts_;
  if (part.first != end_) {
    return "it begins at position " + text(part.first) + " instead of " + text(end_);
  }
  if (part.end < part.first || part.end > columns_ || (last && part.end != columns_)) {
    return "it ends at position " + text(part.end) + "; the tree has " + text(columns_) +
           " columns";
  }
  end_ = part.end;
  while (!waiting_.empty() && waiting_.back() == k) waiting_.pop_back();
  if (last) {
    return part.parent == -1 ? "" : "its parent is " + text(part.parent) + "; the last one has -1";
  }
  const Index most = waiting_.empty() ? parts_ - 1 : waiting_.back();
  if (part.parent <= k || part.parent > most) {
    return "its parent is " + text(part.parent) + "; expected " + text(k + 1) + " to " + text(most);
  }
  waiting_.push_back(part.parent);
  return "";
}

namespace {

void check_parts(const SeparatorTree& tree) {
  const auto count = static_cast<Index>(tree.part.size());
  if (count == 0) throw InputError("a separator tree has no parts");
  PartSequence sequence(count, static_cast<Index>(tree.column.size()));
  for (Index k = 0; k < count; ++k) {
    const std::string fault = sequence.fault(tree.part[k]);
    if (!fault.empty()) throw InputError("part " + std::to_string(k) + ": " + fault);
  }
}

}  // namespace

void check(const SeparatorTree& tree, const AdjacencyGraph& graph) {
  const Permutation order = Permutation::from_old_of(tree.column);
  check_parts(tree);
  const Ancestry ancestry(tree.part);
  const std::vector<Index> part = part_at_positions(tree);
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index w : graph.of(v)) {
      if (w > v && !ancestry.related(part[order.new_of[v]], part[order.new_of[w]])) {
        throw InputError("the separators do not separate column " + std::to_string(v) +
                         " from column " + std::to_string(w));
      }
    }
  }
}

}  // namespace espalier::internal
