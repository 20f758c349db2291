// SPDX-License-Identifier: BSD-3-Clause

#include "solver/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/symmetry.hpp"
#include "matrix/load.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/shifted_matrix.hpp"
#include "matrix/sparse_matrix.hpp"
#include "matrix/symmetric_builder.hpp"
#include "report/factor_report.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

void expect_same(bool same) {
  if (same) return;
  throw UsageError("the matrix has another pattern than the analyzed matrix; analyze it again");
}

void expect_with_values(const Matrix& given) {
  if (given.values().size() != static_cast<std::size_t>(given.entries())) {
    throw UsageError(
        "the matrix has a pattern but no values; load it with its values to factor it");
  }
}

template <typename T>
std::size_t hash_of(std::span<const T> numbers) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

std::size_t hash_of(const PatternView& pattern) {
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;
  return odd * hash_of(pattern.column_begin) + hash_of(pattern.row);
}

}  // namespace

void expect_analyzed(const SharedPattern& known, const Matrix& given) {
  const SharedPattern& pattern = *Internals::data(given).pattern;
  expect_same(&known == &pattern ||
              (known.n == pattern.n && std::ranges::equal(known.row, pattern.row) &&
               std::ranges::equal(known.column_begin, pattern.column_begin)));
  expect_with_values(given);
}

PatternMark::PatternMark(const std::shared_ptr<const SharedPattern>& pattern)
    : pattern_(pattern), n_(pattern->n), hash_(hash_of(*pattern)) {}

void PatternMark::expect(const SharedPattern& given) const {
  expect_same(pattern_.lock().get() == &given || (n_ == given.n && hash_ == hash_of(given)));
}

void PatternMark::expect_analyzed(const Matrix& given) const {
  expect(*Internals::data(given).pattern);
  expect_with_values(given);
}

void expect_vectors(Index n, Index count, std::size_t b, std::size_t x) {
  const auto needed = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  if (count >= 1 && b == needed && x == needed) return;
  throw UsageError("right-hand sides and solutions need " + std::to_string(n) + " times " +
                   std::to_string(count) + " entries, but have " + std::to_string(b) + " and " +
                   std::to_string(x));
}

Index first_bad_diagonal(const PatternView& pattern, std::span<const double> value) {
  Index j = 0;
  while (j < pattern.n && value[pattern.column_begin[j]] > 0) ++j;
  return j;
}

namespace {

std::shared_ptr<const MatrixData> from_input(MatrixInput input) {
  auto data = std::make_shared<MatrixData>();
  data->name = std::move(input.name);
  data->pattern = std::make_shared<const SharedPattern>(std::move(input.matrix.pattern));
  data->own(std::move(input.matrix.value));
  data->duplicates_summed = input.notes.duplicates_summed;
  data->mirrors_averaged = input.notes.mirrors_averaged;
  data->diagonal_added = input.notes.diagonal_added;
  note_peak(data->memory, "read");
  return data;
}

void expect_values(const Matrix& matrix) {
  if (matrix.values().size() == static_cast<std::size_t>(matrix.entries())) return;
  throw UsageError("the matrix has a pattern but no values; load it with its values");
}

/// Returns the data of a matrix without values. Other matrices may share the pattern.
std::shared_ptr<MatrixData> without_values(std::string name,
                                           std::shared_ptr<const SharedPattern> pattern) {
  auto data = std::make_shared<MatrixData>();
  data->name = std::move(name);
  data->pattern = std::move(pattern);
  return data;
}

/// Gives the data the values of an application. Borrows the values if `how` allows this and the
/// values have the order of the pattern. Otherwise copies them.
void give_values(MatrixData& data, std::span<const double> given, Arrays how) {
  if (how == Arrays::borrowed && data.pattern->is_in_order()) {
    data.value = given;
    expect_a_value_an_entry({*data.pattern, data.value});
  } else {
    data.own(data.pattern->in_order(given));
  }
}

/// Returns the data of a matrix A - sigma B with this pattern, before the subtraction: with the
/// values of A.
std::shared_ptr<MatrixData> to_shift(double sigma, const MatrixData& a,
                                     std::shared_ptr<const SharedPattern> pattern) {
  if (!std::isfinite(sigma)) throw UsageError(fmt::format("the shift {} is not finite", sigma));
  auto data = without_values(a.name, std::move(pattern));
  data->duplicates_summed = a.duplicates_summed;
  data->mirrors_averaged = a.mirrors_averaged;
  data->diagonal_added = a.diagonal_added;
  data->memory = a.memory;
  data->own(data->pattern->buffer_for(data->pattern->entries()));
  copy_values({*a.pattern, a.value}, *data->pattern, data->copied_value.span());
  return data;
}

std::shared_ptr<const MatrixData> from_arrays(const CompressedColumns& arrays, Arrays how) {
  auto data = without_values("", std::make_shared<const SharedPattern>(arrays, how));
  if (!arrays.value.empty()) {
    give_values(*data, arrays.value, how);
    check_values({*data->pattern, data->value});
  }
  note_peak(data->memory, "read");
  return data;
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

void refuse_asymmetry(const Asymmetry& found, Index base, std::string_view advice) {
  using Kind = EntryDefect::Kind;
  const double mirror = found.mirror.value_or(0);
  if (!std::isfinite(found.value)) refuse_value(found.row, found.column, base);
  if (!std::isfinite(mirror)) refuse_value(found.column, found.row, base);
  const Kind kind = found.mirror ? Kind::mirror_differs : Kind::mirror_missing;
  const EntryDefect defect{kind, found.row, found.column, found.value, mirror};
  throw InputError(defect.describe(base) + "; " + std::string(advice));
}

Matrix Matrix::load(const std::string& file_or_spec, FileFormat format) {
  return Matrix(from_input(load_matrix(file_or_spec, Values::required, format)));
}

Matrix Matrix::load_indefinite(const std::string& file_or_spec, FileFormat format) {
  return Matrix(from_input(load_matrix(file_or_spec, Values::zero_diagonal, format)));
}

Matrix Matrix::load_pattern(const std::string& file_or_spec, FileFormat format) {
  return Matrix(from_input(load_matrix(file_or_spec, Values::pattern_only, format)));
}

Matrix::Matrix(std::vector<Count> column_begin, std::vector<Index> row, std::vector<double> value) {
  if (column_begin.empty()) throw InputError("column_begin is empty; it needs n + 1 offsets");
  MatrixInput input;
  input.matrix.pattern.n = static_cast<Index>(column_begin.size() - 1);
  input.matrix.pattern.column_begin = std::move(column_begin);
  input.matrix.pattern.row = std::move(row);
  input.matrix.value = std::move(value);
  check(input.matrix);
  data_ = from_input(std::move(input));
}

Matrix Matrix::borrow(const CompressedColumns& arrays) {
  return Matrix(from_arrays(arrays, Arrays::borrowed));
}

Matrix Matrix::copy(const CompressedColumns& arrays) {
  return Matrix(from_arrays(arrays, Arrays::copied));
}

Matrix Matrix::with_values(std::vector<double> value) const {
  if (!data_->pattern->is_in_order()) return with_values(std::span<const double>(value));
  expect_a_value_an_entry({*data_->pattern, value});
  auto data = without_values(data_->name, data_->pattern);
  data->own(std::move(value));
  return Matrix(std::shared_ptr<const MatrixData>(std::move(data)));
}

Matrix Matrix::with_values(std::span<const double> value) const {
  auto data = without_values(data_->name, data_->pattern);
  give_values(*data, value, Arrays::copied);
  return Matrix(std::shared_ptr<const MatrixData>(std::move(data)));
}

Matrix Matrix::with_values(const std::function<void(std::span<double> value)>& write) const {
  Buffer value = data_->pattern->buffer_for(data_->pattern->given());
  write(value.span());
  if (!data_->pattern->is_in_order()) return with_values(std::span<const double>(value.span()));
  auto data = without_values(data_->name, data_->pattern);
  data->own(std::move(value));
  return Matrix(std::shared_ptr<const MatrixData>(std::move(data)));
}

Matrix Matrix::borrow_values(std::span<const double> value) const {
  auto data = without_values(data_->name, data_->pattern);
  give_values(*data, value, Arrays::borrowed);
  return Matrix(std::shared_ptr<const MatrixData>(std::move(data)));
}

Matrix Matrix::shifted(double sigma) const {
  expect_values(*this);
  const auto data = to_shift(sigma, *data_, data_->pattern);
  subtract_identity(sigma, *data->pattern, data->copied_value.span());
  return Matrix(std::shared_ptr<const MatrixData>(data));
}

Matrix Matrix::shifted(double sigma, const Matrix& b) const {
  expect_values(*this);
  expect_values(b);
  if (b.size() != size()) {
    throw UsageError(
        fmt::format("the matrix has {} rows, but the matrix that is subtracted from it has {}",
                    size(), b.size()));
  }
  const SharedPattern& of_b = *b.data_->pattern;
  auto pattern = contains(*data_->pattern, of_b)
                     ? data_->pattern
                     : std::make_shared<const SharedPattern>(union_of(*data_->pattern, of_b));
  const auto data = to_shift(sigma, *data_, std::move(pattern));
  subtract(sigma, {of_b, b.values()}, *data->pattern, data->copied_value.span());
  return Matrix(std::shared_ptr<const MatrixData>(data));
}

void Matrix::save(const std::string& file) const {
  expect_values(*this);
  write_coordinate_matrix(file, {*data_->pattern, data_->value});
}

Index Matrix::size() const { return data_->pattern->n; }
Count Matrix::entries() const { return data_->pattern->entries(); }
const std::string& Matrix::name() const { return data_->name; }
std::span<const double> Matrix::values() const { return data_->value; }
std::span<const Count> Matrix::column_begin() const { return data_->pattern->column_begin; }
std::span<const Index> Matrix::rows() const { return data_->pattern->row; }

std::vector<double> Matrix::multiply(std::span<const double> x, Index count) const {
  expect_values(*this);
  std::vector<double> y(x.size());
  internal::multiply({*data_->pattern, data_->value}, x, y, count);
  return y;
}

}  // namespace espalier
