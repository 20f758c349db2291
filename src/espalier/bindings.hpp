// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/espalier.hpp"

/// \file
/// Common parts of the interfaces for other languages and libraries: options by name, vectors in
/// the arrays of an application, the accepted backward error, and the message of a failed
/// factorization. All interfaces use them, so that they behave alike.

namespace espalier {

/// Description of an option, without its type.
struct NamedOption {
  /// Name: the program's long option without "--".
  std::string_view name;
  /// Accepted values in words, such as "a whole number from 0 to 64", or a list of all values.
  std::string_view values;
  /// Purpose of the option. If the value is a number, the text ends with its limits. The text
  /// refers to other options as NAME=VALUE.
  std::string_view help;
  /// Whether the option is a flag, whose values are 0 and 1.
  bool flag = false;
  /// Whether the option may be given several times, and all values count.
  bool repeated = false;
  /// Default value, as Options::set() reads it; empty if there is none.
  std::string_view fallback{};
};

/// The options of all phases.
struct ESPALIER_EXPORT Options {
  /// Options of the analysis.
  AnalysisOptions analysis{};
  /// Options of the factor.
  FactorOptions factor{};
  /// Options of StarPU.
  RuntimeOptions runtime{};
  /// Options of a solve.
  SolveOptions solve{};
  /// The options that set() has set, as "name=value". An option of a policy is
  /// "sched-option=key=value".
  std::vector<std::string> given{};

  /// Sets one option from text. The option "workers" also sets the number of workers for which the
  /// factorization is planned. The option "deterministic" also fixes that number and turns off
  /// tuning, as FactorOptions::deterministic requires. The order of both options does not matter. A
  /// number of bytes may be written as "500M" or "2.5G".
  ///
  /// The option "as" sets all options of a paper's configuration. An option that set() also sets,
  /// before or after "as", has precedence. If "sched" is set to another policy, the options of the
  /// paper's policy are left out.
  ///
  /// Throws UsageError if named_options() does not have the name; the message lists all names. Also
  /// throws UsageError if the value cannot be read or is outside its limits. Values of options of
  /// policies are checked only when StarPU starts.
  void set(std::string_view name, std::string_view value);
  /// Sets one option from a text like "ordering=metis", with the errors of the first overload.
  void set(std::string_view assignment);
};

/// Returns all options that Options::set() knows.
ESPALIER_EXPORT std::span<const NamedOption> named_options();

/// Right-hand sides and solutions in the arrays of an application.
struct VectorArrays {
  /// Number of entries of each vector.
  Index n = 0;
  /// Number of right-hand sides.
  Index count = 1;
  /// Right-hand sides.
  const double* b = nullptr;
  /// Distance between the first entries of consecutive right-hand sides.
  Count ldb = 0;
  /// Solutions. It may be `b` if `ldb` and `ldx` are equal.
  double* x = nullptr;
  /// Distance between the first entries of consecutive solutions.
  Count ldx = 0;
};

/// Solves as Factor::solve() does, and returns the backward error. If there are gaps between the
/// vectors, they are copied, block by block.
ESPALIER_EXPORT double solve_in_arrays(Factor& factor, const VectorArrays& arrays,
                                       const SolveOptions& options = {});

/// Throws InputError if an entry of a right-hand side is NaN or infinite. The message counts rows
/// and columns from `base`.
ESPALIER_EXPORT void expect_finite(const VectorArrays& arrays, Index base = 0);

/// Throws InaccurateSolution if the backward error of a solution is NaN or above 1e-10, the bound
/// that the program accepts.
ESPALIER_EXPORT void expect_accurate(double backward_error);

/// Returns a sentence that explains why a factorization of this kind failed at a column of A. The
/// column counts from 0; the sentence counts it from `base`.
ESPALIER_EXPORT std::string failed_pivot(Index column, Factorization factorization, Index base = 0);

/// Turns on AnalysisOptions::matching for a factorization that chooses its pivots, unless
/// Options::set() has set the option "matching" or the ordering is "ptscotch". The analysis then
/// needs the values of the matrix.
ESPALIER_EXPORT void match_for_pivots(Options& options);

/// Returns a sentence that explains why a factorization that chooses its pivots has no factor: the
/// column is the result of Factor::singular_column(), or FactorStatus::bad_column. The sentence
/// counts it from `base`.
ESPALIER_EXPORT std::string singular_pivot(Index column, Index base = 0);

}  // namespace espalier
