// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "binding.h"
#include "espalier/espalier.hpp"

namespace espalier::internal::bench {
namespace {

/// The objects of an application. Each member is destroyed before the members above it.
struct Content {
  Runtime runtime;
  AnalysisOptions options;
  Matrix matrix;
  std::optional<Analysis> analysis{};
  std::optional<Factor> factor{};
};

std::unique_ptr<Content> content;

}  // namespace
}  // namespace espalier::internal::bench

using namespace espalier;                  // NOLINT: the functions below are the global namespace's
using espalier::internal::bench::Content;  // NOLINT
using espalier::internal::bench::content;  // NOLINT

void bench_open(const char* /*solver*/, int workers, const bench_matrix* given) {
  const auto entries = static_cast<std::size_t>(given->colptr[given->n]);
  CompressedColumns arrays;
  arrays.n = given->n;
  arrays.column_begin =
      std::span<const Count>(given->colptr, static_cast<std::size_t>(given->n) + 1);
  arrays.row = {given->row, entries};
  arrays.value = {given->value, entries};
  RuntimeOptions runtime;
  AnalysisOptions analysis;
  runtime.workers = analysis.workers = workers;
  content.reset(new Content{Runtime::shared(runtime), analysis, Matrix::borrow(arrays)});
}

void bench_analyze() { content->analysis.emplace(content->matrix, content->options); }

void bench_factorize() {
  if (!content->factor) content->factor.emplace(content->runtime, *content->analysis);
  if (!content->factor->factorize(content->matrix).ok()) bench_fail("not positive definite");
}

void bench_solve(const double* b, double* x) {
  const auto n = static_cast<std::size_t>(content->matrix.size());
  content->factor->solve({b, n}, {x, n});
}

void bench_close() { content.reset(); }
