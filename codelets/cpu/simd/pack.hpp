// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/tile.hpp"

namespace espalier::simd {
namespace {

/// Copies `count` rows, at most one tile's, column after column: `tile` entries apart.
template <class Isa, Index tile>
void pack_rows(const double* from, Count ld, Index count, Index columns, double* to) {
  for (Index k = 0; k < columns; ++k, from += ld, to += tile) {
    if (count == tile) {
      each<tile / Isa::width>(
          [&](auto v) { Isa::store(to + v * Isa::width, Isa::load(from + v * Isa::width)); });
    } else {
      for (Index i = 0; i < count; ++i) to[i] = from[i];
    }
  }
}

/// Groups of tile_columns rows of the right operand, each column after column: in place or copied,
/// so that the tile's loop walks through consecutive memory. Without that, wide panels miss the
/// first-level cache and the TLB.
struct RightRows {
  const double* data;
  Count ld;     ///< between columns
  Count group;  ///< between groups
  Index rows;
};

template <class Isa>
RightRows in_place(ConstMatrixView b) {
  return {b.data, b.ld, Isa::tile_columns, b.rows};
}

/// Needs b.rows, rounded up to whole groups, times b.columns entries.
template <class Isa>
RightRows packed(ConstMatrixView b, double* memory) {
  constexpr Index tile = Isa::tile_columns;
  const Count group = Count{tile} * b.columns;
  double* to = memory;
  for (Index j = 0; j < b.rows; j += tile, to += group) {
    pack_rows<Isa, tile>(b.data + j, b.ld, smaller(tile, b.rows - j), b.columns, to);
  }
  return {memory, tile, group, b.rows};
}

}  // namespace
}  // namespace espalier::simd
