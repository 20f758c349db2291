// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "codelets/cpu/combined.hpp"
#include "codelets/cpu/simd/instruction_sets.hpp"
#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::support {

/// A set of kernels under test. Kernels for a missing instruction set cannot run.
struct Flavour {
  std::string name;
  const Kernels& kernels;
  bool runs_here = true;

  friend void PrintTo(const Flavour& flavour, std::ostream* out) { *out << flavour.name; }
};

/// Kernels of an instruction set in the common table, completed by those of the reference.
template <const simd::SmallKernels& small>
const Kernels& completed() {
  static const Kernels kernels{small.potrf,
                               small.signed_potrf,
                               small.pivoted_potrf,
                               small.trsm,
                               small.update,
                               reference::kernels.forward,
                               reference::kernels.backward,
                               reference::kernels.multiply,
                               reference::kernels.multiply_transposed};
  return kernels;
}

/// Kernels with the narrowest panels, so that samples have several.
inline const Kernels& combined(DenseKernels::Source from) {
  return cpu::kernels_for({from, cpu::panel_widths().front(), cpu::panel_widths().front()});
}

/// Flavours that do not call the BLAS.
inline std::vector<Flavour> flavours_without_blas() {
  std::vector<Flavour> flavours{{"reference", reference::kernels},
                                {"portable", completed<simd::portable_kernels>()}};
#ifdef __x86_64__
  flavours.push_back({"avx2", completed<simd::avx2_kernels>(), simd::has_avx2()});
  flavours.push_back({"avx512", completed<simd::avx512_kernels>(), simd::has_avx512()});
#endif
  return flavours;
}

inline std::vector<Flavour> all_flavours() {
  std::vector<Flavour> flavours = flavours_without_blas();
  flavours.push_back({"cpu", cpu::kernels});
  flavours.push_back({"switched", cpu::kernels_for({}, {64, 64})});
  flavours.push_back({"own", combined(DenseKernels::Source::own)});
  flavours.push_back({"blas", combined(DenseKernels::Source::blas)});
  flavours.push_back({"mixed", combined(DenseKernels::Source::mixed)});
  return flavours;
}

/// Returns random signs of columns.
inline std::vector<double> random_signs(Index count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> signs(static_cast<std::size_t>(count));
  for (double& sign : signs) sign = generator() % 2 == 0 ? 1 : -1;
  return signs;
}

/// A test that runs once for each flavour.
class KernelTest : public testing::TestWithParam<Flavour> {
 protected:
  void SetUp() override {
    if (!GetParam().runs_here) GTEST_SKIP() << "this processor has no " << GetParam().name;
  }
  const Kernels& kernels() const { return GetParam().kernels; }
};

inline std::string name_of_flavour(const testing::TestParamInfo<Flavour>& info) {
  return info.param.name;
}

}  // namespace espalier::internal::support
