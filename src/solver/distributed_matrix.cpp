// SPDX-License-Identifier: BSD-3-Clause
#include "solver/distributed_matrix.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>

#include "base/release.hpp"
#include "espalier/error.hpp"
#include "solver/data.hpp"
#include "solver/factor_report.hpp"
#include "solver/gathered_pattern.hpp"
#include "solver/ranks_data.hpp"

namespace espalier {

namespace {

void expect_as_many_parts(const Communicator& comm, const std::string& file) {
  std::error_code error;
  const std::string one_more = part_file(file, comm.size());
  if (!comm.is_root() || !std::filesystem::exists(one_more, error)) return;
  throw InputError(one_more + ": there are more parts than ranks, " + std::to_string(comm.size()) +
                   "; start as many ranks as there are parts");
}

void expect_indices(Index n, std::span<const Index> indices) {
  for (const Index i : indices) {
    if (i >= 0 && i < n) continue;
    throw InputError("an entry has row or column " + std::to_string(i) + " of " +
                     std::to_string(n) + "; they count from 0");
  }
}

}  // namespace

DistributedMatrix::Data::Data(const Communicator& comm, MatrixPart own, const std::string& file)
    : part(std::move(own)) {
  GatheredPattern whole = gather_pattern(comm, part, file);
  release(part.given);
  const std::vector<Count> summed = comm.gather_from_all(part.duplicates_summed);
  if (!comm.is_root()) return;
  auto known = std::make_shared<Matrix::Data>();
  known->name = std::filesystem::path(file).stem().string();
  known->pattern = std::make_shared<const LowerPattern>(std::move(whole.pattern));
  known->duplicates_summed = std::accumulate(summed.begin(), summed.end(), Count{0});
  note_peak(known->memory, "read");
  pattern = Matrix(std::move(known));
  rank_of_column = std::move(whole.rank);
}

DistributedMatrix::DistributedMatrix(const Ranks& ranks, const std::string& file) {
  const Communicator& comm = ranks.data().comm;
  MatrixPart part = agree(comm, [&] {
    expect_as_many_parts(comm, file);
    return load_part(part_file(file, comm.rank()));
  });
  data_ = std::make_shared<const Data>(comm, std::move(part), file);
}

DistributedMatrix::DistributedMatrix(const Ranks& ranks, Index n, std::span<const Index> row,
                                     std::span<const Index> column, std::span<const double> value) {
  const Communicator& comm = ranks.data().comm;
  MatrixPart part = agree(comm, [&] {
    if (row.size() != column.size() || row.size() != value.size()) {
      throw InputError(
          "rows, columns and values are not of the same number: " + std::to_string(row.size()) +
          ", " + std::to_string(column.size()) + ", " + std::to_string(value.size()));
    }
    expect_indices(n, row);
    expect_indices(n, column);
    std::vector<MatrixPart::Entry> entries;
    entries.reserve(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) entries.push_back({row[k], column[k], value[k]});
    return make_part(n, std::move(entries));
  });
  data_ = std::make_shared<const Data>(comm, std::move(part), "");
}

Index DistributedMatrix::size() const { return data_->part.n; }

const Matrix* DistributedMatrix::pattern() const {
  return data_->pattern ? &*data_->pattern : nullptr;
}

std::vector<double> DistributedMatrix::row_sums(const Ranks& ranks) const {
  const Communicator& comm = ranks.data().comm;
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

Index first_bad_diagonal(const Communicator& comm, const MatrixPart& part) {
  Index bad = part.n;
  for (const auto& e : part.entry) {
    if (e.row == e.column && !(e.value > 0)) bad = std::min(bad, e.row);
  }
  const std::vector<Index> all = comm.gather_from_all(bad);
  return *std::min_element(all.begin(), all.end());
}

}  // namespace espalier
