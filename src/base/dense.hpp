// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstddef>

#include "base/scalar.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// View of a rows-by-columns matrix, stored by columns in memory of another owner. Entry (i, j) is
/// data[i + j * ld].
template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Count ld = 0;

  T& operator()(Index i, Index j) const { return data[i + j * ld]; }
  T* column(Index j) const { return data + j * ld; }
  /// Returns rows [begin, begin + count) of all columns.
  BasicMatrixView row_range(Index begin, Index count) const {
    return {data + begin, count, columns, ld};
  }
  BasicMatrixView column_range(Index begin, Index count) const {
    return {data + begin * ld, rows, count, ld};
  }
  operator BasicMatrixView<const T>() const { return {data, rows, columns, ld}; }
};

using MatrixView = BasicMatrixView<double>;
using ConstMatrixView = BasicMatrixView<const double>;

/// View of a matrix, stored by columns in memory of another owner, for StarPU and for messages. It
/// knows the size of an entry in bytes, but not its type. Tasks get a typed view from as(). A view
/// without memory has only sizes.
class DataView {
 public:
  DataView() = default;
  template <class T>
  DataView(T* data, Index rows, Index columns, Count ld)
      : memory_(data), entry_bytes_(sizeof(T)), rows_(rows), columns_(columns), ld_(ld) {}
  template <class T>
  DataView(const BasicMatrixView<T>& view)
      : DataView(view.data, view.rows, view.columns, view.ld) {}

  template <class T>
  BasicMatrixView<T> as() const {
    assert(memory_ == nullptr || entry_bytes_ == sizeof(T));
    return {static_cast<T*>(memory_), rows_, columns_, ld_};
  }
  void* memory() const { return memory_; }
  std::size_t entry_bytes() const { return entry_bytes_; }
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Count ld() const { return ld_; }
  /// Returns the bytes of all entries.
  Count bytes() const { return static_cast<Count>(entry_bytes_) * rows_ * columns_; }

 private:
  void* memory_ = nullptr;
  std::size_t entry_bytes_ = 0;
  Index rows_ = 0;
  Index columns_ = 0;
  Count ld_ = 0;
};

}  // namespace espalier::internal

/// Number of real operations of the dense kernels, where additions and multiplications count alike
/// (Blackford and Dongarra, LAPACK Working Note 41, appendix C; leading and second terms).
namespace espalier::internal::flops {

inline double potrf(double n) { return scalar.flop_factor * (n * n * n / 3 + n * n / 2); }
/// Flops of B (m by n) times the inverse of a triangle of order n.
inline double trsm(double m, double n) { return scalar.flop_factor * (m * n * n); }
/// Flops of the update of a lower triangle of order n by A Aᵀ, where A is n by k.
inline double syrk(double n, double k) { return scalar.flop_factor * (n * (n + 1) * k); }
inline double gemm(double m, double n, double k) { return scalar.flop_factor * (2 * m * n * k); }
/// Flops of an update of m rows and n columns, which is a trapezoid: SYRK on top, GEMM below.
inline double trapezoid(double m, double n, double k) { return syrk(n, k) + gemm(m - n, n, k); }
/// Flops of a triangular solve for n right-hand sides, with `entries` entries of L.
inline double solve(double entries, double n) { return scalar.flop_factor * (2 * entries * n); }

}  // namespace espalier::internal::flops
