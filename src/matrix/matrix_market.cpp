// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/matrix_market.hpp"

#include <algorithm>
#include <cmath>
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

constexpr std::string_view banner_start = "%%MatrixMarket";

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower_case(c);
  return result;
}

/// What the file of a matrix announces.
struct CoordinateHeader {
  Storage storage = Storage::one_triangle;
  bool has_values = true;
  CoordinateSizes sizes;

  Index n() const { return static_cast<Index>(sizes.rows); }
};

/// The shortest line of an entry is "1 1" or "1 1 1", with its end.
Count least_bytes(bool has_values) { return has_values ? 6 : 4; }

void apply_banner(const TextSource& source, const MatrixMarketBanner& banner, Values values,
                  CoordinateHeader& header) {
  if (banner.object != "matrix" || banner.format != "coordinate") {
    source.fail("the file holds a " + internal::quoted(banner.format + " " + banner.object) +
                ", where a coordinate matrix is expected");
  }
  if (banner.field == "pattern") {
    if (values == Values::required) {
      source.fail("the file holds a pattern without values; only an analysis can use it");
    }
    header.has_values = false;
  } else if (banner.field != "real" && banner.field != "integer") {
    source.fail("the values are " + internal::quoted(banner.field) +
                "; expected real or integer ones");
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
  if (sizes.rows < 1 || sizes.rows > std::numeric_limits<Index>::max()) {
    source.fail("the matrix has " + std::to_string(sizes.rows) + " rows; expected 1 to " +
                std::to_string(std::numeric_limits<Index>::max()));
  }
}

void expect_possible(const TextSource& source, const CoordinateSizes& sizes, bool has_values) {
  if (sizes.entries < 0 || sizes.entries > source.most_bytes() / least_bytes(has_values) + 1) {
    source.fail("the file announces " + std::to_string(sizes.entries) +
                " entries, which cannot be in a file of its size: it is truncated or damaged");
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

struct Entry {
  Count row = 0, column = 0;  ///< counted from 1
  double value = 0;

  bool parse(std::string_view line, bool has_values) {
    FieldScanner fields(line);
    return fields.integer(row) && fields.integer(column) && (!has_values || fields.real(value)) &&
           fields.at_end();
  }
};

/// Throws for the reason why an entry that was read cannot be used.
[[noreturn]] void refuse_entry(const TextSource& source, std::string_view line, const Entry& entry,
                               const CoordinateSizes& sizes, bool has_values) {
  if (!Entry().parse(line, has_values)) {
    source.fail(std::string("expected a row, a column") + (has_values ? " and a value" : "") +
                ", found " + quoted(line));
  }
  const bool bad_row = entry.row < 1 || entry.row > sizes.rows;
  if (bad_row || entry.column < 1 || entry.column > sizes.columns) {
    source.fail(std::string(bad_row ? "row " : "column ") +
                std::to_string(bad_row ? entry.row : entry.column) + " is out of the range 1 to " +
                std::to_string(bad_row ? sizes.rows : sizes.columns));
  }
  source.fail("the value of the entry (" + std::to_string(entry.row) + ", " +
              std::to_string(entry.column) + ") is not finite");
}

/// Calls add(row, column, value) for all entries.
template <class F>
void read_entries(TextSource& source, const CoordinateSizes& sizes, bool has_values, F add) {
  std::string_view line;
  Entry entry;
  for (Count k = 0; k < sizes.entries; ++k) {
    if (!source.next_data_line(line)) {
      source.fail("the file is truncated: it ends here after " + std::to_string(k) + " of " +
                  std::to_string(sizes.entries) + " entries");
    }
    const bool usable = entry.parse(line, has_values) && entry.row >= 1 &&
                        entry.row <= sizes.rows && entry.column >= 1 &&
                        entry.column <= sizes.columns && std::isfinite(entry.value);
    if (!usable) refuse_entry(source, line, entry, sizes, has_values);
    add(static_cast<Index>(entry.row - 1), static_cast<Index>(entry.column - 1), entry.value);
  }
  if (source.next_data_line(line)) {
    source.fail("the file goes on after the " + std::to_string(sizes.entries) +
                " entries that it announces: " + quoted(line));
  }
}

/// Reads the file once more, to the first line that gives the entry: an error is worth the time,
/// and a line number an entry would not be worth the memory. Nothing where it cannot be found, as
/// in a pipe.
std::optional<TextSource> find_entry(const std::string& path, Index row, Index column) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  TextSource source(path);
  const CoordinateHeader header = read_coordinate_header(source, Values::pattern_only);
  std::string_view line;
  Entry entry;
  while (source.next_data_line(line)) {
    entry.parse(line, header.has_values);
    if (entry.row - 1 == row && entry.column - 1 == column) return source;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_matrix(const TextSource& source, const EntryDefect& defect) {
  const std::string reason = defect.describe(1);
  const auto place = find_entry(source.path(), defect.row, defect.column);
  if (place) place->fail(reason);
  throw InputError(source.path() + ": " + reason);
}

}  // namespace

bool is_matrix_market_banner(std::string_view line) {
  return lower_case(line.substr(0, banner_start.size())) == lower_case(banner_start);
}

MatrixMarketBanner read_banner(TextSource& source) {
  std::string_view line;
  source.next_line(line);
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
  const Count likely = source.likely_bytes() / least_bytes(header.has_values);
  SymmetricBuilder builder(header.n(), header.storage, header.has_values,
                           std::min(header.sizes.entries, likely));
  read_entries(source, header.sizes, header.has_values,
               [&](Index row, Index column, double value) { builder.add(row, column, value); });
  try {
    SparseMatrix matrix = builder.finish(notes);
    if (values == Values::pattern_only) release(matrix.value);
    return matrix;
  } catch (const EntryError& error) {
    refuse_matrix(source, error.defect);
  }
}

Index read_symmetric_entries(TextSource& source,
                             const std::function<void(Index, Index, double)>& add) {
  const CoordinateHeader header = read_coordinate_header(source, Values::required);
  if (header.storage != Storage::one_triangle) {
    source.fail("the matrix is general; a part of a matrix must be symmetric");
  }
  read_entries(source, header.sizes, true, add);
  return header.n();
}

CoordinateSizes read_coordinate_sizes(TextSource& source) {
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  CoordinateSizes sizes;
  if (!fields.integer(sizes.rows) || !fields.integer(sizes.columns) ||
      !fields.integer(sizes.entries) || !fields.at_end()) {
    source.fail("expected the numbers of rows, columns and entries, found " + quoted(line));
  }
  return sizes;
}

void read_coordinate_entries(TextSource& source, const CoordinateSizes& sizes,
                             const std::function<void(Index, Index, double)>& add) {
  expect_possible(source, sizes, true);
  read_entries(source, sizes, true, add);
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
