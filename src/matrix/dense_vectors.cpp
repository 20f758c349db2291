// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/dense_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "matrix/field_scanner.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/output_file.hpp"

namespace espalier {

namespace {

void require_array(const TextSource& source, const MatrixMarketBanner& banner) {
  if (banner.object != "matrix" || banner.format != "array") {
    source.fail("the file holds a " + banner.format + " " + banner.object +
                ", where an array of vectors is expected");
  }
  if (banner.field != "real" && banner.field != "integer") {
    source.fail("the values are " + banner.field + "; expected real or integer ones");
  }
  if (banner.symmetry != "general") {
    source.fail("the array is " + banner.symmetry + "; expected a general one");
  }
}

Index read_vector_count(TextSource& source, Index n) {
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  Count rows = 0, columns = 0;
  if (!fields.integer(rows) || !fields.integer(columns) || !fields.at_end()) {
    source.fail("expected the numbers of rows and columns, found " + quoted(line));
  }
  if (rows != n) {
    source.fail("the vectors have " + std::to_string(rows) + " rows, where the matrix has " +
                std::to_string(n));
  }
  if (columns < 1 || columns > std::numeric_limits<Index>::max() ||
      columns > source.most_bytes() / n) {
    source.fail("the file announces " + std::to_string(columns) +
                " vectors, which cannot be in a file of its size");
  }
  return static_cast<Index>(columns);
}

/// Adds the values of one line, usually one, to those read.
void read_line(TextSource& source, std::string_view line, Count announced,
               std::vector<double>& values) {
  FieldScanner fields(line);
  while (!fields.at_end()) {
    double value = 0;
    if (!fields.real(value)) source.fail("expected a value, found " + quoted(line));
    if (!std::isfinite(value)) source.fail("the value " + quoted(line) + " is not finite");
    if (static_cast<Count>(values.size()) == announced) {
      source.fail("the file goes on after the " + std::to_string(announced) +
                  " values that it announces: " + quoted(line));
    }
    values.push_back(value);
  }
}

}  // namespace

DenseVectors read_vectors(const std::string& path, Index n) {
  TextSource source(path);
  require_array(source, read_banner(source));
  DenseVectors vectors;
  vectors.n = n;
  vectors.count = read_vector_count(source, n);
  const Count announced = static_cast<Count>(n) * vectors.count;
  vectors.value.reserve(std::min(announced, source.likely_bytes() / 2));
  std::string_view line;
  while (source.next_data_line(line)) read_line(source, line, announced, vectors.value);
  if (static_cast<Count>(vectors.value.size()) < announced) {
    source.fail("the file is truncated: it ends here after " +
                std::to_string(vectors.value.size()) + " of " + std::to_string(announced) +
                " values");
  }
  return vectors;
}

void write_vectors(const std::string& path, const DenseVectors& vectors) {
  OutputFile file(path);
  file.text("%%MatrixMarket matrix array real general\n");
  file.text(std::to_string(vectors.n) + " " + std::to_string(vectors.count) + "\n");
  for (const double value : vectors.value) {
    file.real(value);
    file.text("\n");
  }
  file.commit();
}

}  // namespace espalier
