// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/matrix_part.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "matrix/file_content.hpp"
#include "matrix/generators.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/output_file.hpp"
#include "matrix/symmetric_builder.hpp"

namespace espalier::internal {

namespace {

/// Returns the row of an entry in the lower triangle. If the entry was given in the upper triangle,
/// e.row is the complement ~row, which is negative.
Index row_of(const MatrixPart::Entry& e) { return e.row < 0 ? ~e.row : e.row; }

std::vector<Index> columns_of(const std::vector<MatrixPart::Entry>& entries) {
  std::vector<Index> columns;
  columns.reserve(entries.size());
  for (const MatrixPart::Entry& e : entries) {
    if (columns.empty() || columns.back() != e.column) columns.push_back(e.column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// Sums entries at the same position, which follow each other.
void merge(MatrixPart& part) {
  auto to = part.entry.begin();
  for (auto from = part.entry.begin(); from != part.entry.end(); ++to) {
    const Index row = row_of(*from);
    *to = *from;
    for (++from; from != part.entry.end() && from->column == to->column && row_of(*from) == row;
         ++from) {
      if (from->row != to->row) {
        throw EntryError({EntryDefect::Kind::mirror_in_one_triangle, row, to->column});
      }
      to->value += from->value;
      ++part.duplicates_summed;
    }
    if (!std::isfinite(to->value)) {
      throw EntryError({EntryDefect::Kind::sum_not_finite, row, to->column});
    }
    to->row = row;
  }
  part.entry.erase(to, part.entry.end());
}

}  // namespace

MatrixPart make_part(Index n, std::vector<MatrixPart::Entry> given) {
  MatrixPart part;
  part.n = n;
  part.given = columns_of(given);
  for (MatrixPart::Entry& e : given) {
    if (e.row < e.column) e = {~e.column, e.row, e.value};
  }
  std::stable_sort(given.begin(), given.end(),
                   [](const MatrixPart::Entry& a, const MatrixPart::Entry& b) {
                     return std::pair(a.column, row_of(a)) < std::pair(b.column, row_of(b));
                   });
  part.entry = std::move(given);
  merge(part);
  return part;
}

namespace {

/// Returns the position of the ending .mtx or .mtx.gz.
std::size_t ending_of(const std::string& file) {
  for (const std::string_view ending : {".mtx", ".mtx.gz"}) {
    if (file.ends_with(ending)) return file.size() - ending.size();
  }
  return file.size();
}

}  // namespace

std::string part_file(const std::string& file, Index part) {
  const std::size_t at = ending_of(file);
  return file.substr(0, at) + "." + std::to_string(part) + file.substr(at);
}

bool is_in_parts(const std::string& file_or_spec) {
  std::error_code error;
  return !is_generator_spec(file_or_spec) && !std::filesystem::exists(file_or_spec, error) &&
         std::filesystem::exists(part_file(file_or_spec, 0), error);
}

MatrixPart load_part(const std::string& path) {
  TextSource source(path);
  expect_lines_of_text(source);
  std::vector<MatrixPart::Entry> given;
  const Index n = read_symmetric_entries(source, [&](std::span<const CoordinateEntry> entries) {
    given.insert(given.end(), entries.begin(), entries.end());
  });
  try {
    return make_part(n, std::move(given));
  } catch (const EntryError& error) {
    throw InputError(path + ": " + error.defect.describe(1));
  }
}

void write_parts(const std::string& file, const SparseMatrixView& matrix, Index parts) {
  const auto& begin = matrix.pattern.column_begin;
  Outputs outputs;
  Index column = 0;
  for (Index part = 0; part < parts; ++part) {
    const Count most = matrix.pattern.entries() * (part + 1) / parts;
    Index end = column;
    while (end < matrix.pattern.n && (part + 1 == parts || begin[end] < most)) ++end;
    OutputFile& output = outputs.add(part_file(file, part));
    write_columns(output, matrix, column, end);
    output.finish();
    column = end;
  }
  outputs.commit();
}

}  // namespace espalier::internal
