// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "base/dense.hpp"

/// Kernels that are compiled once per instruction set, from the same source. The code is in unnamed
/// namespaces, so that no instance replaces another one at link time. The tables of kernels and the
/// choice among them are compiled only once.
namespace espalier::internal::simd {
namespace {

constexpr Index smaller(Index a, Index b) { return a < b ? a : b; }

/// Calls f with the constants 0, 1, ..., n - 1: a loop that is unrolled before the compiler assigns
/// arrays to registers.
template <Index n, class F>
[[gnu::always_inline]] inline void each(F f) {
  [&]<Index... i>(std::integer_sequence<Index, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<Index, i>()), ...);
  }
  (std::make_integer_sequence<Index, n>());
}

/// Returns whether 1/x neither overflows nor loses digits.
inline bool has_normal_inverse(double x) { return x > 0x1p-1000 && x < 0x1p1000; }

/// Accumulators in registers, rows by columns. The rows are `vectors` vectors; the last one may
/// have fewer rows.
template <class Isa, Index vectors, Index columns>
struct Tile {
  using Vector = typename Isa::Vector;
  Vector sum[vectors][columns];
  Index last;  ///< rows in the last vector, 1 to width

  static constexpr Index rows = vectors * Isa::width;

  template <Index v>
  [[gnu::always_inline]] Vector load(const double* from) const {
    if constexpr (v + 1 < vectors) return Isa::load(from + v * Isa::width);
    return Isa::load(from + v * Isa::width, last);
  }

  [[gnu::always_inline]] void clear() {
    each<columns>([&](auto c) { each<vectors>([&](auto v) { sum[v][c] = Isa::zero(); }); });
  }
  [[gnu::always_inline]] void load_all(const double* from, Count ld) {
    each<columns>(
        [&](auto c) { each<vectors>([&](auto v) { sum[v][c] = load<v>(from + c * ld); }); });
  }
  [[gnu::always_inline]] void store_all(double* to, Count ld) const {
    each<columns>([&](auto c) {
      each<vectors - 1>([&](auto v) { Isa::store(to + c * ld + v * Isa::width, sum[v][c]); });
      constexpr Index v = vectors - 1;
      Isa::store(to + c * ld + v * Isa::width, sum[v][c], last);
    });
  }

  /// Stores whole vectors, even if the last one has fewer rows.
  [[gnu::always_inline]] void store_whole(double* to, Count ld) const {
    each<columns>([&](auto c) {
      each<vectors>([&](auto v) { Isa::store(to + c * ld + v * Isa::width, sum[v][c]); });
    });
  }

  /// sum -= A Bᵀ for `inner` columns. A has the rows of this tile, and B has one row per column of
  /// this tile. Calls `on_step` for each column with A's vectors and B's entries.
  template <class OnStep>
  [[gnu::always_inline]] void subtract_product(const double* a, Count lda, const double* b,
                                               Count ldb, Index inner, OnStep on_step) {
    for (Index k = 0; k < inner; ++k, a += lda, b += ldb) {
      Vector left[vectors];
      each<vectors>([&](auto v) { left[v] = load<v>(a); });
      on_step(left, b);
      each<columns>([&](auto c) {
        const Vector right = Isa::broadcast(b[c]);
        each<vectors>(
            [&](auto v) { sum[v][c] = Isa::subtract_product(sum[v][c], left[v], right); });
      });
    }
  }
  [[gnu::always_inline]] void subtract_product(const double* a, Count lda, const double* b,
                                               Count ldb, Index inner) {
    subtract_product(a, lda, b, ldb, inner, [](const auto&, const double*) {});
  }

  /// Factors the lower triangle of order `columns` as L J Lᵀ and stores L J to `square`, with the
  /// inverse of its diagonal. Returns the column whose pivot check failed, or -1. A column is
  /// divided by its pivot before the updates of other columns, and by the root afterwards. The root
  /// thus does not delay the next pivot.
  template <class Pivots>
  [[gnu::always_inline]] Index factor(double* square, Count ld, double* inverse_diagonal,
                                      const Pivots& pivots) {
    Index bad = -1;
    each<columns>([&](auto c) {
      if (bad >= 0) return;
      double* const column = square + c * ld;
      each<vectors>([&](auto v) { Isa::store(column + v * Isa::width, sum[v][c]); });
      double pivot = column[c];
      if (!pivots.accept(c, pivot)) {
        bad = c;
        return;
      }
      const double magnitude = pivots.sign(c) * pivot;
      const double root = std::sqrt(magnitude);
      const double reciprocal = 1 / root;
      inverse_diagonal[c] = pivots.sign(c) * reciprocal;
      const Vector inverse_root = Isa::broadcast(reciprocal);
      const Vector inverse = Isa::broadcast(1 / pivot);
      Vector scaled[vectors];
      each<vectors>([&](auto v) { scaled[v] = Isa::multiply(sum[v][c], inverse); });
      if (!has_normal_inverse(magnitude)) {
        const Vector signed_inverse_root = Isa::broadcast(inverse_diagonal[c]);
        each<vectors>([&](auto v) {
          scaled[v] = Isa::multiply(Isa::multiply(sum[v][c], inverse_root), signed_inverse_root);
        });
      }
      each<columns - 1 - c>([&](auto k) {
        const Vector entry = Isa::broadcast(column[c + 1 + k]);
        each<vectors>([&](auto v) {
          sum[v][c + 1 + k] = Isa::subtract_product(sum[v][c + 1 + k], scaled[v], entry);
        });
      });
      each<vectors>([&](auto v) {
        Isa::store(column + v * Isa::width, Isa::multiply(sum[v][c], inverse_root));
      });
      column[c] = pivots.sign(c) * root;
    });
    return bad;
  }

  /// sum := sum L⁻ᵀ for the triangle of order `columns` at l, with the given inverse diagonal.
  [[gnu::always_inline]] void solve(const double* l, Count ld, const double* inverse_diagonal) {
    each<columns>([&](auto c) {
      each<c>([&](auto k) {
        const Vector factor = Isa::broadcast(l[c + k * ld]);
        each<vectors>(
            [&](auto v) { sum[v][c] = Isa::subtract_product(sum[v][c], sum[v][k], factor); });
      });
      const Vector inverse = Isa::broadcast(inverse_diagonal[c]);
      each<vectors>([&](auto v) { sum[v][c] = Isa::multiply(sum[v][c], inverse); });
    });
  }
};

/// Copies the entries of one column in a group of tile_columns rows.
template <class Isa>
[[gnu::always_inline]] inline void copy_group(const double* from, double* to) {
  each<Isa::tile_columns / Isa::width>(
      [&](auto v) { Isa::store(to + v * Isa::width, Isa::load(from + v * Isa::width)); });
}

/// Copies `groups` groups of `group` rows of A J, each column after column.
template <class Isa, Index group, Index groups>
void copy_groups_with_signs(ConstMatrixView a, const double* sign, double* to) {
  const Count next = Count{group} * a.columns;
  const double* from = a.data;
  for (Index k = 0; k < a.columns; ++k, from += a.ld, to += group) {
    const auto factor = Isa::broadcast(sign[k]);
    each<groups>([&](auto g) {
      each<group / Isa::width>([&](auto v) {
        const auto entries = Isa::load(from + g * group + v * Isa::width);
        Isa::store(to + g * next + v * Isa::width, Isa::multiply(entries, factor));
      });
    });
  }
}

/// Copies A J by groups of `group` rows, each column after column. The last group may have fewer
/// rows. Some groups are copied at once, so that cache lines of A are read once. More of them would
/// need more lines than a set of the cache has, if the copies are a power of two apart.
template <class Isa, Index group>
void copy_with_signs(ConstMatrixView a, const double* sign, double* to) {
  constexpr Index at_once = 4;
  Index i = 0;
  for (; i + at_once * group <= a.rows; i += at_once * group) {
    copy_groups_with_signs<Isa, group, at_once>(a.row_range(i, at_once * group), sign,
                                                to + Count{i} * a.columns);
  }
  for (; i + group <= a.rows; i += group) {
    copy_groups_with_signs<Isa, group, 1>(a.row_range(i, group), sign, to + Count{i} * a.columns);
  }
  if (i == a.rows) return;
  double* const last = to + Count{i} * a.columns;
  for (Index k = 0; k < a.columns; ++k) {
    const auto factor = Isa::broadcast(sign[k]);
    for (Index row = i; row < a.rows; row += Isa::width) {
      const auto entries = Isa::load(&a(row, k), smaller(Isa::width, a.rows - row));
      Isa::store(last + Count{k} * group + row - i, Isa::multiply(entries, factor));
    }
  }
}

/// Calls f.template operator()<vectors, columns>() for a tile of this many vectors and columns,
/// which must fit into the largest tile of the instruction set. `least_columns` is the minimum
/// number of columns of any tile. It avoids compiling tiles that cannot occur.
template <class Isa, Index least_columns = 1, class F, Index vectors = Isa::tile_vectors,
          Index columns = Isa::tile_columns>
void with_tile(Index tile_vectors, Index tile_columns, F& f) {
  if constexpr (vectors > 1) {
    if (tile_vectors < vectors) {
      return with_tile<Isa, least_columns, F, vectors - 1, columns>(tile_vectors, tile_columns, f);
    }
  }
  if constexpr (columns > least_columns) {
    if (tile_columns < columns) {
      return with_tile<Isa, least_columns, F, vectors, columns - 1>(tile_vectors, tile_columns, f);
    }
  }
  f.template operator()<vectors, columns>();
}

/// Like with_tile(), for a tile of all columns.
template <class Isa, class F>
void with_whole_tile(Index tile_vectors, F& f) {
  with_tile<Isa, Isa::tile_columns>(tile_vectors, Isa::tile_columns, f);
}

}  // namespace
}  // namespace espalier::internal::simd
