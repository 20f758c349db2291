// SPDX-License-Identifier: BSD-3-Clause
#include "solver/distribution.hpp"

#include <algorithm>
#include <optional>

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

/// A matrix on the root, divided.
struct Division {
  explicit Division(const Distribution::Whole& whole, Index ranks)
      : symbolic(whole.symbolic),
        entries(map_entries(whole.pattern, whole.symbolic, whole.workers)),
        seconds(panel_seconds(whole.symbolic, whole.cost)),
        map(map_to_ranks(whole.symbolic, seconds, ranks, whole.mapping, whole.cells)) {}

  RankPart part(Index rank) const { return rank_part(symbolic, entries, map, rank); }

  const SymbolicFactor& symbolic;
  const PanelEntries entries;
  const std::vector<double> seconds;
  const RankMap map;
};

/// On the root, what ranks are to get; it leaves in pieces that stay in the cache.
class Pieces {
 public:
  Pieces(const Communicator& comm, std::span<double> own)
      : comm_(comm), own_(own), piece_(static_cast<std::size_t>(comm.size())) {}

  void add(std::span<const double> values, Index rank) {
    if (rank == 0) {
      std::copy(values.begin(), values.end(), own_.begin());
      own_ = own_.subspan(values.size());
      return;
    }
    std::vector<double>& piece = piece_[rank];
    piece.insert(piece.end(), values.begin(), values.end());
    if (piece.size() >= enough) send(rank);
  }
  void finish() {
    for (Index rank = 1; rank < comm_.size(); ++rank) {
      if (!piece_[rank].empty()) send(rank);
    }
  }

 private:
  static constexpr std::size_t enough = 32768;

  void send(Index rank) {
    comm_.send(std::span<const double>(piece_[rank]), rank);
    piece_[rank].clear();
  }

  const Communicator& comm_;
  std::span<double> own_;  ///< where the root's next values go
  std::vector<std::vector<double>> piece_;
};

}  // namespace

Distribution::Distribution(const Communicator& comm, const Whole* whole) : comm_(comm) {
  std::optional<Division> division;
  agree(comm, [&] {
    if (whole == nullptr) return;
    division.emplace(*whole, comm.size());
    const auto& [symbolic, entries, seconds, map] = *division;
    owner_ = owners_of_entries(symbolic, entries, map);
    const Load found = imbalance(rank_loads(symbolic, seconds, map));
    facts_ = {symbolic.n, found.seconds, found.entries};
  });
  comm.broadcast(facts_);
  const auto made_for = [&](Index rank) { return division ? division->part(rank) : RankPart{}; };
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

void Distribution::scatter(std::span<const double> values) {
  if (!comm_.is_root()) {
    for (auto rest = std::span(values_); !rest.empty();) {
      rest = rest.subspan(comm_.receive_piece(rest, 0));
    }
    return;
  }
  constexpr std::size_t most = 4096;  // in one run
  Pieces pieces(comm_, values_);
  for (std::size_t k = 0; k < owner_.size();) {
    const Index owner = owner_[k];
    const auto begin = owner_.begin() + static_cast<Count>(k);
    const auto last = owner_.begin() + static_cast<Count>(std::min(k + most, owner_.size()));
    const auto end = std::find_if(begin, last, [&](Index other) { return other != owner; });
    const auto run = values.subspan(k, static_cast<std::size_t>(end - begin));
    if (owner == RankMap::shared) {
      for (Index rank = 0; rank < comm_.size(); ++rank) pieces.add(run, rank);
    } else {
      pieces.add(run, owner);
    }
    k += run.size();
  }
  pieces.finish();
}

}  // namespace espalier
