// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/harwell_boeing.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "matrix/symmetric_builder.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t most_columns = 1000;  // of a line; keeps products of counts small

/// Takes the characters of a format one by one; blanks do not count.
class FormatScanner {
 public:
  explicit FormatScanner(std::string_view text) : text_(text) {}

  char next() {
    skip_blanks();
    if (text_.empty()) return '\0';
    const char c = text_.front();
    text_.remove_prefix(1);
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }

  /// A number, or nothing where none stands here.
  std::optional<std::size_t> number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value > most_columns) return std::nullopt;
    text_.remove_prefix(end - text_.data());
    return value;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }

  std::string_view text_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::optional<FixedFormat> parse_fortran_format(std::string_view text) {
  FormatScanner scanner(text);
  if (scanner.next() != '(') return std::nullopt;
  std::size_t groups = 1;
  for (;;) {
    const std::size_t repeat = scanner.number().value_or(1);
    const char letter = scanner.next();
    switch (letter) {
      case 'P':  // a scale factor, which is no repeat count
      case ',':
      case '-': break;
      case '(': groups *= repeat; break;
      case 'I':
      case 'E':
      case 'D':
      case 'F':
      case 'G': {
        const FixedFormat format{groups * repeat, scanner.number().value_or(0)};
        const bool usable =
            format.per_line > 0 && format.per_line <= most_columns && format.width > 0;
        return usable ? std::optional(format) : std::nullopt;
      }
      default: return std::nullopt;
    }
    if (groups > most_columns) return std::nullopt;
  }
}

Count FixedFieldReader::integer() {
  const std::string_view field = next_field();
  Count value = 0;
  if (!parse_integer(field, value)) refuse(field);
  return value;
}

double FixedFieldReader::real() {
  const std::string_view field = next_field();
  double value = 0;
  if (!parse_real(field, value)) refuse(field);
  return value;
}

std::string_view FixedFieldReader::next_field() {
  if (line_.empty() || field_ == format_.per_line) {
    end();
    line_ = source_.require_line("the last of the " + content_);
    field_ = 0;
  }
  const std::size_t begin = std::min(field_ * format_.width, line_.size());
  const std::string_view whole = line_.substr(begin, format_.width);
  const std::string_view field = trimmed(whole);
  if (field.empty()) {
    source_.fail("expected " + std::to_string(format_.per_line) + " " + content_ +
                 " on this line or those that are left, found " + std::to_string(field_));
  }
  expect_whole(whole);
  ++field_;
  return field;
}

/// Numbers are flush right, as Fortran writes them, unless a field before has shown otherwise; of
/// the first field of all the begin shows it.
void FixedFieldReader::expect_whole(std::string_view field) {
  const bool is_short = field.size() < format_.width;
  const bool may_be = has_blanks_ || (is_first_ && field.front() != ' ');
  if (is_short && !may_be) {
    source_.fail("the line ends after " + std::to_string(field.size()) + " of the " +
                 std::to_string(format_.width) + " characters of its last field, " + quoted(field) +
                 "; it was cut");
  }
  has_blanks_ = has_blanks_ || is_short || field.back() == ' ';
  is_first_ = false;
}

void FixedFieldReader::end() {
  const std::size_t used = std::min(field_ * format_.width, line_.size());
  const std::string_view rest = trimmed(line_.substr(used));
  if (rest.empty()) return;
  source_.fail("expected no more than " + std::to_string(field_) + " " + content_ +
               " on this line, found " + quoted(rest));
}

void FixedFieldReader::refuse(std::string_view field) const {
  source_.fail("expected " + content_ + " of " + std::to_string(format_.width) +
               " characters, found " + quoted(field));
}

namespace {

struct Header {
  Storage storage = Storage::one_triangle;
  bool has_values = true;
  /// Numbers of lines.
  struct Lines {
    Count all = 0, pointers = 0, rows = 0, values = 0, right_hand_sides = 0;
  } lines;
  Index n = 0;
  Count entries = 0;
  FixedFormat pointers, rows, values;
};

/// Line 2: how many lines there are in all, of pointers, of row indices, of values and, in
/// Harwell-Boeing files only, of right-hand sides.
void read_line_counts(TextSource& source, Header& header) {
  const std::string_view line = source.require_line("the numbers of lines");
  FieldScanner fields(line);
  Header::Lines& lines = header.lines;
  if (!fields.integer(lines.all) || !fields.integer(lines.pointers) ||
      !fields.integer(lines.rows) || !fields.integer(lines.values)) {
    source.fail("expected four or five numbers of lines, found " + quoted(line));
  }
  if (!fields.at_end() && !fields.integer(lines.right_hand_sides)) {
    source.fail("expected a number of lines of right-hand sides, found " + quoted(line));
  }
  constexpr Count most = std::numeric_limits<Count>::max() / 4;  // so that the sum is a number, too
  if (lines.all > most) {
    source.fail("the file is said to have " + std::to_string(lines.all) +
                " lines, which no file has");
  }
  for (const Count count : {lines.pointers, lines.rows, lines.values, lines.right_hand_sides}) {
    if (count < 0 || count > lines.all) {
      source.fail("one part has " + std::to_string(count) + " lines, where all have " +
                  std::to_string(lines.all));
    }
  }
  const Count sum = lines.pointers + lines.rows + lines.values + lines.right_hand_sides;
  if (sum != lines.all) {
    source.fail("the parts have " + std::to_string(sum) + " lines, where all are said to have " +
                std::to_string(lines.all));
  }
}

/// Fails where line 2 announces other numbers of lines than sizes and formats do.
void expect_line_counts(const TextSource& source, const Header& header) {
  const auto expect = [&](const char* content, Count lines, Count numbers, FixedFormat format) {
    const auto each = static_cast<Count>(std::max<std::size_t>(format.per_line, 1));
    const Count needed = numbers / each + (numbers % each != 0 ? 1 : 0);
    if (lines == needed) return;
    source.fail("line 2 announces " + std::to_string(lines) + " lines of " + content + ", but " +
                std::to_string(numbers) + " of them, " + std::to_string(each) +
                " on a line, take " + std::to_string(needed));
  };
  expect("column pointers", header.lines.pointers, header.n + Count{1}, header.pointers);
  expect("row indices", header.lines.rows, header.entries, header.rows);
  expect("values", header.lines.values, header.has_values ? header.entries : 0, header.values);
}

void apply_type(const TextSource& source, std::string_view type, Values values, Header& header) {
  std::string upper(type);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto is_one_of = [&](std::size_t at, std::string_view letters) {
    return upper.size() == 3 && letters.find(upper[at]) != std::string_view::npos;
  };
  if (!is_one_of(0, "RIP") || !is_one_of(1, "SU") || !is_one_of(2, "A")) {
    source.fail("the type of the matrix is " + quoted(type) +
                "; expected an assembled symmetric one (RSA, ISA, PSA), or an unsymmetric one "
                "(RUA, IUA, PUA) that is symmetric");
  }
  header.has_values = upper[0] != 'P';
  if (!header.has_values && values == Values::required) {
    source.fail("the file holds a pattern without values; only an analysis can use it");
  }
  header.storage = upper[1] == 'S' ? Storage::one_triangle : Storage::both_triangles;
}

/// Line 3: type, rows, columns, entries and, for matrices in elements, their number.
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
  if (rows < 1 || rows > std::numeric_limits<Index>::max()) {
    source.fail("the matrix has " + std::to_string(rows) + " rows; expected 1 to " +
                std::to_string(std::numeric_limits<Index>::max()));
  }
  header.n = static_cast<Index>(rows);
  if (header.entries < 0 || header.entries > source.most_bytes() - rows) {
    source.fail("the file announces " + std::to_string(rows) + " rows and " +
                std::to_string(header.entries) +
                " entries, which cannot be in a file of its size: it is truncated or damaged");
  }
}

/// The next format in parentheses, which are balanced; it is removed from the front of `line`.
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

/// Line 4: the formats of pointers, row indices and values.
void read_formats(TextSource& source, Header& header) {
  std::string_view line = source.require_line("the formats");
  const auto take = [&](const char* content) {
    const std::string_view text = take_parenthesized(line);
    const auto format = parse_fortran_format(text);
    if (!format) {
      source.fail(std::string("expected a format of the ") + content +
                  " like (16I5) or (4E20.12), found " + quoted(text));
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

std::vector<Count> read_pointers(TextSource& source, const Header& header) {
  FixedFieldReader fields(source, header.pointers, "column pointers");
  std::vector<Count> column_begin;
  for (Index j = 0; j <= header.n; ++j) {
    const Count pointer = fields.integer();
    const Count least = j == 0 ? 1 : column_begin.back() + 1;
    const Count most = j == 0 ? 1 : header.entries + 1;
    if (pointer < least || pointer > most) {
      source.fail("column pointer " + std::to_string(j + Count{1}) + " is " +
                  std::to_string(pointer) + ", which is out of the range " + std::to_string(least) +
                  " to " + std::to_string(most));
    }
    column_begin.push_back(pointer - 1);
  }
  fields.end();
  if (column_begin.back() != header.entries) {
    source.fail("the column pointers end at " + std::to_string(column_begin.back()) +
                " entries, where the header announces " + std::to_string(header.entries));
  }
  return column_begin;
}

std::vector<Index> read_rows(TextSource& source, const Header& header) {
  FixedFieldReader fields(source, header.rows, "row indices");
  std::vector<Index> rows;
  rows.reserve(std::min(header.entries, source.likely_bytes() / 2));
  for (Count k = 0; k < header.entries; ++k) {
    const Count row = fields.integer();
    if (row < 1 || row > header.n) {
      source.fail("row index " + std::to_string(row) + " is out of the range 1 to " +
                  std::to_string(header.n));
    }
    rows.push_back(static_cast<Index>(row - 1));
  }
  fields.end();
  return rows;
}

void read_values(TextSource& source, const Header& header, const std::vector<Count>& column_begin,
                 const std::vector<Index>& rows, SymmetricBuilder& builder) {
  FixedFieldReader fields(source, header.values, "values");
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
    source.fail("the file goes on after what it announces: " + quoted(line));
  }
  try {
    SparseMatrix matrix = builder.finish(notes);
    if (values == Values::pattern_only) release(matrix.value);
    return matrix;
  } catch (const EntryError& error) {
    throw InputError(source.path() + ": " + error.defect.describe(1));
  }
}

}  // namespace espalier::internal
