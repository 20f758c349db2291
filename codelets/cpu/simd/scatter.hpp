// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/tile.hpp"
#include "codelets/kernels.hpp"

namespace espalier::simd {
namespace {

/// Where one tile of a product goes: from the registers straight to the target where its rows are
/// consecutive there, else run by run of consecutive rows.
template <class Isa>
class TilePlace {
 public:
  static constexpr Index most_rows = Isa::tile_vectors * Isa::width;

  /// The target's columns that the tile's columns go to, from their first row on.
  void set_columns(double* const* column, Index count) {
    column_ = column;
    columns_ = count;
  }
  /// With `cut`, the tile begins on the diagonal, and only its lower triangle is added.
  void set_rows(const Index* map, Index first, Index count, bool cut) {
    height_ = count;
    cut_ = cut;
    map_ = map ? map + first : nullptr;
    offset_ = map_ ? map_[0] : first;
    consecutive_ = !map_ || map_[count - 1] - offset_ == count - 1;
  }
  Index height() const { return height_; }

  template <Index vectors, Index columns>
  [[gnu::always_inline]] void prefetch() const {
    each<columns>([&](auto c) {
      each<vectors>([&](auto v) {
        const Index row = v * Isa::width;
        __builtin_prefetch(column_[c] + (consecutive_ ? offset_ + row : map_[row]), 1);
      });
      __builtin_prefetch(column_[c] + (consecutive_ ? offset_ : map_[height_ - 1]), 1);
    });
  }

  template <Index vectors, Index columns>
  [[gnu::always_inline]] void add(const Tile<Isa, vectors, columns>& tile) const {
    if (consecutive_) {
      each<columns>([&](auto c) {
        each<vectors>([&](auto v) {
          add_vector<c - v * Isa::width, v + 1 == vectors>(column_[c] + offset_ + v * Isa::width,
                                                           tile.sum[v][c], tile.last);
        });
      });
    } else {
      double product[Isa::tile_columns * most_rows];
      tile.store_all(product, most_rows);
      add_runs(product);
    }
  }

 private:
  /// `above`: how many entries of the vector stand above the diagonal of a tile that begins there.
  template <Index above, bool partial>
  [[gnu::always_inline]] void add_vector(double* to, typename Isa::Vector sum, Index last) const {
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

  [[gnu::noinline]] void add_runs(const double* product) const {
    for (Index begin = 0; begin < height_;) {
      Index end = begin + 1;
      while (end < height_ && map_[end] == map_[end - 1] + 1) ++end;
      for (Index c = 0; c < columns_; ++c) {
        const Index first = cut_ && c > begin ? c : begin;
        add_run(column_[c] + (map_[begin] - begin), product + c * most_rows, first, end);
      }
      begin = end;
    }
  }

  [[gnu::always_inline]] static void add_run(double* to, const double* from, Index begin,
                                             Index end) {
    for (Index i = begin; i < end; i += Isa::width) {
      const Index count = smaller(Isa::width, end - i);
      Isa::store(to + i, Isa::add(Isa::load(to + i, count), Isa::load(from + i, count)), count);
    }
  }

  double* const* column_;
  Index columns_;
  const Index* map_;
  Index offset_;
  Index height_;
  bool cut_;
  bool consecutive_;
};

}  // namespace
}  // namespace espalier::simd
