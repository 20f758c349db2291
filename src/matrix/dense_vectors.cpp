// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/dense_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/printable.hpp"
#include "matrix/file_content.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/numpy_array.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

void require_vectors(const TextSource& source, const MatrixMarketBanner& banner) {
  if (banner.object != "matrix" || (banner.format != "array" && banner.format != "coordinate")) {
    source.fail("the file holds " + internal::quoted(banner.object + " " + banner.format) +
                "; expected vectors, 'matrix array' or 'matrix coordinate'");
  }
  expect_real_field(source, banner);
  if (banner.symmetry != "general") {
    source.fail("the " + banner.format + " file is " + internal::quoted(banner.symmetry) +
                "; vectors are expected in a general one");
  }
}

Index read_vector_count(TextSource& source, Index n, std::string_view noun) {
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  Count rows = 0, columns = 0;
  if (!fields.integer(rows) || !fields.integer(columns) || !fields.at_end()) {
    source.fail("expected the numbers of rows and columns, found " + quoted(line));
  }
  expect_vector_sizes(source, n, rows, columns, noun);
  if (n > 0 && columns > source.most_bytes() / n) {
    source.fail("the file announces " + std::to_string(columns) +
                " vectors, which cannot be in a file of its size");
  }
  return static_cast<Index>(columns);
}

/// Appends the values of one line, usually one value.
void read_line(TextSource& source, std::string_view line, Count announced,
               std::vector<double>& values) {
  FieldScanner fields(line);
  while (!fields.at_end()) {
    double value = 0;
    if (!fields.real(value)) source.fail("expected a value, found " + quoted(line));
    if (!std::isfinite(value)) source.fail("the value " + quoted(line) + " is not finite");
    if (static_cast<Count>(values.size()) == announced) {
      source.fail("expected the " + std::to_string(announced) +
                  " values that the file announces, found one more: " + quoted(line));
    }
    values.push_back(value);
  }
}

/// Reads an array file after its banner.
DenseVectors read_array(TextSource& source, Index n, std::string_view noun) {
  DenseVectors vectors;
  vectors.n = n;
  vectors.count = read_vector_count(source, n, noun);
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

/// Reads vectors from plain text, one row per line.
class RowReader {
 public:
  RowReader(TextSource& source, Index n, std::string_view noun)
      : source_(source), n_(n), noun_(noun) {}

  DenseVectors read() {
    std::string_view line;
    while (source_.next_data_line(line)) {
      if (FieldScanner(line).word().front() != '#') add(line);
    }
    if (rows_ < n_) {
      source_.fail("the file ends here after " + std::to_string(rows_) + " of " +
                   std::to_string(n_) + " rows; expected one row of the " + std::string(noun_) +
                   " per line");
    }
    if (n_ == 0) columns_ = 1;
    DenseVectors vectors{n_, static_cast<Index>(columns_), {}};
    vectors.value = columns_ == 1 ? std::move(value_) : by_columns(value_, n_, vectors.count);
    return vectors;
  }

 private:
  void add(std::string_view line) {
    if (rows_ == n_) {
      source_.fail("expected " + std::to_string(n_) + " rows of " + std::string(noun_) +
                   ", as many as the matrix has, found one more: " + quoted(line));
    }
    const Count before = std::ssize(value_);
    FieldScanner fields(line);
    while (!fields.at_end()) {
      double value = 0;
      if (!fields.real(value)) {
        source_.fail(
            "expected numbers separated by blanks, or a file that begins with "
            "%%MatrixMarket; found " +
            quoted(line));
      }
      if (!std::isfinite(value)) source_.fail("a value of " + quoted(line) + " is not finite");
      value_.push_back(value);
    }
    const Count numbers = std::ssize(value_) - before;
    if (rows_ == 0) columns_ = numbers;
    if (numbers != columns_ || numbers > std::numeric_limits<Index>::max()) {
      source_.fail("expected " + std::to_string(columns_) +
                   " numbers, as on the lines before, found " + std::to_string(numbers));
    }
    ++rows_;
  }

  TextSource& source_;
  Index n_;
  std::string_view noun_;
  Index rows_ = 0;
  Count columns_ = 0;
  std::vector<double> value_;
};

bool is_numpy_name(const std::string& path) { return path.ends_with(".npy"); }

}  // namespace

bool is_vector_file_name(const std::string& path) {
  if (is_numpy_name(path) || path.ends_with(".mtx") || path.ends_with(".mtx.gz")) return true;
  if (path.starts_with("/dev/")) return true;  // also if the stream is a regular file
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

void DenseVectors::copy(Index first, std::span<double> b) const {
  std::copy_n(value.begin() + static_cast<Count>(first) * n, b.size(), b.begin());
}

std::vector<double> by_columns(const std::vector<double>& by_rows, Index n, Index count) {
  std::vector<double> value;
  value.reserve(by_rows.size());
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < n; ++i) value.push_back(by_rows[static_cast<std::size_t>(i) * count + k]);
  }
  return value;
}

Vectors read_vectors(const std::string& path, Index n, std::string_view noun) {
  if (is_numpy_name(path) || holds_numpy_array(path)) return read_numpy_vectors(path, n, noun);
  TextSource source(path);
  expect_lines_of_text(source);
  if (recognized_format(source) != FileFormat::matrix_market)
    return RowReader(source, n, noun).read();
  const MatrixMarketBanner banner = read_banner(source);
  require_vectors(source, banner);
  if (banner.format == "coordinate") return read_sparse_vectors(source, n, noun);
  return read_array(source, n, noun);
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
