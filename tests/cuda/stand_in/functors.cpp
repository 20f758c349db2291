// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/functors.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cuda/stand_in/misuse.hpp"

namespace stand_in {

using espalier::Count;
using espalier::Index;
using espalier::internal::cuda::Outcome;
using espalier::internal::cuda::PivotColumns;
using espalier::internal::cuda::PivotOutcome;
using espalier::internal::cuda::Scatter;
using espalier::internal::cuda::Scatters;
using espalier::internal::cuda::SignedCopy;
using espalier::internal::cuda::Zeros;

namespace {

long span_of(long rows, long columns, long ld) {
  return rows <= 0 || columns <= 0 ? 0 : (columns - 1) * ld + rows;
}

/// Positions of the first and the last entry of the target that a Scatter with these lists writes.
struct Extent {
  Count first = std::numeric_limits<Count>::max();
  Count last = -1;
};
Extent extent_of(const Scatter& work) {
  Extent extent;
  for (Index j = 0; j < work.columns; ++j) {
    const Index i = std::max(j + work.first_row, 0);
    if (i >= work.rows) continue;
    const auto place = [](const Index* list, Index at) { return list ? list[at] : at; };
    const Count column = place(work.column, j) * work.ld;
    extent.first = std::min(extent.first, column + place(work.row, i));
    extent.last = std::max(extent.last, column + place(work.row, work.rows - 1));
  }
  return extent;
}

}  // namespace

const Index* There::ascending(const Index* list, long count, const char* what) const {
  if (list == nullptr) return nullptr;
  const Index* const found = reads(list, count, what);
  for (long i = 0; i < count; ++i) {
    if (found[i] < 0) misuse(std::string(what) + " has a negative entry");
    if (i > 0 && found[i] <= found[i - 1]) misuse(std::string(what) + " does not ascend");
  }
  return found;
}

Scatter There::translated(Scatter work) {
  work.from = reads(work.from, span_of(work.rows, work.columns, work.from_ld), "the source");
  work.row = ascending(work.row, work.rows, "the list of rows");
  work.column = ascending(work.column, work.columns, "the list of columns");
  const Extent extent = extent_of(work);
  if (extent.last < 0) return work;
  double* const first =
      writes(work.target + extent.first, extent.last - extent.first + 1, "the target");
  work.target = first - extent.first;
  return work;
}

Scatters There::translated(Scatters work) {
  if (work.count < 0 || work.count > static_cast<Index>(work.of.size())) {
    misuse(std::to_string(work.count) + " matrices are added");
  }
  for (Index i = 0; i < work.count; ++i) work.of[i] = translated(work.of[i]);
  for (std::size_t i = 0; i < written_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = written_[i].begin >= written_[j].begin + written_[j].bytes ||
                         written_[j].begin >= written_[i].begin + written_[i].bytes;
      if (!apart) misuse("two of the targets overlap");
    }
  }
  return work;
}

Outcome There::translated(Outcome work) {
  work.l = reads(work.l, span_of(work.columns, work.columns, work.ld), "L");
  work.info = reads(work.info, 1, "the number of the failed pivot");
  work.diagonal = writes(work.diagonal, work.columns, "the diagonal");
  return work;
}

Zeros There::translated(Zeros work) {
  work.target.data =
      writes(work.target.data, span_of(work.target.rows, work.target.columns, work.target.ld),
             "the matrix");
  return work;
}

PivotColumns There::translated(PivotColumns work) {
  const Index columns = work.pivots.columns;
  work.pivots.block =
      reads(work.pivots.block, span_of(columns, columns, work.pivots.ld), "the diagonal block");
  work.rows = writes(work.rows, span_of(work.count, columns, work.ld), "the rows");
  work.sign = writes(work.sign, columns, "the signs");
  return work;
}

PivotOutcome There::translated(PivotOutcome work) {
  const Index columns = work.rows.columns;
  work.l = reads(work.l, span_of(columns, columns, work.ld), "L");
  work.rows.data =
      writes(work.rows.data, span_of(work.rows.rows, columns, work.rows.ld), "the rows");
  work.sign = writes(work.sign, columns, "the signs");
  return work;
}

SignedCopy There::translated(SignedCopy work) {
  const Index columns = work.from.columns;
  work.first = reads(work.first, span_of(1, columns, work.first_ld), "the signs");
  work.from.data =
      reads(work.from.data, span_of(work.from.rows, columns, work.from.ld), "the source");
  work.to = writes(work.to, span_of(work.from.rows, columns, work.from.rows), "the copy");
  return work;
}

}  // namespace stand_in
