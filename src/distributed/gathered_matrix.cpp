// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>
#include <vector>

#include "distributed/data.hpp"

namespace espalier::internal {

namespace {

Count position_of(const PatternView& pattern, const MatrixPart::Entry& entry) {
  const auto rows = pattern.column(entry.column);
  return pattern.column_begin[entry.column] +
         (std::ranges::lower_bound(rows, entry.row) - rows.begin());
}

}  // namespace

std::optional<Matrix> gathered(const Communicator& comm, const DistributedMatrixData& data) {
  std::vector<double> values;
  agree(comm, [&] {
    if (data.pattern) values.resize(static_cast<std::size_t>(data.pattern->rows().size()));
  });
  if (!comm.is_root()) {
    comm.send(std::span<const MatrixPart::Entry>(data.part.entry), 0);
    return std::nullopt;
  }
  const PatternView& pattern = *Internals::data(*data.pattern).pattern;
  const auto put = [&](std::span<const MatrixPart::Entry> entries) {
    for (const auto& entry : entries) values[position_of(pattern, entry)] = entry.value;
  };
  put(data.part.entry);
  std::vector<MatrixPart::Entry> received;
  for (Index rank = 1; rank < comm.size(); ++rank) {
    comm.receive(received, rank);
    put(received);
  }
  return data.pattern->with_values(std::move(values));
}

}  // namespace espalier::internal
