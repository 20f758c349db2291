// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "espalier/espalier.hpp"

/// \file
/// This header has what interfaces for other languages and libraries share, so that they look alike
/// to their users: options by name, vectors in the arrays of an application, and which solutions
/// are good enough.

namespace espalier {

/// A NamedOption is what can be said of an option without knowing its type.
struct NamedOption {
  /// The name is that of the program's long option, without "--".
  std::string_view name;
  /// The values that it takes are these, in words: "a whole number from 0 to 64", or all of them.
  std::string_view values;
  /// The help says what the option is for. If its value is a number, the help ends with the limits.
  /// It writes other options as NAME=VALUE.
  std::string_view help;
  /// It is a flag: its values are 0 and 1.
  bool flag = false;
  /// It may be given several times, and each time counts.
  bool repeated = false;
  /// The default as Options::set() reads it; it is empty if there is none.
  std::string_view fallback{};
};

/// The Options are those of all phases, of which each takes its own.
struct ESPALIER_EXPORT Options {
  /// The analysis takes these.
  AnalysisOptions analysis{};
  /// A factor takes these.
  FactorOptions factor{};
  /// StarPU is started with these.
  RuntimeOptions runtime{};
  /// A solve takes these.
  SolveOptions solve{};

  /// Sets one option from text. The number of workers is also that which is planned for, and
  /// "deterministic" fixes what FactorOptions::deterministic asks for, in whichever order both
  /// come. A number of bytes may be "500M" or "2.5G". Throws UsageError for a name that
  /// named_options() does not have, with all that it has, and for a value that cannot be read or is
  /// outside of the limits; policies check the values of their options when StarPU starts.
  void set(std::string_view name, std::string_view value);
  /// Does the same for text like "ordering=metis".
  void set(std::string_view assignment);
};

/// Returns all names that Options::set() knows.
ESPALIER_EXPORT std::span<const NamedOption> named_options();

/// These are right-hand sides and solutions in the arrays of an application.
struct VectorArrays {
  /// Each vector has so many entries.
  Index n = 0;
  /// There are so many right-hand sides.
  Index count = 1;
  /// They are here.
  const double* b = nullptr;
  /// Each begins so many entries after the one before.
  Count ldb = 0;
  /// The solutions go here; it may be b where the distances are the same.
  double* x = nullptr;
  /// Each begins so many entries after the one before.
  Count ldx = 0;
};

/// Solves as Factor::solve() does from one array to another, and returns the backward error.
/// Vectors that do not follow each other without a gap are copied, block by block.
ESPALIER_EXPORT double solve_in_arrays(Factor& factor, const VectorArrays& arrays,
                                       const SolveOptions& options = {});

/// Throws InputError if a right-hand side has a value that is NaN or infinite; the message counts
/// rows and columns from `base`.
ESPALIER_EXPORT void expect_finite(const VectorArrays& arrays, Index base = 0);

/// Throws InaccurateSolution unless the backward error of a solution is 1e-10 or less, which the
/// program accepts, too.
ESPALIER_EXPORT void expect_accurate(double backward_error);

}  // namespace espalier
