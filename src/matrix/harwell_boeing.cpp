// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/harwell_boeing.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "matrix/fortran_format.hpp"
#include "matrix/symmetric_builder.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

struct Header {
  Storage storage = Storage::one_triangle;
  bool has_values = true;
  /// Numbers of lines.
  struct Lines {
    Count pointers = 0, rows = 0, values = 0, right_hand_sides = 0;
  } lines;
  Index n = 0;
  Count entries = 0;
  FixedFormat pointers, rows, values;
};

/// Reads line 2: the numbers of lines in total, of pointers, of row indices, of values and, in
/// Harwell-Boeing files only, of right-hand sides. The total is ignored, because many programs
/// write a wrong one. The other numbers are compared with the sizes.
void read_line_counts(TextSource& source, Header& header) {
  const std::string_view line = source.require_line("the numbers of lines");
  FieldScanner fields(line);
  Header::Lines& lines = header.lines;
  Count all = 0;
  if (!fields.integer(all) || !fields.integer(lines.pointers) || !fields.integer(lines.rows) ||
      !fields.integer(lines.values)) {
    source.fail("expected four or five numbers of lines, found " + quoted(line));
  }
  if (!fields.at_end() && !fields.integer(lines.right_hand_sides)) {
    source.fail("expected a number of lines of right-hand sides, found " + quoted(line));
  }
  if (lines.right_hand_sides < 0) {
    source.fail("the file announces " + std::to_string(lines.right_hand_sides) +
                " lines of right-hand sides");
  }
}

/// Throws InputError if the line counts on line 2 do not match the sizes and formats.
void expect_line_counts(const TextSource& source, const Header& header) {
  const auto expect = [&](const char* content, Count lines, Count numbers,
                          const FixedFormat& format) {
    const Count needed = format.lines_for(numbers);
    if (lines == needed) return;
    source.fail("line 2 announces " + std::to_string(lines) + " lines of " + content + ", but " +
                std::to_string(numbers) + " of them, " + std::to_string(format.later.size()) +
                " on a line, take " + std::to_string(needed));
  };
  expect("column pointers", header.lines.pointers, header.n + Count{1}, header.pointers);
  expect("row indices", header.lines.rows, header.entries, header.rows);
  expect("values", header.lines.values, header.has_values ? header.entries : 0, header.values);
}

/// Returns the meaning of an unsupported type, for a message.
std::string meaning_of(const std::string& type) {
  if (type.size() != 3) return {};
  if (type[0] == 'C') return ", whose values are complex";
  if (type[1] == 'Z') return ", a skew-symmetric one";
  if (type[1] == 'H') return ", a Hermitian one";
  if (type[1] == 'R') return ", a rectangular one";
  if (type[2] == 'E') return ", one in elements that are not assembled";
  return {};
}

void apply_type(const TextSource& source, std::string_view type, Values values, Header& header) {
  std::string upper(type);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto is_one_of = [&](std::size_t at, std::string_view letters) {
    return upper.size() == 3 && letters.find(upper[at]) != std::string_view::npos;
  };
  if (!is_one_of(0, "RIP") || !is_one_of(1, "SU") || !is_one_of(2, "A")) {
    source.fail("the type of the matrix is " + quoted(type) + meaning_of(upper) +
                "; expected an assembled symmetric one (RSA, ISA, PSA), or an unsymmetric one "
                "(RUA, IUA, PUA) that is symmetric");
  }
  header.has_values = upper[0] != 'P';
  if (!header.has_values && values != Values::pattern_only) {
    source.fail("the file holds a pattern without values; only an analysis can use it");
  }
  header.storage = upper[1] == 'S' ? Storage::one_triangle : Storage::both_triangles;
}

/// Reads line 3: type, rows, columns, entries and, for unassembled matrices, the number of
/// elements.
void read_type_and_sizes(TextSource& source, Values values, Header& header) {
  const std::string_view line = source.require_line("the type of the matrix");
  FieldScanner fields(line);
  apply_type(source, fields.word(), values, header);
  Count rows = 0, columns = 0;
  if (!fields.integer(rows) || !fields.integer(columns) || !fields.integer(header.entries)) {
    source.fail("expected a type and the numbers of rows, columns and entries, found " +
                quoted(line));
  }
  if (rows != columns) {
    source.fail("the matrix is not square: " + std::to_string(rows) + " rows and " +
                std::to_string(columns) + " columns");
  }
  if (rows < 0 || rows > std::numeric_limits<Index>::max()) {
    source.fail("the matrix has " + std::to_string(rows) + " rows; expected 0 to " +
                std::to_string(std::numeric_limits<Index>::max()));
  }
  header.n = static_cast<Index>(rows);
  if (header.entries < 0 || header.entries > source.most_bytes() - rows) {
    source.fail("the file announces " + std::to_string(rows) + " rows and " +
                std::to_string(header.entries) +
                " entries, which cannot be in a file of its size: it is truncated or damaged");
  }
}

/// Returns the next format in balanced parentheses, and removes it from the front of `line`.
std::string_view take_parenthesized(std::string_view& line) {
  const std::size_t begin = std::min(line.find('('), line.size());
  std::size_t end = begin;
  int depth = 0;
  while (end < line.size()) {
    if (line[end] == '(') ++depth;
    if (line[end] == ')') --depth;
    ++end;
    if (depth == 0) break;
  }
  const std::string_view taken = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return taken;
}

/// Reads line 4: the formats of pointers, row indices and values.
void read_formats(TextSource& source, Header& header) {
  std::string_view line = source.require_line("the formats");
  const auto take = [&](const char* content) {
    const std::string_view text = take_parenthesized(line);
    const auto format = parse_fortran_format(text);
    if (!format) {
      const std::string found = text.empty() ? "no parentheses" : quoted(text);
      source.fail(std::string("cannot read the format of the ") + content +
                  "; expected one like (16I5) or (4E20.12), found " + found);
    }
    return *format;
  };
  header.pointers = take("column pointers");
  header.rows = take("row indices");
  if (header.has_values) header.values = take("values");
}

Header read_header(TextSource& source, Values values) {
  Header header;
  source.require_line("the title");
  read_line_counts(source, header);
  read_type_and_sizes(source, values, header);
  read_formats(source, header);
  expect_line_counts(source, header);
  if (header.lines.right_hand_sides > 0) source.require_line("the kind of right-hand sides");
  return header;
}

/// Returns the end of the message for an index that is too small.
std::string counting_hint(Count number) {
  if (number != 0) return {};
  return "; does the file count from 0? Harwell-Boeing files count from 1";
}

std::vector<Count> read_pointers(TextSource& source, const Header& header) {
  FixedFieldReader fields(source, header.pointers, "column pointers", header.n + Count{1});
  std::vector<Count> column_begin;
  for (Index j = 0; j <= header.n; ++j) {
    const Count pointer = fields.integer();
    const Count least = j == 0 ? 1 : column_begin.back() + 1;
    const Count most = j == 0 ? 1 : header.entries + 1;
    if (pointer < least || pointer > most) {
      source.fail("column pointer " + std::to_string(j + Count{1}) + " is " +
                  std::to_string(pointer) + ", which is out of the range " + std::to_string(least) +
                  " to " + std::to_string(most) + counting_hint(pointer));
    }
    column_begin.push_back(pointer - 1);
  }
  fields.end();
  if (column_begin.back() != header.entries) {
    source.fail("the column pointers end at " + std::to_string(column_begin.back()) +
                " entries, but the header announces " + std::to_string(header.entries));
  }
  return column_begin;
}

std::vector<Index> read_rows(TextSource& source, const Header& header) {
  FixedFieldReader fields(source, header.rows, "row indices", header.entries);
  std::vector<Index> rows;
  rows.reserve(std::min(header.entries, source.likely_bytes() / 2));
  for (Count k = 0; k < header.entries; ++k) {
    const Count row = fields.integer();
    if (row < 1 || row > header.n) {
      source.fail("row index " + std::to_string(row) + " is out of the range 1 to " +
                  std::to_string(header.n) + counting_hint(row));
    }
    rows.push_back(static_cast<Index>(row - 1));
  }
  fields.end();
  return rows;
}

void read_values(TextSource& source, const Header& header, const std::vector<Count>& column_begin,
                 const std::vector<Index>& rows, SymmetricBuilder& builder) {
  FixedFieldReader fields(source, header.values, "values", header.entries);
  for (Index j = 0; j < header.n; ++j) {
    for (Count k = column_begin[j]; k < column_begin[j + 1]; ++k) {
      const double value = header.has_values ? fields.real() : 0;
      if (!std::isfinite(value)) {
        source.fail("the value of the entry (" + std::to_string(rows[k] + Count{1}) + ", " +
                    std::to_string(j + Count{1}) + ") is not finite");
      }
      builder.add(rows[k], j, value);
    }
  }
  fields.end();
}

}  // namespace

SparseMatrix read_harwell_boeing(TextSource& source, Values values, InputNotes& notes) {
  const Header header = read_header(source, values);
  const std::vector<Count> column_begin = read_pointers(source, header);
  std::vector<Index> rows = read_rows(source, header);
  SymmetricBuilder builder(header.n, header.storage, header.has_values, header.entries);
  read_values(source, header, column_begin, rows, builder);
  release(rows);
  for (Count k = 0; k < header.lines.right_hand_sides; ++k) {
    source.require_line("the last of the right-hand sides");
  }
  std::string_view line;
  if (source.next_data_line(line)) {
    source.fail("expected the end of the file, found " + quoted(line));
  }
  try {
    SparseMatrix matrix = builder.finish(notes, diagonal_of(values));
    if (values == Values::pattern_only) release(matrix.value);
    return matrix;
  } catch (const EntryError& error) {
    const bool lacks_mirror = error.defect.kind == EntryDefect::Kind::mirror_missing;
    throw InputError(
        source.path() + ": " + error.defect.describe(1) +
        (lacks_mirror ? "; if the file has only one triangle, change U to S in the type on line 3"
                      : ""));
  }
}

}  // namespace espalier::internal
