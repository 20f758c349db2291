// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_part.hpp"

#include <bit>
#include <cstdint>

namespace espalier {

namespace {

/// A set of numbers that knows how many of them are below each. Memory: a quarter of a byte for
/// each number that could be in it.
class NumberSet {
 public:
  explicit NumberSet(Count end) : word_(static_cast<std::size_t>(end / bits + 1)) {}

  void add(Count number) { word_[number / bits].members |= std::uint64_t{1} << (number % bits); }
  void count() {
    Count sum = 0;
    for (Word& word : word_) {
      word.below = sum;
      sum += std::popcount(word.members);
    }
  }
  Count below(Count number) const {
    const Word& word = word_[number / bits];
    const std::uint64_t lower = (std::uint64_t{1} << (number % bits)) - 1;
    return word.below + std::popcount(word.members & lower);
  }

 private:
  static constexpr Count bits = 64;
  struct Word {
    std::uint64_t members = 0;
    Count below = 0;
  };
  std::vector<Word> word_;
};

}  // namespace

RankPart rank_part(const SymbolicFactor& whole, const PanelEntries& entries, const RankMap& map,
                   Index rank) {
  RankPart part;
  part.structure = local_structure(whole, map, rank);
  NumberSet sources(std::ssize(entries.entry));
  for (const Index j : part.structure.column) {
    part.original.push_back(whole.permutation.old_of[j]);
    part.entries.begin.push_back(part.entries.begin.back() + entries.begin[j + 1] -
                                 entries.begin[j]);
    for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
      sources.add(entries.entry[k].source());
    }
  }
  sources.count();
  part.entries.entry.reserve(static_cast<std::size_t>(part.entries.begin.back()));
  for (const Index j : part.structure.column) {
    for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
      const PanelEntry entry = entries.entry[k];
      part.entries.entry.emplace_back(entry.local_row(), sources.below(entry.source()));
    }
  }
  return part;
}

std::vector<Index> owners_of_entries(const PanelStructure& whole, const PanelEntries& entries,
                                     const RankMap& map) {
  std::vector<Index> owner(entries.entry.size());
  for (Index p = 0; p < whole.panels(); ++p) {
    const Count end = entries.begin[whole.panel_begin[p + 1]];
    for (Count k = entries.begin[whole.panel_begin[p]]; k < end; ++k) {
      owner[entries.entry[k].source()] = map.domain[p];
    }
  }
  return owner;
}

}  // namespace espalier
