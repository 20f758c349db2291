// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c/espalier.h"
#include "bindings/c/failure.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/options.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

namespace {

VectorArrays vectors_of(const espalier_factor& factor, int64_t nrhs, const double* b, int64_t ldb,
                        double* x, int64_t ldx) {
  const Index n = factor.pattern.size();
  if (nrhs < 1 || nrhs > std::numeric_limits<Index>::max()) {
    throw UsageError("nrhs is " + std::to_string(nrhs) + "; it is a number from 1 to 2^31 - 1");
  }
  if (ldb < n || ldx < n) {
    throw UsageError("ldb is " + std::to_string(ldb) + " and ldx is " + std::to_string(ldx) +
                     ", but vectors have " + std::to_string(n) + " entries");
  }
  if (n > 0) {
    expect_given(b, "b");
    expect_given(x, "x");
  }
  if (b == x && ldb != ldx && nrhs > 1) {
    throw UsageError("b and x are the same array, but ldb is " + std::to_string(ldb) +
                     " and ldx is " + std::to_string(ldx));
  }
  return {n, static_cast<Index>(nrhs), b, ldb, x, ldx};
}

System system_of(int number) {
  switch (number) {
    case ESPALIER_A: return System::a;
    case ESPALIER_L: return System::l;
    case ESPALIER_LT: return System::lt;
    case ESPALIER_P: return System::p;
    case ESPALIER_PT: return System::pt;
    default:
      throw UsageError("system is " + std::to_string(number) +
                       ", which is not one of ESPALIER_A (0), L (4), LT (5), P (7) and PT (8)");
  }
}

double solve(espalier_factor& factor, System system, const VectorArrays& v) {
  if (system != System::p && system != System::pt) expect_finite(v, factor.names.base);
  if (system == System::a) return solve_in_arrays(factor.factor, v, factor.solve);
  const auto entries = [&v](Count ld) {
    return static_cast<std::size_t>((v.count - 1) * ld + v.n);
  };
  factor.factor.solve_part(system, {v.b, entries(v.ldb)}, {v.x, entries(v.ldx)}, v.count, v.ldb,
                           v.ldx);
  return 0;
}

/// Makes a factor with the runtime that `runtime_for` returns for the options.
template <class RuntimeFor>
int create(const espalier_analysis* analysis, const char* const* options, espalier_factor** factor,
           RuntimeFor runtime_for) noexcept {
  return guarded([&] {
    const espalier_analysis& known = expect_given(analysis, "analysis");
    espalier_factor*& result = expect_given(factor, "factor");
    const Options chosen = read_options(options);
    Runtime runtime = runtime_for(chosen.runtime);
    Factor made(runtime, known.analysis, chosen.factor);
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guarded() handles it
    result = new espalier_factor{std::move(runtime),
                                 known.pattern,
                                 std::move(made),
                                 chosen.solve,
                                 known.entries,
                                 known.names,
                                 chosen.factor.factorization};
    return 0;
  });
}

/// Returns a column counted from `base`; -1 stays -1.
Count column_from_base(Index column, int base) { return column < 0 ? -1 : Count{column} + base; }

/// Copies numbers that count from 0 to an array of the application that counts from `base`. Does
/// nothing if the array is null.
template <class Number>
void copy_from_base(const std::vector<Number>& numbers, int base, Number* to) {
  if (to == nullptr) return;
  std::ranges::transform(numbers, to, [base](Number number) { return number + base; });
}

}  // namespace

}  // namespace espalier::internal

using namespace espalier;            // NOLINT: the functions below are in the global namespace
using namespace espalier::internal;  // NOLINT

int espalier_factor_create(const espalier_analysis* analysis, const char* const* options,
                           espalier_factor** factor) {
  return create(analysis, options, factor, &Runtime::shared);
}

int espalier_factor_create_inside_application(const espalier_analysis* analysis,
                                              const char* const* options,
                                              espalier_factor** factor) {
  return create(analysis, options, factor,
                [](const RuntimeOptions&) { return Runtime::inside_application(); });
}

int espalier_set_signs(espalier_factor* factor, const signed char* signs) {
  return guarded([&] {
    espalier_factor& f = expect_given(factor, "factor");
    const auto n = static_cast<std::size_t>(f.pattern.size());
    f.factor.set_signs(expect_array(signs, n, "signs"));
    f.has_signs = true;
    return 0;
  });
}

int espalier_factorize(espalier_factor* factor, const double* values, int64_t* bad_column) {
  return guarded([&] {
    espalier_factor& f = expect_given(factor, "factor");
    const std::span<const double> given = expect_array(values, f.entries, "values");
    if (bad_column != nullptr) *bad_column = -1;
    const Matrix matrix = f.pattern.with_values(given);
    const FactorStatus status =
        with_names(matrix, f.names, [&] { return f.factor.factorize(matrix); });
    if (bad_column != nullptr) *bad_column = column_from_base(status.bad_column, f.names.base);
    if (status.ok()) return 0;
    const bool chooses = f.factorization != Factorization::llt && !f.has_signs;
    const std::string message =
        chooses ? singular_pivot(status.bad_column, f.names.base)
                : failed_pivot(status.bad_column, f.factorization, f.names.base);
    return note_failure(ErrorCode::not_positive_definite, message.c_str());
  });
}

int espalier_solve(espalier_factor* factor, int system, int64_t nrhs, const double* b, int64_t ldb,
                   double* x, int64_t ldx, double* backward_error) {
  return guarded([&] {
    espalier_factor& f = expect_given(factor, "factor");
    const double error = solve(f, system_of(system), vectors_of(f, nrhs, b, ldb, x, ldx));
    if (backward_error != nullptr) *backward_error = error;
    expect_accurate(error);
    return 0;
  });
}

int espalier_inertia(espalier_factor* factor, int64_t* positive, int64_t* negative, int64_t* zero,
                     int* certain) {
  return guarded([&] {
    int& exact = expect_given(certain, "certain");
    const Inertia inertia = expect_given(factor, "factor").factor.inertia();
    exact = inertia.status == Inertia::Status::exact ? 1 : 0;
    if (positive != nullptr) *positive = inertia.positive;
    if (negative != nullptr) *negative = inertia.negative;
    if (zero != nullptr) *zero = inertia.zero;
    return 0;
  });
}

int espalier_growth(espalier_factor* factor, double* growth) {
  return guarded([&] {
    const Factor& f = expect_given(factor, "factor").factor;
    expect_given(growth, "growth") = f.growth();
    return 0;
  });
}

int espalier_replaced_pivots(espalier_factor* factor, int64_t* count, int32_t* column) {
  return guarded([&] {
    const espalier_factor& f = expect_given(factor, "factor");
    int64_t& number = expect_given(count, "count");
    const std::vector<Index> replaced = f.factor.replaced_pivots();
    number = static_cast<int64_t>(replaced.size());
    copy_from_base(replaced, f.names.base, column);
    return 0;
  });
}

int espalier_singular_column(espalier_factor* factor, int64_t* column) {
  return guarded([&] {
    const espalier_factor& f = expect_given(factor, "factor");
    int64_t& named = expect_given(column, "column");
    named = column_from_base(f.factor.singular_column(), f.names.base);
    return 0;
  });
}

int espalier_logdet(espalier_factor* factor, double* logarithm) {
  return guarded([&] {
    const Factor& f = expect_given(factor, "factor").factor;
    expect_given(logarithm, "logarithm") = f.log_determinant();
    return 0;
  });
}

int espalier_determinant(espalier_factor* factor, double* mantissa, int64_t* exponent) {
  return guarded([&] {
    const Determinant determinant = expect_given(factor, "factor").factor.determinant();
    expect_given(exponent, "exponent");
    expect_given(mantissa, "mantissa") = determinant.mantissa;
    *exponent = determinant.exponent;
    return 0;
  });
}

int espalier_diagonal(espalier_factor* factor, double* diagonal) {
  return guarded([&] {
    const std::vector<double> known = expect_given(factor, "factor").factor.diagonal();
    std::ranges::copy(known, expect_array(diagonal, known.size(), "diagonal").begin());
    return 0;
  });
}

int espalier_lower(espalier_factor* factor, int keep_zeros, int64_t* entries, int64_t* colptr,
                   int32_t* row, double* values) {
  return guarded([&] {
    const espalier_factor& f = expect_given(factor, "factor");
    int64_t& count = expect_given(entries, "entries");
    const LowerFactor l =
        f.factor.lower(keep_zeros != 0 ? ExplicitZeros::kept : ExplicitZeros::dropped);
    count = l.column_begin.back();
    copy_from_base(l.column_begin, f.names.base, colptr);
    copy_from_base(l.row, f.names.base, row);
    if (values != nullptr) std::ranges::copy(l.value, values);
    return 0;
  });
}

void espalier_factor_free(espalier_factor** factor) {
  if (factor == nullptr) return;
  delete *factor;
  *factor = nullptr;
}
