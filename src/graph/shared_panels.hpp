// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"

namespace espalier::internal {

/// The messages of one rank for shared panels, and the contributions that it adds to them. They are
/// appended together with the rank's tasks. The rank sends the tiles that it factors to the ranks
/// that read them. It receives the tiles that it reads, and releases them after the last update.
/// Panels of its domain need no messages. A sole rank has no other panels. All arguments of the
/// constructor must outlive the object.
class SharedPanels {
 public:
  SharedPanels(const Exchange& exchange, GraphBuilder& builder);

  /// Begins panel j. Must be the first call for the panel.
  void begin(Index j);
  /// Receives the contributions of other ranks to tile t of this rank, and appends an R(t) for
  /// each.
  void reduce(Index t);
  /// Sends a complete tile of panel j, or receives it.
  void move(Index t);
  /// Releases the received tiles of panel j after their last reader.
  void end();
  /// Appends the messages for this rank's contributions and sets the tails of its tasks. Must be
  /// called after the last task.
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
  std::vector<double> level_;  ///< for each shared panel, see level_of()
  /// Pairs of a tile of panel j and a rank that reads it, ascending.
  std::vector<std::pair<Index, Index>> needs_;
};

}  // namespace espalier::internal
