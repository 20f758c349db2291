// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

#include "espalier/types.hpp"

namespace espalier::simd {
namespace {

/// Four doubles in each of 16 registers: tiles of 12 by 4.
struct Avx2 {
  using Vector = __m256d;
  static constexpr Index width = 4;
  static constexpr Index tile_vectors = 3;
  static constexpr Index tile_columns = 4;

  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double x) { return _mm256_set1_pd(x); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  /// The first `count` entries; nothing behind them is touched.
  static Vector load(const double* from, Index count) {
    return _mm256_maskload_pd(from, mask(count));
  }
  static void store(double* to, Vector x) { _mm256_storeu_pd(to, x); }
  static void store(double* to, Vector x, Index count) { _mm256_maskstore_pd(to, mask(count), x); }
  /// Entries [begin, end).
  static void store(double* to, Vector x, Index begin, Index end) {
    _mm256_maskstore_pd(to, _mm256_andnot_si256(mask(begin), mask(end)), x);
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  /// c - a b
  static Vector subtract_product(Vector c, Vector a, Vector b) { return _mm256_fnmadd_pd(a, b, c); }

 private:
  static __m256i mask(Index count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

}  // namespace
}  // namespace espalier::simd
