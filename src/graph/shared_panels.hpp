// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"

namespace espalier::internal {

/// What one rank sends and receives while its tasks are appended, and what it adds to panels that
/// it shares. Panels of its domain, which are all panels of a sole rank, need nothing of this. What
/// it factors of a shared panel it sends to whom needs it; what it needs of it, it receives, and
/// releases after the last update. All that it is given outlives it.
class SharedPanels {
 public:
  SharedPanels(const Exchange& exchange, GraphBuilder& builder);

  /// Begins panel j, before any other call for it.
  void begin(Index j);
  /// Receives what others contribute to a tile of this rank, and appends R(t) for each of it.
  void reduce(Index t);
  /// Sends a tile of panel j that is complete, or receives it.
  void move(Index t);
  /// Releases what was received of panel j; there is nothing more that reads it.
  void end();
  /// Enters what this rank contributes to others and the tails of its tasks, when there are no more
  /// tasks.
  void finish();

 private:
  double level_of(Index j) const;
  double& level(Index j) { return level_[j - exchange_.shared_begin()]; }
  double level(Index j) const { return level_[j - exchange_.shared_begin()]; }
  float tail_of(const Task& task) const;
  void find_needs(Index j);
  void sort_messages();
  std::vector<Index> last_writers() const;

  const Exchange& exchange_;
  GraphBuilder& builder_;
  std::vector<double> level_;  ///< by shared panel
  /// Tiles of panel j and the ranks that read them, ascending.
  std::vector<std::pair<Index, Index>> needs_;
};

}  // namespace espalier::internal
