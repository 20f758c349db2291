// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/dense_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/printable.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/numpy_array.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

void require_vectors(const TextSource& source, const MatrixMarketBanner& banner) {
  if (banner.object != "matrix" || (banner.format != "array" && banner.format != "coordinate")) {
    source.fail("the file holds a " + internal::quoted(banner.format + " " + banner.object) +
                ", where an array of vectors or their coordinates are expected");
  }
  if (banner.field != "real" && banner.field != "integer") {
    source.fail("the values are " + internal::quoted(banner.field) +
                "; expected real or integer ones");
  }
  if (banner.symmetry != "general") {
    source.fail("the " + banner.format + " file is " + internal::quoted(banner.symmetry) +
                "; vectors are expected in a general one");
  }
}

Index read_vector_count(TextSource& source, Index n) {
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  Count rows = 0, columns = 0;
  if (!fields.integer(rows) || !fields.integer(columns) || !fields.at_end()) {
    source.fail("expected the numbers of rows and columns, found " + quoted(line));
  }
  expect_vector_sizes(source, n, rows, columns);
  if (columns > source.most_bytes() / n) {
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

/// Reads what follows the banner of an array.
DenseVectors read_array(TextSource& source, Index n) {
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

bool is_numpy_name(const std::string& path) { return path.ends_with(".npy"); }

}  // namespace

bool is_vector_file_name(const std::string& path) {
  if (is_numpy_name(path) || path.ends_with(".mtx") || path.ends_with(".mtx.gz")) return true;
  if (path.starts_with("/dev/")) return true;  // also where a stream is a file
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

void DenseVectors::copy(Index first, std::span<double> b) const {
  std::copy_n(value.begin() + static_cast<Count>(first) * n, b.size(), b.begin());
}

Vectors read_vectors(const std::string& path, Index n) {
  if (is_numpy_name(path)) return read_numpy_vectors(path, n);
  TextSource source(path);
  const MatrixMarketBanner banner = read_banner(source);
  require_vectors(source, banner);
  if (banner.format == "coordinate") return read_sparse_vectors(source, n);
  return read_array(source, n);
}

void begin_vectors(OutputFile& file, Index n, Index count) {
  if (is_numpy_name(file.path())) return file.text(numpy_header(n, count));
  file.text("%%MatrixMarket matrix array real general\n");
  file.text(std::to_string(n) + " " + std::to_string(count) + "\n");
}

void add_entries(OutputFile& file, std::span<const double> values) {
  if (is_numpy_name(file.path())) {
    constexpr std::size_t at_a_time = 8192;
    for (; !values.empty(); values = values.subspan(std::min(at_a_time, values.size()))) {
      const auto part = values.first(std::min(at_a_time, values.size()));
      file.text({reinterpret_cast<const char*>(part.data()), part.size_bytes()});
    }
    return;
  }
  for (const double value : values) {
    file.real(value);
    file.text("\n");
  }
}

}  // namespace espalier::internal
