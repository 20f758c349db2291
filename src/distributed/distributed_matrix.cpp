// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "distributed/data.hpp"
#include "espalier/error.hpp"
#include "matrix/matrix_part.hpp"
#include "report/factor_report.hpp"
#include "runtime/mpi/communicator.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

/// Pattern of a matrix whose parts are on several ranks.
struct GatheredPattern {
  LowerPattern pattern;
  std::vector<Index> rank;  ///< per column, the rank that has its diagonal entry
};

/// Returns the pattern on the root, and an empty one on other ranks. The entries of a part keep
/// their order. Throws InputError on all ranks if the sizes of parts differ, if two parts have the
/// same column or entry, or if a diagonal entry is in no part. `file` is the name of the file of
/// the whole matrix, or empty if the parts have no files. Memory of the root: 8 bytes per entry and
/// 16 per column. Collective.
GatheredPattern gather_pattern(const Communicator& comm, const MatrixPart& part,
                               const std::string& file);

namespace {

/// Entries of a part that follow one another in one column.
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
                       "; each part must have the size of the whole matrix");
    }
  }

  /// Calls f(rank, array of that rank) on the root, for one rank after the other.
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
                  name(part_of[j]) + ", too; put each column into one part only";
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

  /// Adds the rows of one rank. Moves begin[j] to the end of the rows that column j has so far.
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

  /// Sorts a column by row. Before the call, the column has the rows of one rank after another, and
  /// the rows of each rank ascend.
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
                     place_of(j, j) + " on the diagonal; store it, also if it is zero");
  }

  static std::string place_of(Index row, Index column) {
    return "(" + std::to_string(row + Count{1}) + ", " + std::to_string(column + Count{1}) + ")";
  }

  const Communicator& comm_;
  const MatrixPart& part_;
  const std::string& file_;
  std::vector<std::vector<ColumnRun>> runs_;  ///< one list per rank
  GatheredPattern found_;
  std::vector<Index> rank_;  ///< per entry, the rank that has it
  std::vector<std::pair<Index, Index>> sorted_;
};

}  // namespace

GatheredPattern gather_pattern(const Communicator& comm, const MatrixPart& part,
                               const std::string& file) {
  return Gathering(comm, part, file).gather();
}

namespace {

void expect_as_many_parts(const Communicator& comm, const std::string& file) {
  std::error_code error;
  const std::string one_more = part_file(file, comm.size());
  if (!comm.is_root() || !std::filesystem::exists(one_more, error)) return;
  throw InputError(one_more + ": there are more parts than the " + std::to_string(comm.size()) +
                   " ranks; start one rank per part");
}

void expect_indices(Index n, std::span<const Index> indices) {
  for (const Index i : indices) {
    if (i >= 0 && i < n) continue;
    throw InputError("an entry has row or column " + std::to_string(i) + " of " +
                     std::to_string(n) + "; they count from 0");
  }
}

/// Returns the position in the part of each entry that was given, or nothing if the part has the
/// given entries in their order.
std::vector<Index> positions_of(const MatrixPart& part, std::span<const Index> row,
                                std::span<const Index> column) {
  std::vector<Index> position(row.size());
  bool in_order = part.entry.size() == row.size();
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::pair wanted(std::min(row[k], column[k]), std::max(row[k], column[k]));
    const auto at = std::lower_bound(part.entry.begin(), part.entry.end(), wanted,
                                     [](const MatrixPart::Entry& e, const auto& other) {
                                       return std::pair(e.column, e.row) < other;
                                     });
    position[k] = static_cast<Index>(at - part.entry.begin());
    in_order = in_order && static_cast<std::size_t>(position[k]) == k;
  }
  if (in_order) release(position);
  return position;
}

}  // namespace

DistributedMatrixData::DistributedMatrixData(const Communicator& comm, MatrixPart own,
                                             const std::string& file, std::vector<Index> positions)
    : part(std::move(own)), position(std::move(positions)) {
  GatheredPattern whole = gather_pattern(comm, part, file);
  release(part.given);
  const std::vector<Count> summed = comm.gather_from_all(part.duplicates_summed);
  if (!comm.is_root()) return;
  auto known = std::make_shared<MatrixData>();
  known->name = std::filesystem::path(file).stem().string();
  known->pattern = std::make_shared<const SharedPattern>(std::move(whole.pattern));
  known->duplicates_summed = std::accumulate(summed.begin(), summed.end(), Count{0});
  note_peak(known->memory, "read");
  pattern = Internals::holding<Matrix>(std::move(known));
  rank_of_column = std::move(whole.rank);
}

Index first_bad_diagonal(const Communicator& comm, const MatrixPart& part) {
  Index bad = part.n;
  for (const auto& e : part.entry) {
    if (e.row == e.column && !(e.value > 0)) bad = std::min(bad, e.row);
  }
  const std::vector<Index> all = comm.gather_from_all(bad);
  return *std::min_element(all.begin(), all.end());
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

DistributedMatrix::DistributedMatrix(const Ranks& ranks, const std::string& file) {
  const Communicator& comm = Internals::data(ranks).comm;
  MatrixPart part = agree(comm, [&] {
    expect_as_many_parts(comm, file);
    return load_part(part_file(file, comm.rank()));
  });
  data_ = std::make_shared<const DistributedMatrixData>(comm, std::move(part), file);
}

DistributedMatrix::DistributedMatrix(const Ranks& ranks, Index n, std::span<const Index> row,
                                     std::span<const Index> column, std::span<const double> value) {
  const Communicator& comm = Internals::data(ranks).comm;
  MatrixPart part = agree(comm, [&] {
    if (row.size() != column.size() || row.size() != value.size()) {
      throw InputError("rows, columns and values differ in number: " + std::to_string(row.size()) +
                       ", " + std::to_string(column.size()) + ", " + std::to_string(value.size()));
    }
    expect_indices(n, row);
    expect_indices(n, column);
    std::vector<MatrixPart::Entry> entries;
    entries.reserve(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) entries.push_back({row[k], column[k], value[k]});
    return make_part(n, std::move(entries));
  });
  std::vector<Index> positions = agree(comm, [&] { return positions_of(part, row, column); });
  data_ = std::make_shared<const DistributedMatrixData>(comm, std::move(part), "",
                                                        std::move(positions));
}

Index DistributedMatrix::size() const { return data_->part.n; }

const Matrix* DistributedMatrix::pattern() const {
  return data_->pattern ? &*data_->pattern : nullptr;
}

std::vector<double> DistributedMatrix::row_sums(const Ranks& ranks) const {
  const Communicator& comm = Internals::data(ranks).comm;
  std::vector<Index> rows;
  for (const auto& e : data_->part.entry) rows.insert(rows.end(), {e.row, e.column});
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<double> sums(rows.size());
  const auto sum = [&](Index row) -> double& {
    return sums[std::lower_bound(rows.begin(), rows.end(), row) - rows.begin()];
  };
  for (const auto& e : data_->part.entry) {
    sum(e.row) += e.value;
    if (e.row != e.column) sum(e.column) += e.value;
  }
  std::vector<double> whole;
  if (!comm.is_root()) {
    comm.send(std::span<const Index>(rows), 0);
    comm.send(std::span<const double>(sums), 0);
    return whole;
  }
  whole.resize(static_cast<std::size_t>(size()));
  for (Index rank = 0; rank < comm.size(); ++rank) {
    if (rank > 0) {
      comm.receive(rows, rank);
      comm.receive(sums, rank);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) whole[rows[k]] += sums[k];
  }
  return whole;
}

}  // namespace espalier
