// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/tile.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::simd {
namespace {

/// A tile of X1 (right-hand sides by columns of L) in X1 := (X1 - X2 L2) J L1⁻¹. It stays in
/// registers, so X2 and L2 are read only once for it.
template <class Isa>
struct BackwardTile {
  const double* l;  ///< a strip of L with its triangle on top
  Count ld;
  Index inside;  ///< rows of the strip below its triangle, in the triangle of the panel
  Index below;   ///< all rows of the strip below its triangle
  Signs sign;    ///< signs of the strip's columns, or null
  double* x;     ///< right-hand sides of the tile; those of the rows below follow
  Count ldx;
  Index height;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    tile.last = height - (vectors - 1) * Isa::width;
    tile.load_all(x, ldx);
    subtract_rows(tile, sign != nullptr ? inside : 0, below);
    if (sign != nullptr) {
      each<columns>([&](auto c) {
        const auto factor = Isa::broadcast(sign[c]);
        each<vectors>([&](auto v) { tile.sum[v][c] = Isa::multiply(tile.sum[v][c], factor); });
      });
      subtract_rows(tile, 0, inside);
    }
    solve(tile);
    tile.store_all(x, ldx);
  }

 private:
  template <Index vectors, Index columns>
  [[gnu::always_inline]] void subtract_rows(Tile<Isa, vectors, columns>& tile, Index begin,
                                            Index end) const {
    const double* y = x + (columns + begin) * ldx;
    const double* row = l + columns + begin;
    for (Index k = begin; k < end; ++k, y += ldx, ++row) {
      typename Isa::Vector left[vectors];
      each<vectors>([&](auto v) { left[v] = tile.template load<v>(y); });
      each<columns>([&](auto c) {
        const auto right = Isa::broadcast(row[c * ld]);
        each<vectors>([&](auto v) {
          tile.sum[v][c] = Isa::subtract_product(tile.sum[v][c], left[v], right);
        });
      });
    }
  }

  template <Index vectors, Index columns>
  [[gnu::always_inline]] void solve(Tile<Isa, vectors, columns>& tile) const {
    each<columns>([&](auto last) {
      constexpr Index c = columns - 1 - last;
      const auto inverse = Isa::broadcast(1 / l[c + c * ld]);
      each<vectors>([&](auto v) { tile.sum[v][c] = Isa::multiply(tile.sum[v][c], inverse); });
      each<c>([&](auto i) {
        const auto factor = Isa::broadcast(l[c + i * ld]);
        each<vectors>([&](auto v) {
          tile.sum[v][i] = Isa::subtract_product(tile.sum[v][i], tile.sum[v][c], factor);
        });
      });
    });
  }
};

/// Solves by strips of columns of L from the right. The narrower strip, if any, comes first.
template <class Isa>
void backward_many(ConstMatrixView l, MatrixView x, Signs sign) noexcept {
  constexpr Index tile_rows = Isa::tile_vectors * Isa::width;
  for (Index end = l.columns; end > 0;) {
    const Index rest = end % Isa::tile_columns;
    const Index columns = rest > 0 ? rest : Isa::tile_columns;
    const Index j = end - columns;
    for (Index i = 0; i < x.rows; i += tile_rows) {
      const Index height = smaller(tile_rows, x.rows - i);
      const BackwardTile<Isa> tile{.l = &l(j, j),
                                   .ld = l.ld,
                                   .inside = l.columns - end,
                                   .below = l.rows - end,
                                   .sign = sign != nullptr ? sign + j : nullptr,
                                   .x = &x(i, j),
                                   .ldx = x.ld,
                                   .height = height};
      with_tile<Isa>((height + Isa::width - 1) / Isa::width, columns, tile);
    }
    end = j;
  }
}

}  // namespace
}  // namespace espalier::internal::simd
