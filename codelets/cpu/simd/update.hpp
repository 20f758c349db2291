// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/panel.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::simd {
namespace {

/// One tile of an update: from the registers straight to the target rows, by whole vectors where
/// these are consecutive.
template <class Isa>
struct UpdateTile {
  ConstMatrixView a;
  ConstMatrixView b;
  const ScatterTarget& target;
  bool lower;
  Index first_row;
  Index first_column;
  Index height;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    tile.last = height - (vectors - 1) * Isa::width;
    tile.clear();
    tile.subtract_product(a.data + first_row, a.ld, b.data + first_column, b.ld, a.columns);
    const bool cut = lower && first_row < first_column + columns - 1;
    each<columns>([&](auto c) {
      const Index column = first_column + c;
      double* const to = target.data + target.ld * (target.column ? target.column[column] : column);
      each<vectors>([&](auto v) {
        const Index row = first_row + v * Isa::width;
        add(to, row, v + 1 < vectors ? Isa::width : tile.last, cut ? column : 0, tile.sum[v][c]);
      });
    });
  }

  /// Adds rows [row, row + count), but none before `begin`, to one column of the target.
  void add(double* to, Index row, Index count, Index begin, typename Isa::Vector sum) const {
    const Index* const map = target.row;
    const bool consecutive = !map || map[row + count - 1] - map[row] == count - 1;
    if (consecutive && row >= begin) {
      double* const at = to + (map ? map[row] : row);
      if (count == Isa::width) {
        Isa::store(at, Isa::add(Isa::load(at), sum));
      } else {
        Isa::store(at, Isa::add(Isa::load(at, count), sum), count);
      }
      return;
    }
    double value[Isa::width];
    Isa::store(value, sum);
    for (Index i = row < begin ? begin - row : 0; i < count; ++i) {
      to[map ? map[row + i] : row + i] += value[i];
    }
  }
};

template <class Isa>
void update_rows(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
                 Index begin, Index end) {
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  for (Index j = 0; j < b.rows; j += Isa::tile_columns) {
    const Index columns = smaller(Isa::tile_columns, b.rows - j);
    const Index first = lower && j > begin ? begin + (j - begin) / rows * rows : begin;
    for (Index i = first; i < end; i += rows) {
      const Index height = smaller(rows, end - i);
      UpdateTile<Isa> tile{a, b, target, lower, i, j, height};
      with_tile<Isa>((height + Isa::width - 1) / Isa::width, columns, tile);
    }
  }
}

/// In chunks of rows of A that stay in the second-level cache.
template <class Isa>
void update(ConstMatrixView a, ConstMatrixView b, bool lower,
            const ScatterTarget& target) noexcept {
  constexpr Index cached_entries = 1 << 16;
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  if (a.columns == 0) return;
  const Index chunk = cached_entries / a.columns / rows * rows + rows;
  for (Index begin = 0; begin < a.rows; begin += chunk) {
    update_rows<Isa>(a, b, lower, target, begin, smaller(begin + chunk, a.rows));
  }
}

}  // namespace
}  // namespace espalier::simd
