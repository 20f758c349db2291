// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "codelets/cpu/simd/tile.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::simd {
namespace {

/// Destination of the rows of one vector: pieces of the target that are as long as a vector. Each
/// piece receives some entries of the vector. The pieces do not overlap.
template <class Isa>
class VectorPlace {
 public:
  struct Piece {
    typename Isa::Sources from;
    typename Isa::Lanes lanes;
    Index offset;
  };

  /// Sets the destination rows, which ascend. `count` is at most the vector's width.
  void set(const Index* row, Index count) {
    end_ = piece_;
    for (Index i = 0; i < count;) {
      std::int64_t from[Isa::width] = {};
      unsigned bits = 0;
      const Index first = row[i];
      for (; i < count && row[i] - first < Isa::width; ++i) {
        from[row[i] - first] = i;
        bits |= 1U << (row[i] - first);
      }
      *end_++ = {Isa::sources(from), Isa::lanes(bits), first};
    }
  }
  const Piece* begin() const { return piece_; }
  const Piece* end() const { return end_; }

 private:
  Piece piece_[Isa::width];
  Piece* end_ = piece_;
};

/// Destination of the tiles of one row of tiles. Registers are stored straight to the target. If
/// the target's rows are not consecutive, the entries are permuted first.
template <class Isa>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one object per call
class TilePlace {
 public:
  /// Sets the rows of a row of tiles: map[first .. first + count), or first, first + 1, ....
  void set_rows(const Index* map, Index first, Index count) {
    height_ = count;
    offset_ = map ? map[first] : first;
    consecutive_ = !map || map[first + count - 1] - offset_ == count - 1;
    if (consecutive_) return;
    for (Index i = 0; i < count; i += Isa::width) {
      vector_[i / Isa::width].set(map + first + i, smaller(Isa::width, count - i));
    }
  }
  /// Sets one tile. `column[j]` is the start of the target's column that receives column j of the
  /// tile. `above` is the number of rows of the row of tiles above the tile, a multiple of the
  /// vector's width. With `cut`, the tile begins on the diagonal, and only its lower triangle is
  /// added.
  void set_tile(double* const* column, Index above, bool cut) {
    column_ = column;
    above_ = above;
    cut_ = cut;
  }
  Index height() const { return height_ - above_; }

  /// Prefetches one column of a tile's target.
  template <Index vectors>
  [[gnu::always_inline]] void prefetch(Index column) const {
    const double* const to = column_[column];
    if (consecutive_) {
      each<vectors>([&](auto v) { __builtin_prefetch(to + offset_ + above_ + v * Isa::width, 1); });
      __builtin_prefetch(to + offset_ + height_ - 1, 1);
    } else {
      each<vectors>([&](auto v) {
        for (const auto& piece : vector_[above_ / Isa::width + v]) {
          __builtin_prefetch(to + piece.offset, 1);
        }
      });
    }
  }

  template <Index vectors, Index columns>
  [[gnu::always_inline]] void add(const Tile<Isa, vectors, columns>& tile) const {
    each<vectors>([&](auto v) __attribute__((always_inline)) {
      if (consecutive_) {
        const Index row = offset_ + above_ + v * Isa::width;
        each<columns>([&](auto c) __attribute__((always_inline)) {
          add_vector<c - v * Isa::width, v + 1 == vectors>(column_[c] + row, tile.sum[v][c],
                                                           tile.last);
        });
      } else {
        for (const auto& piece : vector_[above_ / Isa::width + v]) {
          each<columns>([&](auto c) __attribute__((always_inline)) {
            add_piece<c - v * Isa::width>(column_[c], tile.sum[v][c], piece);
          });
        }
      }
    });
  }

 private:
  using Vector = typename Isa::Vector;
  using Piece = typename VectorPlace<Isa>::Piece;

  /// Adds a vector. `above` is the number of its entries above the diagonal, if the tile begins
  /// there.
  template <Index above, bool partial>
  [[gnu::always_inline]] void add_vector(double* to, Vector sum, Index last) const {
    if constexpr (above > 0) {
      if (cut_) {
        if constexpr (above < Isa::width) {
          const Index end = partial ? last : Isa::width;
          if (above < end) Isa::store(to, Isa::add(Isa::load(to, end), sum), above, end);
        }
        return;
      }
    }
    if constexpr (partial) {
      Isa::store(to, Isa::add(Isa::load(to, last), sum), last);
    } else {
      Isa::store(to, Isa::add(Isa::load(to), sum));
    }
  }

  /// Adds a piece. Above the diagonal it adds zeros, so the target keeps its entries.
  template <Index above>
  [[gnu::always_inline]] void add_piece(double* column, Vector sum, const Piece& piece) const {
    if constexpr (above > 0) {
      if (cut_) {
        if constexpr (above >= Isa::width) return;
        sum = Isa::from(sum, above);
      }
    }
    double* const to = column + piece.offset;
    const Vector old = Isa::load_lanes(to, piece.lanes);
    Isa::store_lanes(to, Isa::add(old, Isa::permuted(sum, piece.from, piece.lanes)), piece.lanes);
  }

  double* const* column_;
  VectorPlace<Isa> vector_[Isa::tile_vectors];
  Index offset_;
  Index height_;
  Index above_;
  bool cut_;
  bool consecutive_;
};

}  // namespace
}  // namespace espalier::internal::simd
