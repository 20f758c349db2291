// SPDX-License-Identifier: BSD-3-Clause
#include "solver/gathered_pattern.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/release.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

/// Entries of a part in one column.
struct ColumnRun {
  Index column;
  Index entries;
};

std::vector<ColumnRun> runs_of(const MatrixPart& part) {
  std::vector<ColumnRun> runs;
  for (const MatrixPart::Entry& e : part.entry) {
    if (runs.empty() || runs.back().column != e.column) runs.push_back({e.column, 0});
    ++runs.back().entries;
  }
  return runs;
}

std::vector<Index> rows_of(const MatrixPart& part) {
  std::vector<Index> rows;
  rows.reserve(part.entry.size());
  for (const MatrixPart::Entry& e : part.entry) rows.push_back(e.row);
  return rows;
}

class Gathering {
 public:
  Gathering(const Communicator& comm, const MatrixPart& part, const std::string& file)
      : comm_(comm), part_(part), file_(file) {}

  GatheredPattern gather() {
    expect_one_size();
    expect_disjoint_columns();
    runs_.resize(static_cast<std::size_t>(comm_.size()));
    from_each(runs_of(part_),
              [&](Index rank, const std::vector<ColumnRun>& runs) { runs_[rank] = runs; });
    if (comm_.is_root()) count();
    from_each(rows_of(part_),
              [&](Index rank, const std::vector<Index>& rows) { place(rank, rows); });
    agree(comm_, [&] {
      if (comm_.is_root()) finish();
    });
    return std::move(found_);
  }

 private:
  std::string name(Index rank) const {
    return file_.empty() ? "part " + std::to_string(rank) : part_file(file_, rank);
  }

  void expect_one_size() const {
    const std::vector<Index> sizes = comm_.gather_from_all(part_.n);
    for (Index rank = 1; rank < comm_.size(); ++rank) {
      if (sizes[rank] == sizes[0]) continue;
      throw InputError(name(rank) + ": the matrix has " + std::to_string(sizes[rank]) +
                       " columns, but " + std::to_string(sizes[0]) + " in " + name(0) +
                       "; each part has the size of the whole");
    }
  }

  /// Calls f(rank, what that rank gives) on the root, for one rank after the other.
  template <typename T, typename F>
  void from_each(std::vector<T> given, F f) const {
    if (!comm_.is_root()) return comm_.send(std::span<const T>(given), 0);
    f(0, std::as_const(given));
    for (Index rank = 1; rank < comm_.size(); ++rank) {
      comm_.receive(given, rank);
      f(rank, std::as_const(given));
    }
  }

  void expect_disjoint_columns() const {
    std::vector<Index> part_of(comm_.is_root() ? part_.n : 0, -1);
    std::string found;
    from_each(part_.given, [&](Index rank, const std::vector<Index>& columns) {
      for (const Index j : columns) {
        if (part_of[j] >= 0 && found.empty()) {
          found = name(rank) + ": column " + std::to_string(j + Count{1}) + " is in " +
                  name(part_of[j]) + ", too; each column belongs in one part";
        }
        part_of[j] = rank;
      }
    });
    agree(comm_, [&] {
      if (!found.empty()) throw InputError(found);
    });
  }

  void count() {
    auto& [n, begin, row] = found_.pattern;
    n = part_.n;
    begin.assign(static_cast<std::size_t>(n) + 1, 0);
    for (const auto& runs : runs_) {
      for (const ColumnRun& run : runs) begin[run.column + 1] += run.entries;
    }
    for (Index j = 0; j < n; ++j) begin[j + 1] += begin[j];
    row.resize(static_cast<std::size_t>(begin.back()));
    rank_.resize(row.size());
  }

  /// Moves begin[j] to the end of what column j has by then.
  void place(Index rank, const std::vector<Index>& rows) {
    auto from = rows.begin();
    for (const ColumnRun& run : runs_[rank]) {
      Count& to = found_.pattern.column_begin[run.column];
      std::copy_n(from, run.entries, found_.pattern.row.begin() + to);
      std::fill_n(rank_.begin() + to, run.entries, rank);
      from += run.entries;
      to += run.entries;
    }
    release(runs_[rank]);
  }

  void finish() {
    auto& begin = found_.pattern.column_begin;
    std::move_backward(begin.begin(), begin.end() - 1, begin.end());
    begin.front() = 0;
    for (Index j = 0; j < found_.pattern.n; ++j) {
      sort_column(j);
      found_.rank.push_back(rank_[begin[j]]);
    }
  }

  /// Ranks follow each other in a column, each with ascending rows.
  void sort_column(Index j) {
    const Count begin = found_.pattern.column_begin[j];
    const Count end = found_.pattern.column_begin[j + 1];
    auto* const row = found_.pattern.row.data();
    auto* const rank = rank_.data();
    if (begin < end && rank[begin] != rank[end - 1]) {
      sorted_.clear();
      for (Count k = begin; k < end; ++k) sorted_.emplace_back(row[k], rank[k]);
      std::sort(sorted_.begin(), sorted_.end());
      for (Count k = begin; k < end; ++k) std::tie(row[k], rank[k]) = sorted_[k - begin];
    }
    for (Count k = begin + 1; k < end; ++k) {
      if (row[k] != row[k - 1]) continue;
      throw InputError(name(rank[k]) + ": the entry " + place_of(row[k], j) +
                       " or its mirror is in " + name(rank[k - 1]) + ", too; give one of the two");
    }
    if (begin < end && row[begin] == j) return;
    throw InputError((file_.empty() ? "" : file_ + ": ") + "no part has the entry " +
                     place_of(j, j) + " on the diagonal");
  }

  static std::string place_of(Index row, Index column) {
    return "(" + std::to_string(row + Count{1}) + ", " + std::to_string(column + Count{1}) + ")";
  }

  const Communicator& comm_;
  const MatrixPart& part_;
  const std::string& file_;
  std::vector<std::vector<ColumnRun>> runs_;  ///< of each rank
  GatheredPattern found_;
  std::vector<Index> rank_;  ///< that has each entry
  std::vector<std::pair<Index, Index>> sorted_;
};

}  // namespace

GatheredPattern gather_pattern(const Communicator& comm, const MatrixPart& part,
                               const std::string& file) {
  return Gathering(comm, part, file).gather();
}

}  // namespace espalier
