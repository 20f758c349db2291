// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The two programs named PARDISO. Their functions have different arguments, and some of their
/// parameters have different meanings.
enum class Dialect {
  panua,  ///< Panua's PARDISO, formerly of the PARDISO project.
  mkl,    ///< PARDISO in Intel's MKL.
};

/// Numbers of the parameters in iparm that Espalier uses, counted from 1 as in the manuals.
namespace iparm {
constexpr int given = 1;               ///< in: 0 means defaults for all others
constexpr int ordering = 2;            ///< in: 0 means minimum degree
constexpr int panua_processors = 3;    ///< out of pardisoinit: number of workers
constexpr int permutation = 5;         ///< in: 1 means `perm` is used, 2 means it is returned
constexpr int in_place = 6;            ///< in: 1 means that solutions replace right-hand sides
constexpr int refinement_done = 7;     ///< out: number of refinement steps
constexpr int refinement = 8;          ///< in: maximum number of refinement steps
constexpr int perturbation = 10;       ///< in: without effect
constexpr int matching = 13;           ///< in: whether the analysis matches rows and columns
constexpr int perturbed_pivots = 14;   ///< out
constexpr int analysis_peak = 15;      ///< out: peak memory of the process, in KiB
constexpr int analysis_memory = 16;    ///< out: memory of the analysis, in KiB
constexpr int factor_memory = 17;      ///< out: memory of the factor, in KiB
constexpr int factor_entries = 18;     ///< out
constexpr int operations = 19;         ///< out: in units of 1e6 (MKL) or 1e9 (Panua)
constexpr int pivoting = 21;           ///< in: without effect
constexpr int positive = 22;           ///< out: number of positive eigenvalues
constexpr int negative = 23;           ///< out: number of negative eigenvalues
constexpr int mkl_single = 28;         ///< in: 1 means single precision
constexpr int mkl_bad_column = 30;     ///< out: column of the failed pivot, counted from 1
constexpr int panua_iterative = 32;    ///< in: 1 means the iterative solver
constexpr int panua_determinant = 33;  ///< in: 1 means that dparm(33) gets log|det A|
constexpr int deterministic = 34;      ///< in: positive means the same bits in every run
constexpr int mkl_from_zero = 35;      ///< in: 1 means that rows and columns count from 0
constexpr int mkl_schur = 36;          ///< in: kind of a Schur complement
constexpr int mkl_storage = 37;        ///< in: other formats than compressed rows
constexpr int panua_schur = 38;        ///< in: size of a Schur complement
constexpr int mkl_inverse = 43;        ///< in: 1 means the diagonal of the inverse
}  // namespace iparm

/// The 64 integer parameters.
class Parameters {
 public:
  /// Returns a parameter by its number, counted from 1.
  Count operator()(int number) const { return value_[static_cast<std::size_t>(number) - 1]; }
  void set(int number, Count value) { value_[static_cast<std::size_t>(number) - 1] = value; }

  template <class Int>
  void read(const Int* from) {
    std::copy_n(from, value_.size(), value_.begin());
  }
  /// Stores all parameters. A number that is too large becomes the largest integer.
  template <class Int>
  void write(Int* to) const {
    std::ranges::transform(value_, to, [](Count value) {
      constexpr Count most = std::numeric_limits<Int>::max();
      return static_cast<Int>(std::min(value, most));
    });
  }

 private:
  std::array<Count, 64> value_{};
};

/// Returns the defaults for a matrix type.
Parameters default_parameters(Dialect dialect, Count mtype);

/// Throws UsageError if the parameters ask for a feature that Espalier does not have and that
/// changes the meaning of the results.
void expect_supported(const Parameters& parameters, Dialect dialect);

}  // namespace espalier::internal
