// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_part.hpp"

#include <algorithm>

namespace espalier {

RankPart rank_part(const SymbolicFactor& whole, const PanelEntries& entries, const RankMap& map,
                   Index rank) {
  RankPart part;
  part.structure = local_structure(whole, map, rank);
  for (const Index j : part.structure.column) {
    part.original.push_back(whole.permutation.old_of[j]);
    for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
      const auto source = static_cast<Count>(part.entries.entry.size());
      part.entries.entry.emplace_back(entries.entry[k].local_row(), source);
    }
    part.entries.begin.push_back(static_cast<Count>(part.entries.entry.size()));
  }
  return part;
}

namespace {

/// Collects values and hands them on in pieces that stay in the cache.
class Pieces {
 public:
  explicit Pieces(const std::function<void(std::span<const double>)>& f) : f_(f) {
    piece_.reserve(most);
  }
  void add(double value) {
    piece_.push_back(value);
    if (piece_.size() == most) hand_on();
  }
  void hand_on() {
    if (!piece_.empty()) f_(piece_);
    piece_.clear();
  }

 private:
  static constexpr std::size_t most = 32768;
  const std::function<void(std::span<const double>)>& f_;
  std::vector<double> piece_;
};

}  // namespace

void for_values_of_part(const PanelStructure& whole, const PanelEntries& entries,
                        const RankMap& map, Index rank, std::span<const double> values,
                        const std::function<void(std::span<const double> piece)>& f) {
  // Values come in the order of L, far apart in memory: they are prefetched.
  constexpr Count ahead = 64;
  const Count last = static_cast<Count>(entries.entry.size()) - 1;
  Pieces pieces(f);
  for (const Index domain : {rank, RankMap::shared}) {
    for (Index p = 0; p < whole.panels(); ++p) {
      if (map.domain[p] != domain) continue;
      const Count end = entries.begin[whole.panel_begin[p + 1]];
      for (Count k = entries.begin[whole.panel_begin[p]]; k < end; ++k) {
        __builtin_prefetch(values.data() + entries.entry[std::min(k + ahead, last)].source());
        pieces.add(values[entries.entry[k].source()]);
      }
    }
  }
  pieces.hand_on();
}

}  // namespace espalier
