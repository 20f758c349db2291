// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/pack.hpp"
#include "codelets/cpu/simd/panel.hpp"
#include "codelets/cpu/simd/scatter.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::simd {
namespace {
/// One tile of an update: a product in registers, then added to the target.
template <class Isa>
struct UpdateTile {
  const double* a;
  Count lda;
  const double* b;
  Count ldb;
  Index inner;
  const double* ahead;  ///< brought into the cache meanwhile, a line at each step
  Count ld_ahead;
  TilePlace<Isa> place;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    tile.last = place.height() - (vectors - 1) * Isa::width;
    place.template prefetch<vectors, columns>();
    tile.clear();
    const double* next = ahead;
    tile.subtract_product(a, lda, b, ldb, inner, [&](Index) {
      __builtin_prefetch(next, 0, 2);
      next += ld_ahead;
    });
    place.add(tile);
  }
};

/// Dimensions of a block of updates, whose right operand fits into half of the second-level cache.
inline constexpr Index most_columns = 256;
inline constexpr Index most_inner = 256;

template <class Isa>
class UpdateBlock {
 public:
  static constexpr Index tile_rows = Isa::tile_vectors * Isa::width;

  UpdateBlock(ConstMatrixView a, const RightRows& b, bool lower, const ScatterTarget& target)
      : a_(a), b_(b), lower_(lower), map_(target.row) {
    for (Index j = 0; j < b.rows; ++j) {
      column_[j] = target.data + target.ld * (target.column ? target.column[j] : j);
    }
    tile_.ldb = b.ld;
    tile_.inner = a.columns;
  }

  /// In memory for tile_rows * columns(a) entries, rows are copied before their use; null: they are
  /// used where they are.
  void run(double* memory) {
    for (Index i = 0; i < a_.rows; i += tile_rows) {
      const Index height = smaller(tile_rows, a_.rows - i);
      const double* rows = a_.data + i;
      tile_.lda = a_.ld;
      if (memory) {
        pack_rows<Isa, tile_rows>(rows, a_.ld, height, a_.columns, memory);
        rows = memory;
        tile_.lda = tile_rows;
      }
      update_row_of_tiles(rows, i, height);
    }
  }

 private:
  void update_row_of_tiles(const double* rows, Index i, Index height) {
    const Index end = lower_ ? smaller(b_.rows, i + height) : b_.rows;
    tile_.b = b_.data;
    for (Index j = 0; j < end; j += Isa::tile_columns, tile_.b += b_.group) {
      const Index columns = smaller(Isa::tile_columns, b_.rows - j);
      const Index above = lower_ && j > i ? j - i : 0;
      tile_.a = rows + above;
      look_ahead(rows, i, j);
      tile_.place.set_columns(column_ + j, columns);
      tile_.place.set_rows(map_, i + above, height - above, lower_ && j >= i);
      with_tile<Isa>((height - above + Isa::width - 1) / Isa::width, columns, tile_);
    }
  }

  /// While the first tiles of a row are computed, the rows of the next one are fetched: eight rows,
  /// a cache line, of each column a tile. They lie in as many pages as there are columns, where the
  /// processor does not foresee them.
  void look_ahead(const double* rows, Index i, Index j) {
    const Index line = j / Isa::tile_columns * line_entries;
    const bool wanted = i + tile_rows < a_.rows && line < tile_rows + line_entries;
    tile_.ahead = wanted ? a_.data + i + tile_rows + smaller(line, tile_rows - 1) : rows;
    tile_.ld_ahead = wanted ? a_.ld : 0;
  }

  static constexpr Index line_entries = 8;
  ConstMatrixView a_;
  RightRows b_;
  bool lower_;
  const Index* map_;
  UpdateTile<Isa> tile_;
  double* column_[most_columns];
};

inline ScatterTarget shifted(ScatterTarget target, Index rows, Index columns) {
  if (target.row) {
    target.row += rows;
  } else {
    target.data += rows;
  }
  if (target.column) {
    target.column += columns;
  } else {
    target.data += columns * target.ld;
  }
  return target;
}

/// One block of at most most_columns by most_inner. Below the sizes worth a copy both operands are
/// used where they are.
template <class Isa>
void update_block(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
                  std::span<double> buffer) {
  constexpr Index columns_worth_packing = 40;
  constexpr Index inner_worth_packing = 24;
  constexpr Count left_entries = Count{UpdateBlock<Isa>::tile_rows} * most_inner;
  static_assert(left_entries + Count{most_columns} * most_inner <= update_buffer_entries);
  if (b.rows < columns_worth_packing || b.columns < inner_worth_packing) {
    UpdateBlock<Isa>(a, in_place<Isa>(b), lower, target).run(nullptr);
  } else {
    const RightRows right = packed<Isa>(b, buffer.data() + left_entries);
    UpdateBlock<Isa>(a, right, lower, target).run(buffer.data());
  }
}

/// Blocks of the right operand are copied as in Goto and van de Geijn, Anatomy of High-Performance
/// Matrix Multiplication (2008); the left one by single rows of tiles, which stay in the
/// first-level cache.
template <class Isa>
void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept {
  const Index parts = (a.columns + most_inner - 1) / most_inner;
  for (Index part = 0; part < parts; ++part) {
    const Index begin = a.columns * part / parts;
    const Index inner = a.columns * (part + 1) / parts - begin;
    const ConstMatrixView left = a.column_range(begin, inner);
    const ConstMatrixView right = b.column_range(begin, inner);
    for (Index j = 0; j < b.rows; j += most_columns) {
      const Index above = lower ? j : 0;
      update_block<Isa>(left.row_range(above, a.rows - above),
                        right.row_range(j, smaller(most_columns, b.rows - j)), lower,
                        shifted(target, above, j), buffer);
    }
  }
}

}  // namespace
}  // namespace espalier::simd
