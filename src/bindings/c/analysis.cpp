// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bindings/c/espalier.h"
#include "bindings/c/failure.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/options.hpp"
#include "espalier/bindings.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

Triangle triangle_of(char uplo) {
  switch (uplo) {
    case 'L': return Triangle::lower;
    case 'U': return Triangle::upper;
    case 'F': return Triangle::full;
    default: throw UsageError("uplo is neither 'L' nor 'U' nor 'F'");
  }
}

/// Returns the arrays of an application. Their lengths are computed from the offsets.
template <class Offset>
CompressedColumns arrays_of(int64_t n, const Offset* colptr, const int32_t* row, int base,
                            char uplo) {
  if (n < 0 || n >= std::numeric_limits<Index>::max()) {
    throw UsageError("n is " + std::to_string(n) + "; it is a number from 0 to 2^31 - 2");
  }
  const Offset& first = expect_given(colptr, "colptr");
  const Count entries = Count{colptr[n]} - first;
  if (entries < 0) {
    throw InputError("the column offsets begin with " + std::to_string(first) + " and end with " +
                     std::to_string(colptr[n]));
  }
  if (entries > 0) expect_given(row, "row");
  CompressedColumns arrays;
  arrays.n = static_cast<Index>(n);
  arrays.column_begin = std::span<const Offset>(colptr, static_cast<std::size_t>(n) + 1);
  arrays.row = {row, static_cast<std::size_t>(entries)};
  arrays.triangle = triangle_of(uplo);
  arrays.base = base;
  return arrays;
}

EntryNames names_of(const CompressedColumns& arrays) {
  return {.base = arrays.base, .upper = arrays.triangle == Triangle::upper};
}

/// Makes an analysis from the result of arrays_of(). It is analysis_of(pattern, options).
template <class AnalysisOf>
void analyze(const CompressedColumns& arrays, const char* const* options,
             espalier_analysis** analysis, AnalysisOf analysis_of) {
  espalier_analysis*& result = expect_given(analysis, "analysis");
  const Matrix pattern = Matrix::copy(arrays);
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guarded() handles it
  result = new espalier_analysis{pattern, analysis_of(pattern, read_options(options)),
                                 arrays.row.size(), names_of(arrays)};
}

template <class Offset>
int analyze_pattern(int64_t n, const Offset* colptr, const int32_t* row, int base, char uplo,
                    const char* const* options, espalier_analysis** analysis) noexcept {
  return guarded([&] {
    analyze(arrays_of(n, colptr, row, base, uplo), options, analysis,
            [](const Matrix& pattern, const Options& chosen) {
              return Analysis(pattern, chosen.analysis);
            });
    return 0;
  });
}

template <class Offset>
int analyze_values(int64_t n, const Offset* colptr, const int32_t* row, const double* values,
                   int base, char uplo, const char* const* options,
                   espalier_analysis** analysis) noexcept {
  return guarded([&] {
    const CompressedColumns arrays = arrays_of(n, colptr, row, base, uplo);
    const std::span<const double> given = expect_array(values, arrays.row.size(), "values");
    analyze(arrays, options, analysis, [&](const Matrix& pattern, Options chosen) {
      match_for_pivots(chosen);
      const Matrix matrix = pattern.with_values(given);
      return with_names(matrix, names_of(arrays),
                        [&] { return Analysis(matrix, chosen.analysis); });
    });
    return 0;
  });
}

/// Returns the previous columns counted from 0.
std::vector<Index> previous_columns(const int32_t* column, int64_t n, Index base) {
  std::vector<Index> result;
  if (column == nullptr) return result;
  result.reserve(static_cast<std::size_t>(n));
  for (int64_t j = 0; j < n; ++j) result.push_back(std::max<Index>(column[j], -1) - base);
  return result;
}

void copy_tree(const SeparatorTree& tree, Index base, int32_t* order, int32_t* parent,
               int32_t* first, int32_t* end) {
  if (order != nullptr) {
    for (const Index column : tree.column) *order++ = column + base;
  }
  for (const TreePart& part : tree.part) {
    if (parent != nullptr) *parent++ = part.parent;
    if (first != nullptr) *first++ = part.first;
    if (end != nullptr) *end++ = part.end;
  }
}

}  // namespace

}  // namespace espalier::internal

using namespace espalier;            // NOLINT: the functions below are in the global namespace
using namespace espalier::internal;  // NOLINT

int espalier_analyze(int64_t n, const int64_t* colptr, const int32_t* row, int base, char uplo,
                     const char* const* options, espalier_analysis** analysis) {
  return analyze_pattern(n, colptr, row, base, uplo, options, analysis);
}

int espalier_analyze_i32(int64_t n, const int32_t* colptr, const int32_t* row, int base, char uplo,
                         const char* const* options, espalier_analysis** analysis) {
  return analyze_pattern(n, colptr, row, base, uplo, options, analysis);
}

int espalier_analyze_values(int64_t n, const int64_t* colptr, const int32_t* row,
                            const double* values, int base, char uplo, const char* const* options,
                            espalier_analysis** analysis) {
  return analyze_values(n, colptr, row, values, base, uplo, options, analysis);
}

int espalier_analyze_values_i32(int64_t n, const int32_t* colptr, const int32_t* row,
                                const double* values, int base, char uplo,
                                const char* const* options, espalier_analysis** analysis) {
  return analyze_values(n, colptr, row, values, base, uplo, options, analysis);
}

int espalier_analyze_again(int64_t n, const int64_t* colptr, const int32_t* row, int base,
                           char uplo, const char* const* options, const espalier_analysis* previous,
                           const int32_t* previous_column, espalier_analysis** analysis) {
  return guarded([&] {
    const espalier_analysis& known = expect_given(previous, "previous");
    analyze(arrays_of(n, colptr, row, base, uplo), options, analysis,
            [&](const Matrix& pattern, const Options& chosen) {
              return Analysis(pattern, chosen.analysis, known.analysis,
                              previous_columns(previous_column, n, known.names.base));
            });
    return 0;
  });
}

int espalier_analysis_size(const espalier_analysis* analysis, int64_t* factor_entries,
                           double* flops) {
  return guarded([&] {
    const Analysis& known = expect_given(analysis, "analysis").analysis;
    if (factor_entries != nullptr) *factor_entries = known.factor_entries();
    if (flops != nullptr) *flops = known.flops();
    return 0;
  });
}

int espalier_permutation(const espalier_analysis* analysis, int32_t* permutation) {
  return guarded([&] {
    const espalier_analysis& known = expect_given(analysis, "analysis");
    const std::span<const Index> columns = known.analysis.permutation();
    expect_array(permutation, columns.size(), "permutation");
    for (const Index column : columns) *permutation++ = column + known.names.base;
    return 0;
  });
}

int espalier_separator_tree(const espalier_analysis* analysis, int32_t* order, int32_t* parts,
                            int32_t* parent, int32_t* first, int32_t* end) {
  return guarded([&] {
    const espalier_analysis& known = expect_given(analysis, "analysis");
    const SeparatorTree& tree = known.analysis.separator_tree();
    if (parts != nullptr) *parts = static_cast<int32_t>(tree.part.size());
    copy_tree(tree, known.names.base, order, parent, first, end);
    return 0;
  });
}

int espalier_save_ordering(const espalier_analysis* analysis, const char* file) {
  return guarded([&] {
    expect_given(analysis, "analysis").analysis.save_ordering(&expect_given(file, "file"));
    return 0;
  });
}

void espalier_analysis_free(espalier_analysis** analysis) {
  if (analysis == nullptr) return;
  delete *analysis;
  *analysis = nullptr;
}

const char* espalier_last_error(void) { return last_failure(); }

int espalier_note_failure(int code, const char* sentence) {
  return guarded([&] {
    return note_failure(static_cast<ErrorCode>(code), &expect_given(sentence, "sentence"));
  });
}

const char* espalier_version(void) { return version(); }
