// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "matrix/output_file.hpp"
#include "matrix/symmetric_builder.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

/// One % instead of two, because many files of network repositories have only one.
constexpr std::string_view banner_start = "%MatrixMarket";

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower_case(c);
  return result;
}

/// Header of a coordinate file.
struct CoordinateHeader {
  Storage storage = Storage::one_triangle;
  bool has_values = true;
  CoordinateSizes sizes;

  Index n() const { return static_cast<Index>(sizes.rows); }
};

void apply_banner(const TextSource& source, const MatrixMarketBanner& banner, Values values,
                  CoordinateHeader& header) {
  if (banner.object != "matrix" || banner.format != "coordinate") {
    source.fail("the file holds " + internal::quoted(banner.object + " " + banner.format) +
                "; expected a sparse matrix, 'matrix coordinate'");
  }
  if (banner.field == "pattern") {
    if (values != Values::pattern_only) {
      source.fail("the file holds a pattern without values; only an analysis can use it");
    }
    header.has_values = false;
  } else {
    expect_real_field(source, banner);
  }
  if (banner.symmetry != "symmetric" && banner.symmetry != "general") {
    source.fail("the matrix is " + internal::quoted(banner.symmetry) +
                "; expected a symmetric one, or a general one that is symmetric");
  }
  header.storage = banner.symmetry == "general" ? Storage::both_triangles : Storage::one_triangle;
}

void expect_square(const TextSource& source, const CoordinateSizes& sizes) {
  if (sizes.rows != sizes.columns) {
    source.fail("the matrix is not square: " + std::to_string(sizes.rows) + " rows and " +
                std::to_string(sizes.columns) + " columns");
  }
  if (sizes.rows < 0 || sizes.rows > std::numeric_limits<Index>::max()) {
    source.fail("the matrix has " + std::to_string(sizes.rows) + " rows; expected 0 to " +
                std::to_string(std::numeric_limits<Index>::max()));
  }
}

CoordinateHeader read_coordinate_header(TextSource& source, Values values) {
  CoordinateHeader header;
  apply_banner(source, read_banner(source), values, header);
  header.sizes = read_coordinate_sizes(source);
  expect_square(source, header.sizes);
  expect_possible(source, header.sizes, header.has_values);
  return header;
}

/// Reads the file again, up to the first line with this entry, to report its line number. Storing a
/// line number for each entry would take too much memory. Returns nothing if the entry cannot be
/// found, for example in a pipe.
std::optional<TextSource> find_entry(const std::string& path, Index row, Index column) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  TextSource source(path);
  const CoordinateHeader header = read_coordinate_header(source, Values::pattern_only);
  std::string_view line;
  CoordinateLine entry;
  while (source.next_data_line(line)) {
    entry.parse(line, header.has_values);
    if (entry.row - 1 == row && entry.column - 1 == column) return source;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_matrix(const TextSource& source, const EntryDefect& defect) {
  std::string reason = defect.describe(1);
  if (defect.kind == EntryDefect::Kind::mirror_missing) {
    reason += "; if the file has only one triangle, change general to symmetric in its first line";
  }
  const auto place = find_entry(source.path(), defect.row, defect.column);
  if (place) place->fail(reason);
  throw InputError(source.path() + ": " + reason);
}

}  // namespace

bool is_matrix_market_banner(std::string_view line) {
  if (line.starts_with("%%")) line.remove_prefix(1);
  return lower_case(line.substr(0, banner_start.size())) == lower_case(banner_start);
}

void expect_real_field(const TextSource& source, const MatrixMarketBanner& banner) {
  constexpr std::array<std::string_view, 4> fields{"real", "integer", "double", "unsigned-integer"};
  if (std::ranges::find(fields, banner.field) != fields.end()) return;
  source.fail("the values are " + internal::quoted(banner.field) +
              "; expected real or integer ones");
}

MatrixMarketBanner read_banner(TextSource& source) {
  std::string_view line;
  while (source.next_line(line) && FieldScanner(line).at_end()) {
  }
  FieldScanner fields(line);
  const bool marked = is_matrix_market_banner(fields.word());
  MatrixMarketBanner banner;
  for (std::string* word : {&banner.object, &banner.format, &banner.field, &banner.symmetry}) {
    *word = lower_case(fields.word());
  }
  if (!marked || banner.symmetry.empty() || !fields.at_end()) {
    source.fail(
        "expected a first line like '%%MatrixMarket matrix coordinate real symmetric', found " +
        quoted(line));
  }
  return banner;
}

SparseMatrix read_coordinate_matrix(TextSource& source, Values values, InputNotes& notes) {
  const CoordinateHeader header = read_coordinate_header(source, values);
  SymmetricBuilder builder(header.n(), header.storage, header.has_values,
                           likely_entries(source, header.sizes, header.has_values));
  read_entries(source, header.sizes, header.has_values,
               [&](std::span<const CoordinateEntry> entries) {
                 for (const auto& [row, column, value] : entries) builder.add(row, column, value);
               });
  try {
    SparseMatrix matrix = builder.finish(notes, diagonal_of(values));
    if (values == Values::pattern_only) release(matrix.value);
    return matrix;
  } catch (const EntryError& error) {
    refuse_matrix(source, error.defect);
  }
}

Index read_symmetric_entries(TextSource& source,
                             const std::function<void(std::span<const CoordinateEntry>)>& take) {
  const CoordinateHeader header = read_coordinate_header(source, Values::required);
  if (header.storage != Storage::one_triangle) {
    source.fail("the matrix is general; a part of a matrix must be symmetric");
  }
  read_entries(source, header.sizes, true, take);
  return header.n();
}

void write_coordinate_matrix(const std::string& path, const SparseMatrixView& matrix) {
  OutputFile file(path);
  write_columns(file, matrix, 0, matrix.pattern.n);
  file.commit();
}

void write_columns(OutputFile& file, const SparseMatrixView& matrix, Index begin, Index end) {
  const PatternView& pattern = matrix.pattern;
  file.text("%%MatrixMarket matrix coordinate real symmetric\n");
  const std::string order = std::to_string(pattern.n);
  file.text(order + " " + order + " " +
            std::to_string(pattern.column_begin[end] - pattern.column_begin[begin]) + "\n");
  for (Index j = begin; j < end; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      file.integer(pattern.row[k] + Count{1});
      file.text(" ");
      file.integer(j + Count{1});
      file.text(" ");
      file.real(matrix.value[k]);
      file.text("\n");
    }
  }
}

}  // namespace espalier::internal
