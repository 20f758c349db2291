// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/ordering_file.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "matrix/file_content.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/text_source.hpp"
#include "ordering/separator_tree.hpp"

namespace espalier::internal {

namespace {

constexpr std::string_view banner_of_parts = "%%EspalierOrdering";

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

  bool is_complete() const { return static_cast<Index>(order_.size()) == n_; }

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

std::string_view require_data(TextSource& source, const std::string& what) {
  std::string_view line;
  do {
    line = source.require_data_line(what);
  } while (is_comment(line));
  return line;
}

/// Reads the number of parts. At most 2 n parts have columns or join two others.
Index read_part_count(TextSource& source, Index n) {
  const std::string_view line = require_data(source, "the line 'parts' with their number");
  FieldScanner fields(line);
  Count count = 0;
  if (fields.word() != "parts" || !fields.integer(count) || !fields.at_end() || count < 1 ||
      count > std::max<Count>(1, 2 * Count{n})) {
    source.fail("expected 'parts' and a number from 1 to " +
                std::to_string(std::max<Count>(1, 2 * Count{n})) + ", found " + quoted(line));
  }
  return static_cast<Index>(count);
}

TreePart read_part(TextSource& source, Index k) {
  const std::string_view line = require_data(source, "part " + std::to_string(k));
  FieldScanner fields(line);
  Count parent = 0;
  Count first = 0;
  Count end = 0;
  const auto in_range = [](Count number) {
    return number >= -1 && number <= std::numeric_limits<Index>::max();
  };
  if (!fields.integer(parent) || !fields.integer(first) || !fields.integer(end) ||
      !fields.at_end() || !in_range(parent) || !in_range(first) || !in_range(end)) {
    source.fail("expected the parent, the first position and the end of part " + std::to_string(k) +
                ", found " + quoted(line));
  }
  return {static_cast<Index>(parent), static_cast<Index>(first), static_cast<Index>(end)};
}

std::vector<TreePart> read_parts(TextSource& source, Index n) {
  const Index count = read_part_count(source, n);
  PartSequence sequence(count, n);
  std::vector<TreePart> parts;
  for (Index k = 0; k < count; ++k) {
    parts.push_back(read_part(source, k));
    const std::string fault = sequence.fault(parts.back());
    if (!fault.empty()) source.fail("part " + std::to_string(k) + ": " + fault);
  }
  return parts;
}

void expect_end(TextSource& source) {
  std::string_view line;
  while (source.next_data_line(line)) {
    if (!is_comment(line)) source.fail("expected the end of the file, found " + quoted(line));
  }
}

bool has_banner(const TextSource& source) {
  return source.beginning().starts_with(banner_of_parts);
}

}  // namespace

SeparatorTree read_ordering(const std::string& path, Index n) {
  TextSource source(path);
  expect_lines_of_text(source);
  if (recognized_format(source) == FileFormat::matrix_market) skip_array_header(source, n);
  const bool has_parts = has_banner(source);
  std::string_view line;
  VertexList list(source, n);
  while (!(has_parts && list.is_complete()) && source.next_data_line(line)) {
    if (!is_comment(line)) list.add_line(line);
  }
  SeparatorTree tree;
  tree.column = list.finish();
  if (has_parts) {
    tree.part = read_parts(source, n);
    expect_end(source);
  }
  return tree;
}

bool begins_with_ordering_banner(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    constexpr std::size_t buffer_bytes = 4096;
    return has_banner(TextSource(path, buffer_bytes));
  } catch (const InputError&) {
    return false;  // read_ordering() throws the error again
  }
}

void write_ordering(OutputFile& file, const SeparatorTree& tree) {
  if (!tree.part.empty()) {
    file.text(banner_of_parts);
    file.text(
        "\n% columns of A in the order of their elimination, then the separator tree:\n"
        "% parent, first position and end of each part, from 0; the root has parent -1\n");
  }
  for (const Index column : tree.column) {
    file.integer(column);
    file.text("\n");
  }
  if (tree.part.empty()) return;
  file.text("parts ");
  file.integer(std::ssize(tree.part));
  file.text("\n");
  for (const TreePart& part : tree.part) {
    file.integer(part.parent);
    file.text(" ");
    file.integer(part.first);
    file.text(" ");
    file.integer(part.end);
    file.text("\n");
  }
}

}  // namespace espalier::internal
