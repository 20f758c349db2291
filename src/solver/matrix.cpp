// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/load.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/norms.hpp"
#include "solver/data.hpp"
#include "solver/factor_report.hpp"

namespace espalier {

namespace {

std::shared_ptr<const Matrix::Data> from_input(MatrixInput input) {
  auto data = std::make_shared<Matrix::Data>();
  data->name = std::move(input.name);
  data->pattern = std::make_shared<const LowerPattern>(std::move(input.matrix.pattern));
  data->value = std::move(input.matrix.value);
  data->duplicates_summed = input.notes.duplicates_summed;
  data->mirrors_averaged = input.notes.mirrors_averaged;
  note_peak(data->memory, "read");
  return data;
}

}  // namespace

Matrix Matrix::load(const std::string& file_or_spec) {
  return Matrix(from_input(load_matrix(file_or_spec, Values::required)));
}

Matrix Matrix::load_pattern(const std::string& file_or_spec) {
  return Matrix(from_input(load_matrix(file_or_spec, Values::pattern_only)));
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

Matrix Matrix::with_values(std::vector<double> value) const {
  check(SparseMatrixView(*data_->pattern, value));
  auto data = std::make_shared<Data>();
  data->name = data_->name;
  data->pattern = data_->pattern;
  data->value = std::move(value);
  return Matrix(std::shared_ptr<const Data>(std::move(data)));
}

namespace {

void expect_values(const Matrix& matrix) {
  if (matrix.values().size() == static_cast<std::size_t>(matrix.entries())) return;
  throw UsageError("the matrix has a pattern but no values; load it with its values");
}

}  // namespace

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
  espalier::multiply({*data_->pattern, data_->value}, x, y, count);
  return y;
}

}  // namespace espalier
