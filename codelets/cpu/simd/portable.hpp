// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "espalier/types.hpp"

namespace espalier::internal::simd {
namespace {

/// Vectors of two doubles as an extension of the compiler, for every processor with 128-bit
/// registers; tiles of 4 by 4.
struct Portable {
  using Vector = double __attribute__((vector_size(16)));
  static constexpr Index width = 2;
  static constexpr Index tile_vectors = 2;
  static constexpr Index tile_columns = 4;

  static Vector zero() { return Vector{0, 0}; }
  static Vector broadcast(double x) { return Vector{x, x}; }
  static Vector load(const double* from) {
    Vector x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  /// Loads the first `count` entries and reads no memory behind them.
  static Vector load(const double* from, Index count) {
    return count == width ? load(from) : Vector{from[0], 0};
  }
  static void store(double* to, Vector x) { std::memcpy(to, &x, sizeof x); }
  static void store(double* to, Vector x, Index count) {
    if (count == width) {
      store(to, x);
    } else {
      to[0] = x[0];
    }
  }
  /// Stores the entries [begin, end).
  static void store(double* to, Vector x, Index begin, Index end) {
    double value[width];
    store(value, x);
    for (Index i = begin; i < end; ++i) to[i] = value[i];
  }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply(Vector a, Vector b) { return a * b; }
  /// Returns the larger ones of |x| and `most`. NaN in x counts as nothing.
  static Vector larger_magnitude(Vector x, Vector most) {
    for (Index i = 0; i < width; ++i) most[i] = std::abs(x[i]) > most[i] ? std::abs(x[i]) : most[i];
    return most;
  }
  /// Returns c - a b.
  static Vector subtract_product(Vector c, Vector a, Vector b) { return c - a * b; }

  /// A set of lanes, given by bits, and the source lane of each lane's entry.
  using Lanes = unsigned;
  struct Sources {
    std::int64_t lane[width];
  };
  static Lanes lanes(unsigned bits) { return bits; }
  static Sources sources(const std::int64_t* lane) { return {{lane[0], lane[1]}}; }
  static Vector permuted(Vector x, Sources from, Lanes) {
    return Vector{x[from.lane[0]], x[from.lane[1]]};
  }
  static Vector load_lanes(const double* from, Lanes lanes) {
    return Vector{lanes & 1 ? from[0] : 0, lanes & 2 ? from[1] : 0};
  }
  static void store_lanes(double* to, Vector x, Lanes lanes) {
    for (Index i = 0; i < width; ++i) {
      if (lanes >> i & 1) to[i] = x[i];
    }
  }
  /// Returns x with its first `begin` entries replaced by zeros.
  static Vector from(Vector x, Index begin) {
    for (Index i = 0; i < begin; ++i) x[i] = 0;
    return x;
  }
};

}  // namespace
}  // namespace espalier::internal::simd
