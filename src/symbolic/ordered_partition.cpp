// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/ordered_partition.hpp"

#include <numeric>
#include <utility>

namespace espalier {

void OrderedPartition::reset(Index first, Index size) {
  first_ = first;
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0);
  position_ = order_;
  class_of_.assign(size, 0);
  classes_.assign(1, {0, size, 0, Side::whole, 0, 0});
}

void OrderedPartition::refine(std::span<const Index> set) {
  met_.clear();
  for (const Index vertex : set) {
    const Index c = class_of_[vertex - first_];
    if (classes_[c].members++ == 0) met_.push_back(c);
  }
  for (const Index c : met_) classes_[c].side = side_of_members(classes_[c]);
  const std::size_t classes_before = classes_.size();
  for (const Index c : met_) prepare_split(c);
  if (classes_.size() > classes_before) {
    for (const Index vertex : set) move_member(vertex - first_);
  }
  for (const Index c : met_) classes_[c].members = 0;
}

/// How much a neighbouring class attracts members: not at all, met in part, met as a whole.
int OrderedPartition::attraction(Index position) const {
  if (position < 0 || position == static_cast<Index>(order_.size())) return 0;
  const Class& neighbour = classes_[class_of_[order_[position]]];
  if (neighbour.members == 0) return 0;
  return neighbour.members == neighbour.end - neighbour.begin ? 2 : 1;
}

OrderedPartition::Side OrderedPartition::side_of_members(const Class& c) const {
  if (c.members == c.end - c.begin) return Side::whole;
  return attraction(c.begin - 1) > attraction(c.end) ? Side::left : Side::right;
}

/// Gives the members of a class a class of their own at its side; they move there one by one.
void OrderedPartition::prepare_split(Index c) {
  Class& old = classes_[c];
  if (old.side == Side::whole) return;
  old.split_off = static_cast<Index>(classes_.size());
  Class members{old.begin, old.end, 0, Side::whole, 0, 0};
  if (old.side == Side::left) {
    old.begin = members.end = old.begin + old.members;
  } else {
    old.end = members.begin = old.end - old.members;
  }
  old.cursor = members.begin;
  classes_.push_back(members);
}

void OrderedPartition::move_member(Index vertex) {
  Class& old = classes_[class_of_[vertex]];
  if (old.side == Side::whole) return;
  const Index target = old.cursor++;
  const Index displaced = order_[target];
  std::swap(order_[target], order_[position_[vertex]]);
  position_[displaced] = std::exchange(position_[vertex], target);
  class_of_[vertex] = old.split_off;
}

}  // namespace espalier
