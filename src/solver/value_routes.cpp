// SPDX-License-Identifier: BSD-3-Clause
#include "solver/value_routes.hpp"

#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "mapping/rank_map.hpp"

namespace espalier {

namespace {

using Lists = std::vector<std::vector<Index>>;

void expect_numbers(Count entries) {
  if (entries <= std::numeric_limits<Index>::max()) return;
  throw UsageError("a rank has " + std::to_string(entries) +
                   " entries of the matrix, more than fit there; take more ranks");
}

/// The number of each entry of the whole among those of its rank.
std::vector<Index> numbers_in_parts(const Communicator& comm,
                                    std::span<const Index> rank_of_entry) {
  std::vector<Count> next(static_cast<std::size_t>(comm.size()), 0);
  std::vector<Index> number;
  number.reserve(rank_of_entry.size());
  for (const Index rank : rank_of_entry) number.push_back(static_cast<Index>(next[rank]++));
  agree(comm, [&] {
    for (const Count entries : next) expect_numbers(entries);
  });
  return number;
}

/// Hands lists out from the root, one to each rank.
std::vector<Index> handed_out(const Communicator& comm, Lists lists) {
  std::vector<Index> own;
  if (!comm.is_root()) {
    comm.receive(own, 0);
    return own;
  }
  for (Index rank = 1; rank < comm.size(); ++rank) {
    comm.send(std::span<const Index>(lists[rank]), rank);
  }
  return std::move(lists[0]);
}

}  // namespace

ValueRoutes::ValueRoutes(const Communicator& comm, std::span<const Index> owner,
                         std::span<const Index> rank_of_entry)
    : comm_(comm), receive_(static_cast<std::size_t>(comm.size())) {
  const std::size_t ranks = receive_.size();
  const std::vector<Index> number = numbers_in_parts(comm, rank_of_entry);
  for (Index taker = 0; taker < comm.size(); ++taker) {
    Lists taken(ranks);
    Lists placed(ranks);
    agree(comm, [&] {
      Count place = 0;
      for (std::size_t k = 0; k < owner.size(); ++k) {
        if (owner[k] != taker && owner[k] != RankMap::shared) continue;
        taken[rank_of_entry[k]].push_back(number[k]);
        placed[rank_of_entry[k]].push_back(static_cast<Index>(place++));
      }
      expect_numbers(place);
    });
    send_.push_back(handed_out(comm, std::move(taken)));
    for (std::size_t from = 0; from < ranks; ++from) {
      if (comm.is_root() && taker == 0) receive_[from] = std::move(placed[from]);
      if (comm.is_root() && taker > 0) comm.send(std::span<const Index>(placed[from]), taker);
      if (!comm.is_root() && taker == comm.rank()) comm.receive(receive_[from], 0);
    }
  }
}

void ValueRoutes::move(const MatrixPart& from, std::span<double> to) const {
  std::vector<double> values;
  exchange<double>(
      comm_,
      [&](Index rank) {
        values.clear();
        for (const Index k : send_[rank]) values.push_back(from.entry[k].value);
        return std::span(values);
      },
      [&](Index rank, std::span<const double> taken) {
        for (std::size_t k = 0; k < taken.size(); ++k) to[receive_[rank][k]] = taken[k];
      });
}

}  // namespace espalier
