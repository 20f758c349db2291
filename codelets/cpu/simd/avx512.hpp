// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "espalier/types.hpp"

namespace espalier::internal::simd {
namespace {

/// AVX-512: eight doubles in each of 32 registers; tiles of 24 by 8.
struct Avx512 {
  using Vector = __m512d;
  static constexpr Index width = 8;
  static constexpr Index tile_vectors = 3;
  static constexpr Index tile_columns = 8;

  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector broadcast(double x) { return _mm512_set1_pd(x); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  /// Loads the first `count` entries and reads no memory behind them.
  static Vector load(const double* from, Index count) {
    return _mm512_maskz_loadu_pd(mask(count), from);
  }
  static void store(double* to, Vector x) { _mm512_storeu_pd(to, x); }
  static void store(double* to, Vector x, Index count) {
    _mm512_mask_storeu_pd(to, mask(count), x);
  }
  /// Stores the entries [begin, end).
  static void store(double* to, Vector x, Index begin, Index end) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask(end) & ~mask(begin)), x);
  }
  static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
  /// Returns the larger ones of |x| and `most`. NaN in x counts as nothing.
  static Vector larger_magnitude(Vector x, Vector most) {
    constexpr __mmask8 all = 0xFF;  // g++ 12 warns of the function without a mask
    return _mm512_maskz_max_pd(all, _mm512_abs_pd(x), most);
  }
  /// Returns c - a b.
  static Vector subtract_product(Vector c, Vector a, Vector b) { return _mm512_fnmadd_pd(a, b, c); }

  /// A set of lanes, given by bits, and the source lane of each lane's entry.
  using Lanes = __mmask8;
  using Sources = __m512i;
  static Lanes lanes(unsigned bits) { return static_cast<Lanes>(bits); }
  static Sources sources(const std::int64_t* lane) { return _mm512_loadu_si512(lane); }
  static Vector permuted(Vector x, Sources from, Lanes lanes) {
    return _mm512_maskz_permutexvar_pd(lanes, from, x);
  }
  static Vector load_lanes(const double* from, Lanes lanes) {
    return _mm512_maskz_loadu_pd(lanes, from);
  }
  static void store_lanes(double* to, Vector x, Lanes lanes) {
    _mm512_mask_storeu_pd(to, lanes, x);
  }
  /// Returns x with its first `begin` entries replaced by zeros.
  static Vector from(Vector x, Index begin) {
    return _mm512_maskz_mov_pd(static_cast<__mmask8>(~mask(begin)), x);
  }

 private:
  static __mmask8 mask(Index count) { return static_cast<__mmask8>((1U << count) - 1); }
};

}  // namespace
}  // namespace espalier::internal::simd
