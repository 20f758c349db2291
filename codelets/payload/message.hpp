// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "base/task_kind.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

template <class Record>
struct RecordList;

/// A Count takes two words, so that neither word is negative: the bits from number `count_bits` on,
/// and the bits below.
inline constexpr int count_bits = 31;
inline constexpr Count low_bits = (Count{1} << count_bits) - 1;

/// Writes the message for an accelerator: numbers, and lists of positions inside the data of the
/// task. The accelerator sees neither L's structure nor the host's memory. A record names its
/// fields once, in `describe(words)`, for this writer and for the reader.
class MessageWriter {
 public:
  template <class Record>
  void write(Record record) {
    record.describe(*this);
  }
  /// Appends to the list of records at the end of the message.
  template <class Record>
  void add(Record record) {
    ++words_[count_];
    record.describe(*this);
  }
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }
  std::span<const Index> words() const { return words_; }
  /// Returns whether the message has a list of positions that is not empty.
  bool has_lists() const { return has_lists_; }

 private:
  void put(Index value) { words_.push_back(value); }
  void put(Count value) {
    put(static_cast<Index>(value >> count_bits));
    put(static_cast<Index>(value & low_bits));
  }
  void put(std::span<const Index> values) {
    has_lists_ = has_lists_ || !values.empty();
    put(static_cast<Index>(values.size()));
    words_.insert(words_.end(), values.begin(), values.end());
  }
  template <class Record>
  void put(const RecordList<Record>& /*to be added*/) {
    count_ = words_.size();
    put(0);
  }
  template <class Record>
  void put(const Record& record) {
    write(record);
  }

  std::vector<Index> words_;
  std::size_t count_ = 0;  ///< position of the length of the list at the end
  bool has_lists_ = false;
};

/// Reads a message of MessageWriter. The lists in its results point into the message.
class MessageReader {
 public:
  constexpr explicit MessageReader(std::span<const Index> words) : words_(words) {}

  template <class Record>
  constexpr Record read() {
    Record record{};
    record.describe(*this);
    return record;
  }
  template <class... Fields>
  constexpr void operator()(Fields&... fields) {
    (get(fields), ...);
  }

 private:
  constexpr void get(Index& value) {
    value = words_.front();
    words_ = words_.subspan(1);
  }
  constexpr void get(Count& value) {
    Index high = 0;
    Index low = 0;
    get(high);
    get(low);
    value = Count{high} << count_bits | low;
  }
  constexpr void get(std::span<const Index>& values) {
    Index count = 0;
    get(count);
    values = words_.first(static_cast<std::size_t>(count));
    words_ = words_.subspan(static_cast<std::size_t>(count));
  }
  template <class Record>
  constexpr void get(RecordList<Record>& list) {
    get(list.count);
    list.words = words_;
  }
  template <class Record>
  constexpr void get(Record& record) {
    record.describe(*this);
  }

  std::span<const Index> words_;
};

/// The list of records at the end of a message.
template <class Record>
struct RecordList {
  Index count = 0;
  std::span<const Index> words{};  ///< the words of all records

  template <class F>
  constexpr void for_each(F f) const {
    MessageReader reader(words);
    for (Index i = 0; i < count; ++i) f(reader.read<Record>());
  }
};

/// One product of an update, by positions in the data of its task. It computes
/// target(row i, column j) -= left(left_row + i, :) · right(right_row + j, :).
///
/// The columns j < whole use all rows i. The later columns use only the lower trapezoid. For them,
/// the rows of the right operand are also the first rows of the left operand. If the left operand
/// has fewer rows than the right one needs, it has only the first of these rows.
struct Product {
  Index rows = 0;
  Index columns = 0;
  Index left_row = 0;
  Index right_row = 0;
  Index whole = 0;
  Index target_row = 0;          ///< row of the target for row 0
  Index target_column = 0;       ///< column of the target for column 0
  std::span<const Index> row{};  ///< offset of each row from target_row; empty: consecutive
  /// Offset of each column from target_column; empty: consecutive.
  std::span<const Index> column{};

  template <class Words>
  constexpr void describe(Words& words) {
    words(rows, columns, left_row, right_row, whole, target_row, target_column, row, column);
  }

  /// Returns rows [begin, end) of the product.
  constexpr Product part(Index begin, Index end) const {
    Product part = *this;
    part.rows = end - begin;
    part.left_row += begin;
    part.whole = whole + begin < columns ? whole + begin : columns;
    if (row.empty()) {
      part.target_row += begin;
    } else {
      part.row = row.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(part.rows));
    }
    return part;
  }
  /// Returns the part of the product in its columns [begin, end).
  Product within_columns(Index begin, Index end) const {
    const Index top = std::clamp(begin - whole, 0, rows);
    Product part = this->part(top, rows);
    part.whole = std::clamp(whole - begin, 0, end - begin);
    part.columns = end - begin;
    part.right_row += begin;
    if (column.empty()) {
      part.target_column += begin;
    } else {
      part.column =
          column.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(part.columns));
    }
    return part;
  }
  /// Returns the part of the product that updates rows [begin, end) of the target.
  Product within(Index begin, Index end) const {
    const auto rows_above = [&](Index target) {
      if (row.empty()) return std::clamp(target - target_row, 0, rows);
      return static_cast<Index>(std::ranges::lower_bound(row, target - target_row) - row.begin());
    };
    return part(rows_above(begin), rows_above(end));
  }

  /// Subtracts the product from the target. Does nothing if the product has no rows. `sign` has the
  /// signs of the columns of the operands.
  void subtract(const Kernels& kernels, ConstMatrixView left, ConstMatrixView right,
                MatrixView target, std::span<double> buffer, Signs sign = nullptr) const {
    if (rows == 0) return;
    const ConstMatrixView a = left.row_range(left_row, rows);
    const ConstMatrixView b = right.row_range(right_row, columns);
    ScatterTarget place{&target(target_row, target_column), target.ld,
                        row.empty() ? nullptr : row.data(),
                        column.empty() ? nullptr : column.data()};
    if (whole > 0) kernels.update({a, b.row_range(0, whole), false, place, buffer, sign});
    const Index corner = columns - whole < rows ? columns - whole : rows;
    if (corner == 0) return;
    if (place.column != nullptr) {
      place.column += whole;
    } else {
      place.data += whole * place.ld;
    }
    kernels.update({a, b.row_range(whole, corner), true, place, buffer, sign});
  }
};

/// The product of a panel with itself, where the panel is part of the values of a group.
struct PanelProduct {
  Count begin = 0;  ///< position of the panel in these values
  Index height = 0;
  Index width = 0;
  Product product{};

  template <class Words>
  constexpr void describe(Words& words) {
    words(begin, height, width, product);
  }
};

/// Rows of a tile of L and the rows of a segment that they face.
struct FacingRows {
  Index segment = 0;  ///< number of the segment among the data of the task
  Index place = 0;    ///< first of the rows in the segment
  Index tile = 0;     ///< number of the tile among the data of the task
  Index top = 0;      ///< first of the rows in the tile
  Index rows = 0;

  template <class Words>
  constexpr void describe(Words& words) {
    words(segment, place, tile, top, rows);
  }
};

// The messages of all kinds that accelerators can run.

struct FillMessage {
  static constexpr TaskKind kind = TaskKind::fill;

  template <class Words>
  constexpr void describe(Words& /*words*/) {}
};

struct DiagonalMessage {
  static constexpr TaskKind kind = TaskKind::diagonal;

  template <class Words>
  constexpr void describe(Words& /*words*/) {}
};

struct FactorMessage {
  static constexpr TaskKind kind = TaskKind::factor;

  Index skipped = 0;  ///< rows on top of the tile that belong to the diagonal block
  Index pivots = 0;   ///< 1: the tiles carry pivots, see PivotSigns::in_tiles

  template <class Words>
  constexpr void describe(Words& words) {
    words(skipped, pivots);
  }
};

struct UpdateMessage {
  static constexpr TaskKind kind = TaskKind::update;

  Index signs = 0;                 ///< 1: the source tiles carry signs in their first rows
  RecordList<Product> products{};  ///< one per target

  template <class Words>
  constexpr void describe(Words& words) {
    words(signs, products);
  }
};

struct AssembleMessage {
  static constexpr TaskKind kind = TaskKind::assemble;

  Index signs = 0;  ///< 1: the panels carry signs in their first rows
  RecordList<PanelProduct> products{};

  template <class Words>
  constexpr void describe(Words& words) {
    words(signs, products);
  }
};

struct ReduceMessage {
  static constexpr TaskKind kind = TaskKind::reduce;

  std::span<const Index> row{};  ///< position of each row of the contribution in the tile

  template <class Words>
  constexpr void describe(Words& words) {
    words(row);
  }

  void add(ConstMatrixView contribution, MatrixView tile) const {
    for (Index j = 0; j < contribution.columns; ++j) {
      double* const to = tile.column(j);
      const double* const from = contribution.column(j);
      for (std::size_t i = 0; i < row.size(); ++i) to[row[i]] += from[i];
    }
  }
};

/// X on a tile of a supernode. The first piece of data is the segment with the columns of the
/// tile's panel. The segments with other rows follow, and then the tiles of L.
struct SolveTileMessage {
  /// Number of the tile with the triangle on top; -1 if this task does not have it.
  Index triangle = -1;
  Index clears = 0;  ///< 1: the first segment is set to zero first
  RecordList<FacingRows> blocks{};

  template <class Words>
  constexpr void describe(Words& words) {
    words(triangle, clears, blocks);
  }
};
struct ForwardMessage : SolveTileMessage {
  static constexpr TaskKind kind = TaskKind::forward;
};
struct BackwardMessage : SolveTileMessage {
  static constexpr TaskKind kind = TaskKind::backward;
};

/// A set of message types. The kind of a task selects the type.
template <class... Messages>
struct MessageTypes {
  static constexpr bool include(TaskKind kind) { return ((Messages::kind == kind) || ...); }
  /// Calls f(message) with the message of a task of this kind.
  template <class F>
  static void read(TaskKind kind, MessageReader words, F f) {
    const auto read_as = [&]<class Message>(std::type_identity<Message>) {
      if (Message::kind == kind) f(words.read<Message>());
    };
    (read_as(std::type_identity<Messages>{}), ...);
  }
};
/// The messages for CUDA devices. A is left out, because it needs the values of a whole group,
/// which a CUDA device needs for no other task.
using CudaMessages = MessageTypes<FillMessage, DiagonalMessage, FactorMessage, UpdateMessage,
                                  ReduceMessage, ForwardMessage, BackwardMessage>;
using AcceleratorMessages =
    MessageTypes<FillMessage, DiagonalMessage, FactorMessage, UpdateMessage, AssembleMessage,
                 ReduceMessage, ForwardMessage, BackwardMessage>;

/// Maximum number of targets of one U. With its one or two sources, it then has the maximum number
/// of pieces of data of a task for accelerators.
inline constexpr Index most_targets = 6;

}  // namespace espalier::internal
