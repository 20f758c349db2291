// SPDX-License-Identifier: BSD-3-Clause
#include "solver/value_routes.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "base/release.hpp"
#include "espalier/error.hpp"
#include "solver/rank_part.hpp"

namespace espalier {

namespace {

void expect_numbers(std::size_t entries) {
  if (entries <= static_cast<std::size_t>(std::numeric_limits<Index>::max())) return;
  throw UsageError("a rank has " + std::to_string(entries) +
                   " entries of the matrix, more than fit there; take more ranks");
}

/// An entry of A on its way.
struct SentEntry {
  Index row;
  Index column;
};

/// The k-th of those that a rank sends.
struct TakenEntry {
  SentEntry entry;
  Index from;
  Index k;
};

}  // namespace

ValueRoutes::ValueRoutes(const Communicator& comm, std::vector<Index> rank_of_column,
                         const MatrixPart& part)
    : comm_(comm),
      send_(static_cast<std::size_t>(comm.size())),
      place_(static_cast<std::size_t>(comm.size())) {
  comm.broadcast(rank_of_column);
  agree(comm, [&] {
    expect_numbers(part.entry.size());
    for (std::size_t k = 0; k < part.entry.size(); ++k) {
      const auto& e = part.entry[k];
      const Index owner = entry_owner(rank_of_column[e.row], rank_of_column[e.column]);
      (owner == RankMap::shared ? send_all_ : send_[owner]).push_back(static_cast<Index>(k));
    }
  });
  release(rank_of_column);
  find_places(part);
}

template <typename F>
void ValueRoutes::for_each_sent(Index rank, F f) const {
  for (const Index k : send_[rank]) f(k);
  for (const Index k : send_all_) f(k);
}

void ValueRoutes::find_places(const MatrixPart& part) {
  std::vector<SentEntry> sent;
  std::vector<TakenEntry> all;
  exchange<SentEntry>(
      comm_,
      [&](Index rank) {
        sent.clear();
        for_each_sent(rank, [&](Index k) {
          sent.push_back({part.entry[k].row, part.entry[k].column});
        });
        return std::span(sent);
      },
      [&](Index rank, std::span<const SentEntry> taken) {
        Index k = 0;
        for (const SentEntry& entry : taken) all.push_back({entry, rank, k++});
        place_[rank].resize(taken.size());
      });
  agree(comm_, [&] { expect_numbers(all.size()); });
  std::sort(all.begin(), all.end(), [](const TakenEntry& one, const TakenEntry& other) {
    return std::tie(one.entry.column, one.entry.row) <
           std::tie(other.entry.column, other.entry.row);
  });
  Index place = 0;
  for (const TakenEntry& taken : all) place_[taken.from][taken.k] = place++;
}

void ValueRoutes::move(const MatrixPart& from, std::span<double> to) const {
  std::vector<double> values;
  exchange<double>(
      comm_,
      [&](Index rank) {
        values.clear();
        for_each_sent(rank, [&](Index k) { values.push_back(from.entry[k].value); });
        return std::span(values);
      },
      [&](Index rank, std::span<const double> taken) {
        for (std::size_t k = 0; k < taken.size(); ++k) to[place_[rank][k]] = taken[k];
      });
}

}  // namespace espalier
