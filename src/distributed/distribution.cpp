// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/distribution.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/memory.hpp"
#include "distributed/partition.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

void expect_numbers(std::size_t entries) {
  if (entries <= static_cast<std::size_t>(std::numeric_limits<Index>::max())) return;
  throw UsageError("a rank has " + std::to_string(entries) +
                   " entries of the matrix, more than an index can count; use more ranks");
}

/// Row and column of an entry of A, for a message.
struct SentEntry {
  Index row;
  Index column;
};

/// The k-th entry from rank `from`.
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
      [&](Index rank, std::span<const double> taken) { place(rank, taken.data(), to); });
}

void ValueRoutes::pack(Index rank, std::span<const double> values, double* to) const {
  for_each_sent(rank, [&](Index k) { *to++ = values[k]; });
}

void ValueRoutes::place(Index rank, const double* taken, std::span<double> to) const {
  for (const Index position : place_[rank]) to[position] = *taken++;
}

namespace {

/// Calls f for each array that cannot be computed from other arrays.
template <typename SizesOnly, typename F>
void for_each_array_of_shared(SizesOnly& shared, F f) {
  auto& structure = shared.structure;
  f(structure.supernode_begin);
  f(structure.row_begin);
  f(structure.row);
  f(structure.panel_begin);
  f(structure.panel_supernode);
  f(structure.grid);
  f(structure.column);
  f(structure.boundary);
  f(structure.boundary_row);
  f(shared.original);
  f(shared.partner);
}

template <typename SizesOnly, typename F>
void for_each_array_of_domain(SizesOnly& domain, F f) {
  auto& supernodes = domain.supernodes;
  f(supernodes.begin);
  f(supernodes.parent);
  f(supernodes.width);
  f(supernodes.height);
  f(domain.panel_begin);
  f(domain.panel_supernode);
  f(domain.column);
  f(domain.original);
  f(domain.partner);
}

/// Returns the root's sizes of the shared panels on all ranks. Collective.
SharedSizes spread(const Communicator& comm, const RankDivision* division) {
  SharedSizes shared = agree(comm, [&] { return division ? division->shared() : SharedSizes(); });
  for_each_array_of_shared(shared, [&](auto& array) { comm.broadcast(array); });
  shared.structure.n = static_cast<Index>(shared.original.size());
  shared.structure.ranks = comm.size();
  return shared;
}

/// Sends each rank its domain, and returns the domain of this rank. Collective.
DomainSizes hand_out(const Communicator& comm, const RankDivision* division) {
  DomainSizes own;
  for (Index rank = 0; rank < comm.size(); ++rank) {
    DomainSizes domain =
        agree(comm, [&] { return division ? division->domain(rank) : DomainSizes(); });
    if (comm.is_root() && rank > 0) {
      for_each_array_of_domain(
          domain, [&](auto& array) { comm.send(std::span(std::as_const(array)), rank); });
      comm.send(std::span<const Count>(&domain.entries, 1), rank);
    } else if (comm.rank() == rank) {
      own = std::move(domain);
      if (comm.is_root()) continue;
      for_each_array_of_domain(own, [&](auto& array) { comm.receive(array, 0); });
      comm.receive_piece(std::span(&own.entries, 1), 0);
    }
  }
  return own;
}

/// Maximum number of entries of A in one run, except in a longer column.
constexpr Count longest_run = 1024;

/// Buffers of the root for data that it sends to other ranks. The data leave in pieces that fit
/// into the cache.
template <typename T>
class Pieces {
 public:
  Pieces(const Communicator& comm, std::span<T> own)
      : comm_(comm),
        own_(own),
        piece_(static_cast<std::size_t>(comm.size())),
        enough_(std::max(least, all / piece_.size())) {
    for (std::size_t rank = 1; rank < piece_.size(); ++rank) {
      piece_[rank].reserve(enough_ + longest_run);
    }
  }

  /// Adds a run for one rank, or for all ranks.
  void add(std::span<const T> values, Index rank) {
    if (rank == RankMap::shared) {
      for (Index each = 0; each < comm_.size(); ++each) add(values, each);
      return;
    }
    if (rank == 0) {
      std::copy(values.begin(), values.end(), own_.begin());
      own_ = own_.subspan(values.size());
      return;
    }
    std::vector<T>& piece = piece_[rank];
    piece.insert(piece.end(), values.begin(), values.end());
    if (piece.size() >= enough_) send(rank);
  }
  void finish() {
    for (Index rank = 1; rank < comm_.size(); ++rank) {
      if (!piece_[rank].empty()) send(rank);
    }
  }

 private:
  static constexpr std::size_t all = 65536;  ///< total number of entries in the pieces of all ranks
  static constexpr std::size_t least = 4096;  ///< minimum number of entries per message

  void send(Index rank) {
    comm_.send(std::span<const T>(piece_[rank]), rank);
    piece_[rank].clear();
  }

  const Communicator& comm_;
  std::span<T> own_;  ///< memory for the root's next values
  std::vector<std::vector<T>> piece_;
  const std::size_t enough_;
};

/// Calls f(owner, begin, end) for runs of entries of A with the same owner, in the order of A. A
/// column of a domain is never divided between runs.
template <typename F>
void for_each_run(const PatternView& pattern, std::span<const Index> rank_of_column, F f) {
  Count begin = 0;
  Index owner = RankMap::shared;
  const auto go_on = [&](Index next, Count at) {
    if (at > begin && (next != owner || at >= begin + longest_run)) {
      f(owner, begin, at);
      begin = at;
    }
    owner = next;
  };
  for (Index j = 0; j < pattern.n; ++j) {
    const Count first = pattern.column_begin[j];
    if (rank_of_column[j] != RankMap::shared) {
      go_on(rank_of_column[j], first);
      continue;
    }
    for (Count k = first; k < pattern.column_begin[j + 1]; ++k) {
      go_on(rank_of_column[pattern.row[k]], k);
    }
  }
  if (begin < pattern.entries()) f(owner, begin, pattern.entries());
}

/// Receives the pieces for this rank, which is not the root.
template <typename T>
void receive_pieces(const Communicator& comm, std::span<T> values) {
  while (!values.empty()) values = values.subspan(comm.receive_piece(values, 0));
}

/// Sends each rank its entries of A, and returns those of this rank. Collective.
std::vector<ColumnPair> hand_out_entries(const Communicator& comm, const PatternView* pattern,
                                         const RankDivision* division, Count own) {
  auto entries =
      agree(comm, [&] { return std::vector<ColumnPair>(static_cast<std::size_t>(own)); });
  if (!comm.is_root()) {
    receive_pieces(comm, std::span(entries));
    return entries;
  }
  Pieces<ColumnPair> pieces(comm, entries);
  std::vector<ColumnPair> run;
  Index j = 0;
  for_each_run(*pattern, division->rank_of_column(), [&](Index owner, Count begin, Count end) {
    run.clear();
    for (Count k = begin; k < end; ++k) {
      while (k == pattern->column_begin[j + 1]) ++j;
      run.push_back(division->places(pattern->row[k], j));
    }
    pieces.add(run, owner);
  });
  pieces.finish();
  return entries;
}

/// Returns the number of blocks of the whole structure of L.
Count all_blocks(const Communicator& comm, const LocalStructure& local) {
  const Count own = local.block_begin[local.shared_begin];
  const std::vector<Count> of_domains = comm.gather_from_all(own);
  return std::accumulate(of_domains.begin(), of_domains.end(), local.block_begin.back() - own);
}

}  // namespace

Distribution::Distribution(const Communicator& comm, const Whole* whole) : comm_(comm) {
  std::optional<RankDivision> division;
  agree(comm, [&] {
    if (whole == nullptr) return;
    division.emplace(*whole, comm.size());
    const Load found = division->imbalance();
    facts_ = {whole->symbolic.n, found.seconds, found.entries, 0, whole->refine, whole->workers};
  });
  comm.broadcast(facts_);
  const RankDivision* const known = division ? &*division : nullptr;
  const SharedSizes shared = spread(comm, known);
  DomainSizes domain = hand_out(comm, known);
  std::vector<ColumnPair> entries =
      hand_out_entries(comm, whole ? &whole->pattern : nullptr, known, domain.entries);
  if (division) rank_of_column_ = division->take_rank_of_column();
  division.reset();
  agree(comm, [&] {
    part_ = rank_part(std::move(domain), shared, std::move(entries), comm.rank(), facts_.refine,
                      facts_.workers);
    values_.resize(part_.entries.entry.size());
  });
  facts_.blocks = all_blocks(comm, part_.structure);
}

void Distribution::scatter(const SparseMatrixView* matrix) {
  if (!comm_.is_root()) return receive_pieces(comm_, std::span(values_));
  Pieces<double> pieces(comm_, values_);
  for_each_run(matrix->pattern, rank_of_column_, [&](Index owner, Count begin, Count end) {
    pieces.add(matrix->value.subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end - begin)),
               owner);
  });
  pieces.finish();
}

}  // namespace espalier::internal
