// SPDX-License-Identifier: BSD-3-Clause
#include "solver/distribution.hpp"

#include <algorithm>

#include "mapping/rank_work.hpp"
#include "mapping/subtrees.hpp"
#include "solver/entry_map.hpp"

namespace espalier {

namespace {

/// Calls f for each array of the part that does not follow from the others.
template <typename Part, typename F>
void for_each_array(Part& part, F f) {
  auto& local = part.structure;
  f(local.supernode_begin);
  f(local.row_begin);
  f(local.row);
  f(local.panel_begin);
  f(local.panel_supernode);
  f(local.grid);
  f(local.column);
  f(local.boundary);
  f(local.boundary_row);
  f(part.entries.begin);
  f(part.entries.entry);
  f(part.original);
}

void send_part(const Communicator& comm, const RankPart& part, Index to) {
  for_each_array(part, [&](const auto& array) { comm.send(std::span(array), to); });
}

RankPart receive_part(const Communicator& comm) {
  RankPart part;
  for_each_array(part, [&](auto& array) { comm.receive(array, 0); });
  LocalStructure& local = part.structure;
  local.n = static_cast<Index>(local.column.size());
  local.rank = comm.rank();
  local.ranks = comm.size();
  local.shared_begin = local.panels() - static_cast<Index>(local.grid.size());
  add_blocks(local);
  return part;
}

}  // namespace

Distribution::Distribution(const Communicator& comm, const Whole* whole) : comm_(comm) {
  agree(comm, [&] {
    if (whole != nullptr) divide(*whole);
  });
  comm.broadcast(facts_);
  for (Index rank = 1; rank < comm.size(); ++rank) {
    const RankPart part = agree(comm, [&] { return made_for(rank); });
    if (comm.is_root()) send_part(comm, part, rank);
    if (comm.rank() == rank) part_ = receive_part(comm);
  }
  agree(comm, [&] {
    if (comm.is_root()) part_ = made_for(0);
    values_.resize(part_.entries.entry.size());
  });
}

RankPart Distribution::made_for(Index rank) const {
  return comm_.is_root() ? rank_part(*symbolic_, entries_, map_, rank) : RankPart{};
}

void Distribution::divide(const Whole& whole) {
  const SymbolicFactor& symbolic = whole.symbolic;
  symbolic_ = &symbolic;
  const std::vector<double> seconds = panel_seconds(symbolic, whole.cost);
  map_ = map_to_ranks(symbolic, seconds, comm_.size(), whole.mapping, whole.cells);
  entries_ = map_entries(whole.pattern, symbolic, whole.workers);
  const Load found = imbalance(rank_loads(symbolic, seconds, map_));
  facts_ = {symbolic.n, found.seconds, found.entries};
}

void Distribution::scatter(std::span<const double> values) {
  if (!comm_.is_root()) {
    for (auto rest = std::span(values_); !rest.empty();) {
      rest = rest.subspan(comm_.receive_piece(rest, 0));
    }
    return;
  }
  const auto for_pieces = [&](Index rank, const auto& f) {
    for_values_of_part(*symbolic_, entries_, map_, rank, values, f);
  };
  for (Index rank = comm_.size() - 1; rank > 0; --rank) {
    for_pieces(rank, [&](std::span<const double> piece) { comm_.send(piece, rank); });
  }
  for_pieces(0, [to = values_.begin()](std::span<const double> piece) mutable {
    to = std::copy(piece.begin(), piece.end(), to);
  });
}

}  // namespace espalier
