// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <string>
#include <utility>

#include "base/printable.hpp"
#include "matrix/file_content.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/text_source.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {

namespace {

/// A list with each of 0..n-1, or each of 1..n, once. It is known to be 0-based when 0 occurs, and
/// 1-based when n occurs.
class VertexList {
 public:
  VertexList(TextSource& source, Index n)
      : source_(source), n_(n), seen_(static_cast<std::size_t>(n) + 1, false) {
    order_.reserve(std::min<Count>(n, source.likely_bytes() / 2));
  }

  void add_line(std::string_view line) {
    FieldScanner fields(line);
    while (!fields.at_end()) {
      add(fields.word());
    }
  }

  /// Returns the vertices, 0-based. Throws InputError if the list is too short.
  std::vector<Index> finish() {
    if (static_cast<Index>(order_.size()) < n_) {
      source_.fail("the file ends here after " + std::to_string(order_.size()) + " of " +
                   std::to_string(n_) + " vertices");
    }
    if (n_ > 0 && seen_[n_]) {
      for (Index& vertex : order_) {
        --vertex;
      }
    }
    return std::move(order_);
  }

 private:
  void add(std::string_view word) {
    double number = 0;
    const bool in_range = parse_real(word, number) && number >= 0 && number <= n_;
    if (!in_range || number != static_cast<Index>(number)) {
      source_.fail("expected a vertex of 0 to " + std::to_string(n_ - 1) + " or of 1 to " +
                   std::to_string(n_) + ", found " + quoted(word));
    }
    const Index vertex = static_cast<Index>(number);
    if (static_cast<Index>(order_.size()) == n_) {
      source_.fail("expected " + std::to_string(n_) +
                   " vertices, as many as the matrix has rows, found one more: " + quoted(word));
    }
    if (seen_[vertex]) {
      source_.fail("vertex " + std::to_string(vertex) + " comes a second time");
    }
    seen_[vertex] = true;
    if (seen_[0] && seen_[n_]) {
      source_.fail("the list holds both 0 and " + std::to_string(n_) +
                   ", so it counts neither from 0 nor from 1");
    }
    order_.push_back(vertex);
  }

  TextSource& source_;
  Index n_;
  std::vector<bool> seen_;
  std::vector<Index> order_;
};

void skip_array_header(TextSource& source, Index n) {
  const MatrixMarketBanner banner = read_banner(source);
  if (banner.format != "array" || (banner.field != "integer" && banner.field != "real")) {
    source.fail("the file holds a " + internal::quoted(banner.field + " " + banner.format) +
                "; expected a permutation as an integer array");
  }
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  Count rows = 0;
  Count columns = 0;
  if (!fields.integer(rows) || !fields.integer(columns) || !fields.at_end() || rows != n ||
      columns != 1) {
    source.fail("expected the sizes '" + std::to_string(n) + " 1' of a permutation, found " +
                quoted(line));
  }
}

bool is_comment(std::string_view line) { return line[line.find_first_not_of(" \t")] == '#'; }

}  // namespace

Permutation read_permutation(const std::string& path, Index n) {
  TextSource source(path);
  expect_lines_of_text(source);
  if (recognized_format(source) == FileFormat::matrix_market) skip_array_header(source, n);
  std::string_view line;
  VertexList list(source, n);
  while (source.next_data_line(line)) {
    if (!is_comment(line)) {
      list.add_line(line);
    }
  }
  return Permutation::from_old_of(list.finish());
}

}  // namespace espalier::internal
