// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "espalier/types.hpp"

namespace espalier::internal::simd {
namespace {

/// AVX2: four doubles in each of 16 registers; tiles of 12 by 4.
struct Avx2 {
  using Vector = __m256d;
  static constexpr Index width = 4;
  static constexpr Index tile_vectors = 3;
  static constexpr Index tile_columns = 4;

  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double x) { return _mm256_set1_pd(x); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  /// Loads the first `count` entries and reads no memory behind them.
  static Vector load(const double* from, Index count) {
    return _mm256_maskload_pd(from, mask(count));
  }
  static void store(double* to, Vector x) { _mm256_storeu_pd(to, x); }
  static void store(double* to, Vector x, Index count) { _mm256_maskstore_pd(to, mask(count), x); }
  /// Stores the entries [begin, end).
  static void store(double* to, Vector x, Index begin, Index end) {
    _mm256_maskstore_pd(to, _mm256_andnot_si256(mask(begin), mask(end)), x);
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  /// Returns the larger ones of |x| and `most`. NaN in x counts as nothing.
  static Vector larger_magnitude(Vector x, Vector most) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x), most);
  }
  /// Returns c - a b.
  static Vector subtract_product(Vector c, Vector a, Vector b) { return _mm256_fnmadd_pd(a, b, c); }

  /// A set of lanes, given by bits, and the source lane of each lane's entry.
  using Lanes = __m256i;
  using Sources = __m256i;
  static Lanes lanes(unsigned bits) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), bit), bit);
  }
  static Sources sources(const std::int64_t* lane) {
    const __m256i twice = _mm256_slli_epi64(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lane)), 1);  // halves of doubles
    return _mm256_or_si256(twice,
                           _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
  }
  static Vector permuted(Vector x, Sources from, Lanes) {
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), from));
  }
  static Vector load_lanes(const double* from, Lanes lanes) {
    return _mm256_maskload_pd(from, lanes);
  }
  static void store_lanes(double* to, Vector x, Lanes lanes) { _mm256_maskstore_pd(to, lanes, x); }
  /// Returns x with its first `begin` entries replaced by zeros.
  static Vector from(Vector x, Index begin) {
    return _mm256_andnot_pd(_mm256_castsi256_pd(mask(begin)), x);
  }

 private:
  static __m256i mask(Index count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

}  // namespace
}  // namespace espalier::internal::simd
