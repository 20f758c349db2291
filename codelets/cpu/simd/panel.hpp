// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/small_kernels.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::simd {
namespace {

/// One tile of a left-looking panel factorization: rows of B at columns [first, first + columns),
/// less what the columns before contribute, times L⁻ᵀ.
template <class Isa>
struct PanelTile {
  double* rows;  ///< the tile's first row at column 0 of the panel
  Count ld_rows;
  const double* l;  ///< row `first` of L at column 0
  Count ldl;
  Index first;
  Index height;
  const double* inverse_diagonal;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    tile.last = height - (vectors - 1) * Isa::width;
    double* const own = rows + first * ld_rows;
    tile.load_all(own, ld_rows);
    tile.subtract_product(rows, ld_rows, l, ldl, first);
    tile.solve(l + first * ldl, ldl, inverse_diagonal);
    tile.store_all(own, ld_rows);
  }
};

/// Rows of B at one block of columns of L, tile by tile.
template <class Isa>
void solve_columns(ConstMatrixView l, MatrixView b, Index first, Index columns,
                   const double* inverse_diagonal) {
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  for (Index i = 0; i < b.rows; i += rows) {
    const Index height = smaller(rows, b.rows - i);
    PanelTile<Isa> tile{b.data + i, b.ld,   l.data + first,          l.ld,
                        first,      height, inverse_diagonal + first};
    with_tile<Isa>((height + Isa::width - 1) / Isa::width, columns, tile);
  }
}

template <class Isa>
void trsm(ConstMatrixView l, MatrixView b) noexcept {
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  double inverse_diagonal[largest_triangle];
  for (Index j = 0; j < b.columns; ++j) inverse_diagonal[j] = 1 / l(j, j);
  for (Index i = 0; i < b.rows; i += rows) {
    const MatrixView part = b.row_range(i, smaller(rows, b.rows - i));
    for (Index j = 0; j < b.columns; j += Isa::tile_columns) {
      solve_columns<Isa>(l, part, j, smaller(Isa::tile_columns, b.columns - j), inverse_diagonal);
    }
  }
}

/// The square on the diagonal at columns [first, first + columns), less what the columns before
/// contribute, factored in memory of its own with leading dimension tile_columns.
template <class Isa>
struct DiagonalTile {
  MatrixView a;
  Index first;
  Index height;
  double* square;
  double* inverse_diagonal;
  Index bad = -1;  ///< the failing column, if any

  static constexpr Index vectors = (Isa::tile_columns + Isa::width - 1) / Isa::width;

  template <Index used, Index columns>
  void operator()() {
    if constexpr (used <= vectors) {
      Tile<Isa, used, columns> tile;
      tile.last = height - (used - 1) * Isa::width;
      tile.load_all(&a(first, first), a.ld);
      tile.subtract_product(a.data + first, a.ld, a.data + first, a.ld, first);
      bad = tile.factor(square, Isa::tile_columns, inverse_diagonal);
    }
  }
};

/// Factors the square on the diagonal at `first`; its lower triangle alone is written.
template <class Isa>
Index factor_block(MatrixView a, Index first, Index columns, double* inverse_diagonal) {
  double square[Isa::tile_columns * Isa::tile_columns];
  DiagonalTile<Isa> tile{a, first, columns, square, inverse_diagonal + first};
  with_tile<Isa>((columns + Isa::width - 1) / Isa::width, columns, tile);
  if (tile.bad >= 0) return first + tile.bad;
  for (Index j = 0; j < columns; ++j) {
    const double* const from = square + j * Isa::tile_columns;
    for (Index i = j / Isa::width * Isa::width; i < columns; i += Isa::width) {
      Isa::store(&a(first + i, first + j), Isa::load(from + i), i < j ? j - i : 0,
                 smaller(Isa::width, columns - i));
    }
  }
  return -1;
}

template <class Isa>
Index potrf(MatrixView a) noexcept {
  double inverse_diagonal[largest_triangle];
  for (Index j = 0; j < a.columns; j += Isa::tile_columns) {
    const Index columns = smaller(Isa::tile_columns, a.columns - j);
    const Index bad = factor_block<Isa>(a, j, columns, inverse_diagonal);
    if (bad >= 0) return bad;
    const Index below = j + columns;
    solve_columns<Isa>(a, a.row_range(below, a.columns - below), j, columns, inverse_diagonal);
  }
  return -1;
}

}  // namespace
}  // namespace espalier::simd
