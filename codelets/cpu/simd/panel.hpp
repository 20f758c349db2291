// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/cpu/simd/pivots.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::internal::simd {
namespace {

/// Rows of L at columns [first, first + columns) of a panel, with the triangle on the diagonal.
struct RowsOfL {
  const double* row;  ///< row `first` of L at column 0
  Count ld;
  const double* diagonal;  ///< L at (first, first)
  Count ld_diagonal;
  const double* inverse_diagonal;  ///< from column `first` on
  Index first;
  Index columns;
};

/// Returns rows of L that are read in place. `inverse_diagonal` is that of all columns.
inline RowsOfL rows_in_place(ConstMatrixView l, Index first, Index columns,
                             const double* inverse_diagonal) {
  return {l.data + first, l.ld, &l(first, first), l.ld, inverse_diagonal + first, first, columns};
}

/// One tile of a left-looking panel factorization: rows of B at columns [first, first + columns).
/// The products with the earlier columns are subtracted, and the result is multiplied by L⁻ᵀ.
template <class Isa>
struct PanelTile {
  double* own;  ///< first row of the tile at column `first` of the panel
  Count ld;
  const double* rows;  ///< the same row at column 0
  Count ld_rows;
  RowsOfL l;
  Index height;
  const double* ahead = nullptr;  ///< data to prefetch, one cache line per step
  Count ld_ahead = 0;
  double* copy_rows = nullptr;  ///< destination for a copy of the result
  double* copy_l = nullptr;     ///< destination for a copy of l
};

/// Whether a solve copies its operands or uses copies. The first tile that uses a whole group of
/// rows of L copies the group.
enum class Copies { none, made, used };

template <class Isa, Copies copies>
struct TileSolve {
  const PanelTile<Isa>& given;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    tile.last = given.height - (vectors - 1) * Isa::width;
    tile.load_all(given.own, given.ld);
    [[maybe_unused]] const double* next = given.ahead;
    [[maybe_unused]] double* copy = given.copy_l;
    tile.subtract_product(
        given.rows, given.ld_rows, given.l.row, given.l.ld, given.l.first,
        [&](const auto&, [[maybe_unused]] const double* l) __attribute__((always_inline)) {
          if constexpr (copies == Copies::none) return;
          __builtin_prefetch(next, 1, 2);
          next += given.ld_ahead;
          if constexpr (copies == Copies::made) {
            copy_group<Isa>(l, copy);
            copy += columns;
          }
        });
    tile.solve(given.l.diagonal, given.l.ld_diagonal, given.l.inverse_diagonal);
    tile.store_all(given.own, given.ld);
    if constexpr (copies != Copies::none) {
      tile.store_whole(given.copy_rows, Isa::tile_vectors * Isa::width);
    }
  }
};

/// Solves the rows of B at one block of columns of L, tile by tile.
template <class Isa>
void solve_columns(const RowsOfL& l, MatrixView b) {
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  for (Index i = 0; i < b.rows; i += rows) {
    const Index height = smaller(rows, b.rows - i);
    const PanelTile<Isa> tile{.own = &b(i, l.first),
                              .ld = b.ld,
                              .rows = b.data + i,
                              .ld_rows = b.ld,
                              .l = l,
                              .height = height};
    TileSolve<Isa, Copies::none> solve{tile};
    with_tile<Isa>((height + Isa::width - 1) / Isa::width, l.columns, solve);
  }
}

/// Solves row after row of tiles. Each tile is copied when it is solved, so that the row stays in
/// the first-level cache. The first row also copies L, by groups of tile_columns rows.
template <class Isa>
class PanelSolve {
 public:
  static constexpr Index tile_rows = Isa::tile_vectors * Isa::width;

  PanelSolve(ConstMatrixView l, MatrixView b, double* memory)
      : l_(l), b_(b), rows_(memory), copy_(memory + Count{tile_rows} * b.columns) {
    static_assert(Count{most_order} * (most_order + tile_rows) <= update_buffer_entries);
    for (Index j = 0; j < b.columns; ++j) inverse_diagonal_[j] = 1 / l(j, j);
  }

  void run() {
    for (Index i = 0; i < b_.rows; i += tile_rows) {
      for (Index j = 0; j < b_.columns; j += group) solve_tile(i, j);
    }
  }

  static constexpr Index most_order = 256;

 private:
  static constexpr Index group = Isa::tile_columns;
  static constexpr Index line_entries = 8;

  void solve_tile(Index i, Index j) {
    const Index height = smaller(tile_rows, b_.rows - i);
    const Index columns = smaller(group, b_.columns - j);
    double* const copy = copy_ + Count{j} * b_.columns;
    const bool copied = columns == group && i > 0;
    RowsOfL l = rows_in_place(l_, j, columns, inverse_diagonal_);
    if (copied) {
      l.row = copy;
      l.ld = group;
    }
    PanelTile<Isa> tile{.own = &b_(i, j),
                        .ld = b_.ld,
                        .rows = rows_,
                        .ld_rows = tile_rows,
                        .l = l,
                        .height = height,
                        .copy_rows = rows_ + Count{j} * tile_rows,
                        .copy_l = copy};
    prefetch_next_row(i, j, tile);
    const Index vectors = (height + Isa::width - 1) / Isa::width;
    if (i == 0 && columns == group) {
      TileSolve<Isa, Copies::made> solve{tile};
      with_whole_tile<Isa>(vectors, solve);
    } else {
      TileSolve<Isa, Copies::used> solve{tile};
      with_tile<Isa>(vectors, columns, solve);
    }
  }

  /// The last tiles of a row prefetch the rows of the next one: each tile fetches one cache line
  /// per column.
  void prefetch_next_row(Index i, Index j, PanelTile<Isa>& tile) const {
    const Index line = (b_.columns - 1 - j) / group * line_entries;
    const bool wanted = i + tile_rows < b_.rows && line < tile_rows + line_entries;
    tile.ahead = &b_(wanted ? i + tile_rows + smaller(line, tile_rows - 1) : i, 0);
    tile.ld_ahead = wanted ? b_.ld : 0;
  }

  ConstMatrixView l_;
  MatrixView b_;
  double* rows_;
  double* copy_;
  double inverse_diagonal_[most_order];
};

inline void scale_column(MatrixView b, double factor) {
  for (Index i = 0; i < b.rows; ++i) b(i, 0) *= factor;
}

/// B := B L⁻ᵀ. Works in place if copies would gain little or the buffer is empty.
template <class Isa>
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept {
  constexpr Index order_worth_a_copy = 12 * Isa::tile_columns;
  constexpr Index rows_worth_a_copy = 8 * Isa::tile_vectors * Isa::width;
  if (!buffer.empty() && b.columns >= order_worth_a_copy && b.rows >= rows_worth_a_copy &&
      b.columns <= PanelSolve<Isa>::most_order) {
    PanelSolve<Isa>(l, b, buffer.data()).run();
    return;
  }
  if (b.columns == 1) return scale_column(b, 1 / l(0, 0));
  constexpr Index rows = Isa::tile_vectors * Isa::width;
  double inverse_diagonal[largest_triangle];
  for (Index j = 0; j < b.columns; ++j) inverse_diagonal[j] = 1 / l(j, j);
  for (Index i = 0; i < b.rows; i += rows) {
    const MatrixView part = b.row_range(i, smaller(rows, b.rows - i));
    for (Index j = 0; j < b.columns; j += Isa::tile_columns) {
      const Index columns = smaller(Isa::tile_columns, b.columns - j);
      solve_columns<Isa>(rows_in_place(l, j, columns, inverse_diagonal), part);
    }
  }
}

/// The square on the diagonal at columns [first, first + columns). The products with the earlier
/// columns are subtracted, and the square is factored in separate memory with leading dimension
/// tile_columns.
template <class Isa, class Pivots>
struct DiagonalTile {
  MatrixView a;
  const double* right;  ///< row `first` of A at column 0, times the signs
  Count ld_right;
  Index first;
  Index height;
  double* square;
  double* inverse_diagonal;
  Pivots pivots;
  Index bad = -1;  ///< the column whose pivot check failed, or -1

  static constexpr Index vectors = (Isa::tile_columns + Isa::width - 1) / Isa::width;

  template <Index used, Index columns>
  void operator()() {
    if constexpr (used <= vectors) {
      Tile<Isa, used, columns> tile;
      tile.last = height - (used - 1) * Isa::width;
      tile.load_all(&a(first, first), a.ld);
      tile.subtract_product(a.data + first, a.ld, right, ld_right, first);
      bad = tile.factor(square, Isa::tile_columns, inverse_diagonal, pivots);
    }
  }
};

/// Factors the square of a tile. Writes only its lower triangle. Returns the column whose pivot
/// check failed, or -1.
template <class Isa, class Pivots>
Index factor_square(DiagonalTile<Isa, Pivots> tile) {
  const Index columns = tile.height;
  with_tile<Isa>((columns + Isa::width - 1) / Isa::width, columns, tile);
  if (tile.bad >= 0) return tile.first + tile.bad;
  for (Index j = 0; j < columns; ++j) {
    const double* const from = tile.square + j * Isa::tile_columns;
    for (Index i = j / Isa::width * Isa::width; i < columns; i += Isa::width) {
      Isa::store(&tile.a(tile.first + i, tile.first + j),
                 tile.pivots.template times_sign<Isa>(Isa::load(from + i), j), i < j ? j - i : 0,
                 smaller(Isa::width, columns - i));
    }
  }
  return -1;
}

template <class Isa>
PivotReport potrf(MatrixView a) noexcept {
  double inverse_diagonal[largest_triangle];
  double square[Isa::tile_columns * Isa::tile_columns];
  for (Index j = 0; j < a.columns; j += Isa::tile_columns) {
    const Index columns = smaller(Isa::tile_columns, a.columns - j);
    const Index bad = factor_square<Isa, PositivePivots>(
        {a, a.data + j, a.ld, j, columns, square, inverse_diagonal + j, {}});
    if (bad >= 0) return {bad};
    const Index below = j + columns;
    solve_columns<Isa>(rows_in_place(a, j, columns, inverse_diagonal),
                       a.row_range(below, a.columns - below));
  }
  return {};
}

/// Differs from potrf() in the operands: the rows of each block are copied with their signs, and
/// the solve below a square uses L J of the square. It thus gives rows of L instead of rows of L J.
template <class Isa>
PivotReport signed_potrf(MatrixView a, const SignedPivots& pivots) noexcept {
  constexpr Index group = Isa::tile_columns;
  double rows[group * largest_triangle];
  double square[group * group];
  double inverse_diagonal[group];
  for (Index j = 0; j < a.columns; j += group) {
    const Index columns = smaller(group, a.columns - j);
    copy_with_signs<Isa, group>(a.row_range(j, columns).column_range(0, j), pivots.sign, rows);
    const Index bad = factor_square<Isa, PivotsWithSigns>(
        {a, rows, group, j, columns, square, inverse_diagonal, {pivots, j}});
    if (bad >= 0) return {bad};
    const Index below = j + columns;
    solve_columns<Isa>({rows, group, square, group, inverse_diagonal, j, columns},
                       a.row_range(below, a.columns - below));
  }
  return {};
}

}  // namespace
}  // namespace espalier::internal::simd
