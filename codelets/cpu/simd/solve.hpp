// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/cpu/simd/tile.hpp"

namespace espalier::internal::simd {
namespace {

/// Number of columns of L that are read together. Prefetchers can follow this many streams, and the
/// independent sums hide the latency of an addition.
constexpr Index strip_columns = 8;

/// Distance of the prefetch, in entries of L: the number of entries that memory delivers during the
/// latency of one access.
constexpr Index ahead = 1024;

/// Distance of the prefetch while a strip is read. Usually it points further down the strip's
/// columns. For the last rows, it points into the next strip, which begins `next` entries later
/// (earlier if negative). For short strips, it skips the next strip.
class Ahead {
 public:
  Ahead(Index rows, Count next) : last_(rows - down), distance_(next - last_) {
    distance_ = next < 0 ? std::min<Count>(distance_, -ahead) : std::max<Count>(distance_, ahead);
  }
  Count operator()(Index row) const { return row < last_ ? down : distance_; }

 private:
  static constexpr Index down = ahead / strip_columns;
  Index last_;
  Count distance_;
};

/// `columns` consecutive columns of L, from one row down.
template <class Isa, Index columns>
struct Strip {
  using Vector = typename Isa::Vector;
  const double* l;
  Count ld;

  /// x := L⁻¹ x for the triangle in the first rows.
  void solve(double* x) const {
    double value[columns];
    double inverse[columns];
    each<columns>([&](auto j) { inverse[j] = 1 / l[j + j * ld]; });
    each<columns>([&](auto j) { value[j] = x[j]; });
    each<columns>([&](auto j) {
      value[j] *= inverse[j];
      each<columns - j - 1>([&](auto k) {
        constexpr Index i = j + k + 1;
        value[i] -= l[i + j * ld] * value[j];
      });
    });
    each<columns>([&](auto j) { x[j] = value[j]; });
  }

  /// x := L⁻ᵀ x for the triangle in the first rows.
  void solve_transposed(double* x) const {
    double value[columns];
    double inverse[columns];
    each<columns>([&](auto j) { inverse[j] = 1 / l[j + j * ld]; });
    each<columns>([&](auto j) { value[j] = x[j]; });
    each<columns>([&](auto k) {
      constexpr Index j = columns - 1 - k;
      value[j] *= inverse[j];
      each<j>([&](auto i) { value[i] -= l[j + i * ld] * value[j]; });
    });
    each<columns>([&](auto j) { x[j] = value[j]; });
  }

  /// y -= L x for the rows from `top` on.
  void multiply(Index top, Index rows, const double* x, double* y) const {
    Vector factor[columns];
    each<columns>([&](auto c) { factor[c] = Isa::broadcast(x[c]); });
    const double* const first = l + top;
    const Ahead distance(top + rows, columns * ld);
    if (top > 0) fetch(distance(0));
    Index i = 0;
    for (; i + Isa::width <= rows; i += Isa::width) {
      fetch(top + i + distance(top + i));
      Vector sum = Isa::load(y + i);
      each<columns>([&](auto c) {
        sum = Isa::subtract_product(sum, Isa::load(first + c * ld + i), factor[c]);
      });
      Isa::store(y + i, sum);
    }
    if (i == rows) return;
    fetch(top + i + distance(top + i));
    const Index rest = rows - i;
    Vector sum = Isa::load(y + i, rest);
    each<columns>([&](auto c) {
      sum = Isa::subtract_product(sum, Isa::load(first + c * ld + i, rest), factor[c]);
    });
    Isa::store(y + i, sum, rest);
  }

  /// x -= Lᵀ y for the rows from `top` on.
  void multiply_transposed(Index top, Index rows, const double* y, double* x) const {
    Vector sum[columns];
    each<columns>([&](auto c) { sum[c] = Isa::zero(); });
    const double* const first = l + top;
    const Ahead distance(top + rows, -strip_columns * ld);
    if (top > 0) fetch(distance(0));
    Index i = 0;
    for (; i + Isa::width <= rows; i += Isa::width) {
      fetch(top + i + distance(top + i));
      const Vector factor = Isa::load(y + i);
      each<columns>([&](auto c) {
        sum[c] = Isa::subtract_product(sum[c], Isa::load(first + c * ld + i), factor);
      });
    }
    if (i < rows) {
      fetch(top + i + distance(top + i));
      const Vector factor = Isa::load(y + i, rows - i);
      each<columns>([&](auto c) {
        sum[c] = Isa::subtract_product(sum[c], Isa::load(first + c * ld + i, rows - i), factor);
      });
    }
    each<columns>([&](auto c) { x[c] += total(sum[c]); });
  }

 private:
  void fetch(Count from) const {
    each<columns>([&](auto c) { __builtin_prefetch(l + from + c * ld); });
  }

  static double total(Vector sum) {
    double part[Isa::width];
    Isa::store(part, sum);
    for (Index half = Isa::width / 2; half > 0; half /= 2) {
      for (Index i = 0; i < half; ++i) part[i] += part[i + half];
    }
    return part[0];
  }
};

/// Calls f.template operator()<count>(), where `count` is a number from 1 to strip_columns.
template <class F, Index columns = strip_columns>
[[gnu::always_inline]] inline void with_columns(Index count, const F& f) {
  if constexpr (columns > 1) {
    if (count < columns) return with_columns<F, columns - 1>(count, f);
  }
  f.template operator()<columns>();
}

/// Calls f.template operator()<columns>(first column) for all strips, from the left.
template <class F>
void each_strip(Index columns, const F& f) {
  Index j = 0;
  for (; j + strip_columns <= columns; j += strip_columns) f.template operator()<strip_columns>(j);
  if (j < columns) with_columns(columns - j, [&]<Index rest>() { f.template operator()<rest>(j); });
}

/// Calls f.template operator()<columns>(first column) for all strips, from the right.
template <class F>
void each_strip_backward(Index columns, const F& f) {
  Index j = columns / strip_columns * strip_columns;
  if (j < columns) with_columns(columns - j, [&]<Index rest>() { f.template operator()<rest>(j); });
  while (j > 0) f.template operator()<strip_columns>(j -= strip_columns);
}

/// The signs of the columns apply only to the rows below the triangle.
template <class Isa>
void forward(ConstMatrixView l, double* x, Signs sign) noexcept {
  // Signs apply to the rows from here on.
  const Index end = sign == nullptr ? l.rows : l.columns;
  each_strip(l.columns, [&]<Index columns>(Index j) {
    const Strip<Isa, columns> strip{&l(j, j), l.ld};
    strip.solve(x + j);
    strip.multiply(columns, end - j - columns, x + j, x + j + columns);
    if (end == l.rows) return;
    double flipped[columns];
    each<columns>([&](auto c) { flipped[c] = sign[j + c] * x[j + c]; });
    strip.multiply(end - j, l.rows - end, flipped, x + end);
  });
}

template <class Isa>
void backward(ConstMatrixView l, double* x, Signs sign) noexcept {
  const Index end = sign == nullptr ? l.rows : l.columns;
  each_strip_backward(l.columns, [&]<Index columns>(Index j) {
    const Strip<Isa, columns> strip{&l(j, j), l.ld};
    if (sign != nullptr) {
      strip.multiply_transposed(end - j, l.rows - end, x + end, x + j);
      each<columns>([&](auto c) { x[j + c] *= sign[j + c]; });
    }
    strip.multiply_transposed(columns, end - j - columns, x + j + columns, x + j);
    strip.solve_transposed(x + j);
  });
}

template <class Isa>
void multiply(ConstMatrixView a, const double* x, double* y) noexcept {
  each_strip(a.columns, [&]<Index columns>(Index j) {
    Strip<Isa, columns>{a.column(j), a.ld}.multiply(0, a.rows, x + j, y);
  });
}

template <class Isa>
void multiply_transposed(ConstMatrixView a, const double* y, double* x) noexcept {
  each_strip_backward(a.columns, [&]<Index columns>(Index j) {
    Strip<Isa, columns>{a.column(j), a.ld}.multiply_transposed(0, a.rows, y, x + j);
  });
}

}  // namespace
}  // namespace espalier::internal::simd
