// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/cpu/simd/panel.hpp"
#include "codelets/cpu/simd/scatter.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::internal::simd {
namespace {

/// One tile of an update: a product in registers that is then added to the target.
template <class Isa>
struct UpdateTile {
  const double* a;
  Count lda;
  const double* b;
  Count ldb;
  Index inner;
  const double* ahead;  ///< data to prefetch, one cache line per step
  Count ld_ahead;
  double* left;   ///< destination for a copy of the rows
  double* right;  ///< destination for a copy of the right operand
  TilePlace<Isa> place;

  static constexpr Index most_rows = Isa::tile_vectors * Isa::width;
};

/// Minimum inner dimension for which the target is prefetched column by column during the first
/// half of the product. Fetching it at once would delay the cache lines of the operands.
inline constexpr Index inner_worth_spreading = 32;

/// Computes a tile. Copies are stored column after column, so that the next tiles read consecutive
/// memory. Without copies, wide panels miss the first-level cache.
template <class Isa, bool copy_left, bool copy_right>
struct TileUpdate {
  UpdateTile<Isa>& given;

  template <Index vectors, Index columns>
  void operator()() const {
    Tile<Isa, vectors, columns> tile;
    const TilePlace<Isa>& place = given.place;
    tile.last = place.height() - (vectors - 1) * Isa::width;
    tile.clear();
    const double* next = given.ahead;
    const Count ld_next = given.ld_ahead;
    [[maybe_unused]] double* left = given.left;
    [[maybe_unused]] double* right = given.right;
    const auto on_step = [&]([[maybe_unused]] const auto& rows, [[maybe_unused]] const double* b)
        __attribute__((always_inline)) {
      __builtin_prefetch(next, 0, 2);
      next += ld_next;
      if constexpr (copy_left) {
        each<vectors>([&](auto v) { Isa::store(left + v * Isa::width, rows[v]); });
        left += UpdateTile<Isa>::most_rows;
      }
      if constexpr (copy_right) {
        copy_group<Isa>(b, right);
        right += columns;
      }
    };
    const double* a = given.a;
    const double* b = given.b;
    const Index inner = given.inner;
    Index c = 0;
    if (inner < inner_worth_spreading) {
      each<columns>([&](auto all) { place.template prefetch<vectors>(all); });
      c = columns;
    }
    for (Index k = 0; c <= columns; ++c) {
      if (c < columns) place.template prefetch<vectors>(c);
      const Index end = c < columns ? inner * (c + 1) / (2 * columns) : inner;
      tile.subtract_product(a, given.lda, b, given.ldb, end - k, on_step);
      a += (end - k) * given.lda;
      b += (end - k) * given.ldb;
      k = end;
    }
    place.add(tile);
  }
};

/// Maximum dimensions of a block of updates. Its right operand fits into half of the second-level
/// cache.
inline constexpr Index most_columns = 256;
inline constexpr Index most_inner = 256;

/// Computes row after row of tiles. If operands are copied, the first tile that uses an operand
/// copies it. Rows stay in the first-level cache for one row of tiles. Whole groups of tile_columns
/// columns stay in the second-level cache for all rows of tiles.
template <class Isa>
class UpdateBlock {
 public:
  static constexpr Index tile_rows = UpdateTile<Isa>::most_rows;

  /// Copies operands to `memory` if `copies` is true, and otherwise uses them in place. With signs,
  /// the smaller one of A J and B J is always copied.
  UpdateBlock(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
              Signs sign, bool copies, double* memory)
      : a_(a),
        b_(b),
        lower_(lower),
        copies_(copies),
        map_(target.row),
        left_(memory),
        right_(memory + Count{tile_rows} * a.columns) {
    for (Index j = 0; j < b.rows; ++j) {
      column_[j] = target.data + target.ld * (target.column ? target.column[j] : j);
    }
    tile_.inner = a.columns;
    tile_.left = left_;
    if (sign == nullptr) return;
    if (a.rows < b.rows) {
      sign_of_rows_ = sign;
    } else {
      copy_with_signs<Isa, group>(b, sign, right_);
      copied_ = b.rows;
    }
  }

  void run() {
    for (Index i = 0; i < a_.rows; i += tile_rows) {
      const Index height = smaller(tile_rows, a_.rows - i);
      tile_.place.set_rows(map_, i, height);
      update_row_of_tiles(i, height);
    }
  }

 private:
  static constexpr Index group = Isa::tile_columns;

  void update_row_of_tiles(Index i, Index height) {
    const Index end = lower_ ? smaller(b_.rows, i + height) : b_.rows;
    if (sign_of_rows_) {
      copy_with_signs<Isa, tile_rows>(a_.row_range(i, height), sign_of_rows_, left_);
    }
    for (Index j = 0; j < end; j += group) {
      const Index above = lower_ && j > i ? j - i : 0;
      const bool rows_copied = sign_of_rows_ || (copies_ && j > 0);
      tile_.a = (rows_copied ? left_ : a_.data + i) + above;
      tile_.lda = rows_copied ? tile_rows : a_.ld;
      prefetch_next_row(i, j);
      tile_.place.set_tile(column_ + j, above, lower_ && j >= i);
      const Index vectors = (height - above + Isa::width - 1) / Isa::width;
      run_tile(j, vectors, smaller(group, b_.rows - j), copies_ && !rows_copied);
    }
  }

  void run_tile(Index j, Index vectors, Index columns, bool copy_left) {
    const bool copied = j < copied_;
    const bool copy_right = copies_ && columns == group && !copied;
    double* const copy = right_ + Count{j} * b_.columns;
    tile_.right = copy;
    tile_.b = copied ? copy : b_.data + j;
    tile_.ldb = copied ? group : b_.ld;
    if (copy_right) copied_ = j + group;
    if (copy_left && copy_right) {
      copy_with<TileUpdate<Isa, true, true>>(vectors);
    } else if (copy_left) {
      copy_with<TileUpdate<Isa, true, false>>(vectors);
    } else if (copy_right) {
      copy_with<TileUpdate<Isa, false, true>>(vectors);
    } else {
      TileUpdate<Isa, false, false> update{tile_};
      with_tile<Isa>(vectors, columns, update);
    }
  }

  /// Computes a tile and copies operands. The tile has a whole group of columns. This holds for the
  /// first tile of each row, because operands are not copied if the right one is narrow.
  template <class Update>
  void copy_with(Index vectors) {
    Update update{tile_};
    with_whole_tile<Isa>(vectors, update);
  }

  /// The first tiles of a row prefetch the rows of the next one. Each tile fetches eight rows (one
  /// cache line) of each column. The columns lie in different pages, so the processor does not
  /// prefetch them itself.
  void prefetch_next_row(Index i, Index j) {
    const Index line = j / group * line_entries;
    const bool wanted = i + tile_rows < a_.rows && line < tile_rows + line_entries;
    tile_.ahead = a_.data + (wanted ? i + tile_rows + smaller(line, tile_rows - 1) : i);
    tile_.ld_ahead = wanted ? a_.ld : 0;
  }

  static constexpr Index line_entries = 8;
  ConstMatrixView a_;
  ConstMatrixView b_;
  bool lower_;
  bool copies_;
  const Index* map_;
  Signs sign_of_rows_ = nullptr;  ///< if A J is copied
  double* left_;
  double* right_;
  Index copied_ = 0;  ///< rows of B
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

/// Computes one block of at most most_columns by most_inner. Copies operands unless the block has
/// few columns, because copies would then cost more than they gain.
template <class Isa>
void update_block(const UpdateArguments& given) {
  constexpr Index columns_worth_a_copy = 32;
  static_assert(columns_worth_a_copy >= Isa::tile_columns);
  constexpr Index inner_worth_a_copy = 16;
  const auto& [a, b, lower, target, buffer, sign] = given;
  const bool copy =
      !buffer.empty() && b.rows >= columns_worth_a_copy && b.columns >= inner_worth_a_copy;
  UpdateBlock<Isa>(a, b, lower, target, sign, copy, buffer.data()).run();
}

/// Computes an update by blocks of this size. Copied operands are blocked as in Goto and van de
/// Geijn, Anatomy of High-Performance Matrix Multiplication (2008).
template <class Isa, Index block_columns, Index block_inner>
void update_by_blocks(const UpdateArguments& given) {
  const auto& [a, b, lower, target, buffer, sign] = given;
  const Index parts = (a.columns + block_inner - 1) / block_inner;
  for (Index part = 0; part < parts; ++part) {
    const Index begin = a.columns * part / parts;
    const Index inner = a.columns * (part + 1) / parts - begin;
    const ConstMatrixView left = a.column_range(begin, inner);
    const ConstMatrixView right = b.column_range(begin, inner);
    for (Index j = 0; j < b.rows; j += block_columns) {
      const Index above = lower ? j : 0;
      update_block<Isa>({left.row_range(above, a.rows - above),
                         right.row_range(j, smaller(block_columns, b.rows - j)), lower,
                         shifted(target, above, j), buffer, sign ? sign + begin : nullptr});
    }
  }
}

/// Number of entries that copies of a block need.
template <class Isa>
constexpr Count copied_entries(Index columns, Index inner) {
  return Count{columns + UpdateBlock<Isa>::tile_rows} * inner;
}

/// Computes an update with signs without a buffer. Its blocks are smaller, so that their copies are
/// on the stack.
template <class Isa>
[[gnu::noinline]] void update_on_stack(UpdateArguments given) {
  constexpr Index columns = 64;
  constexpr Index inner = 128;
  double memory[copied_entries<Isa>(columns, inner)];
  given.buffer = memory;
  update_by_blocks<Isa, columns, inner>(given);
}

/// Maximum number of multiplications of a product that is computed without tiles, which would take
/// longer to prepare.
inline constexpr Count most_single_products = 16;

/// Computes an update without tiles, but rounds as they do: an entry does not depend on the number
/// of rows, because a task may divide them among several workers.
template <class Isa>
void update_entries(const UpdateArguments& given) {
  const auto& [a, b, lower, target, buffer, sign] = given;
  for (Index j = 0; j < b.rows; ++j) {
    double* const column = target.data + target.ld * (target.column ? target.column[j] : j);
    for (Index i = lower ? j : 0; i < a.rows; i += Isa::width) {
      const Index rows = smaller(Isa::width, a.rows - i);
      auto sum = Isa::zero();
      for (Index k = 0; k < a.columns; ++k) {
        const double right = sign ? sign[k] * b(j, k) : b(j, k);
        sum = Isa::subtract_product(sum, Isa::load(&a(i, k), rows), Isa::broadcast(right));
      }
      double part[Isa::width];
      Isa::store(part, sum);
      for (Index r = 0; r < rows; ++r) column[target.row ? target.row[i + r] : i + r] += part[r];
    }
  }
}

template <class Isa>
void update(const UpdateArguments& given) noexcept {
  static_assert(copied_entries<Isa>(most_columns, most_inner) <= update_buffer_entries);
  if (Count{given.a.rows} * given.b.rows * given.a.columns <= most_single_products) {
    return update_entries<Isa>(given);
  }
  if (given.sign != nullptr && given.buffer.empty()) return update_on_stack<Isa>(given);
  update_by_blocks<Isa, most_columns, most_inner>(given);
}

}  // namespace
}  // namespace espalier::internal::simd
