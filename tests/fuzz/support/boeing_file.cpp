// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "support/matrix_text.hpp"

namespace espalier::fuzz {

namespace {

using Entry = MatrixText::Entry;

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Format of a section: number of fields per line and their width, after a blank if there is one.
struct Section {
  std::size_t per_line, width;
  bool after_blank;
  std::string text{};
  std::size_t fields = 0, lines = 0;

  void add(const std::string& field) {
    if (fields > 0 && fields % per_line == 0) text += "\n";
    if (fields % per_line == 0) ++lines;
    if (fields % per_line == 0 && after_blank) text += " ";
    ++fields;
    text += padded(field, width);
  }
  std::string format(const std::string& letters) const {
    const std::string digits =
        letters == "I" ? "" : "." + std::to_string(width > 8 ? width - 8 : 0);
    return (after_blank ? "(1X," : "(") + std::to_string(per_line) + letters +
           std::to_string(width) + digits + ")";
  }
};

std::size_t widest_value(const MatrixText& matrix) {
  std::size_t widest = 1;
  for (const Entry& e : matrix.entries) widest = std::max(widest, e.value.size());
  return widest;
}

/// Sorts the entries by columns. Removes those outside of the columns, and those above the diagonal
/// of a symmetric matrix.
void arrange(MatrixText& matrix) {
  auto& entries = matrix.entries;
  std::erase_if(entries, [&](const Entry& e) {
    return e.column < 1 || e.column > matrix.n || (matrix.is_symmetric() && e.row < e.column);
  });
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.column, e.row); });
}

}  // namespace

std::string boeing_file(MatrixText matrix, Dice& dice) {
  arrange(matrix);
  const auto& entries = matrix.entries;
  Section pointers{1 + dice.roll(16), 5 + dice.roll(10), dice.chance(1, 4)};
  Section rows{1 + dice.roll(16), 4 + dice.roll(10), dice.chance(1, 4)};
  Section values{1 + dice.roll(5), widest_value(matrix) + 1 + dice.roll(10), dice.chance(1, 4)};
  auto next = entries.begin();
  pointers.add("1");
  for (long j = 1; j <= matrix.n; ++j) {
    for (; next != entries.end() && next->column == j; ++next) {
      rows.add(std::to_string(next->row));
      if (matrix.has_values()) values.add(next->value.empty() ? "1" : next->value);
    }
    pointers.add(std::to_string(next - entries.begin() + 1));
  }
  const bool has_values = matrix.has_values();
  const bool harwell = dice.chance(1, 2);
  std::string text = padded("title", 72) + padded("key", 8) + "\n";
  for (const std::size_t lines :
       {pointers.lines + rows.lines + values.lines, pointers.lines, rows.lines, values.lines}) {
    text += padded(std::to_string(lines), 14);
  }
  if (harwell) text += padded("0", 14);
  const char kind = !has_values ? 'P' : matrix.banner[2] == "integer" ? 'I' : 'R';
  const std::string type{kind, matrix.is_symmetric() ? 'S' : 'U', 'A'};
  text += "\n" + type + padded("", 11);
  const std::string order = std::to_string(matrix.n);
  for (const std::string& size : {order, order, std::to_string(entries.size()), std::string("0")}) {
    text += padded(size, 14);
  }
  static const std::vector<std::string> reals{"E", "F", "D", "G", "ES", "EN"};
  const std::string letters = kind == 'I' ? "I" : dice.pick(reals);
  text += "\n" + pointers.format("I") +
          padded("", 16 - std::min<std::size_t>(16, pointers.format("I").size())) +
          rows.format("I") + "  " + (has_values ? values.format(letters) : "") + "\n";
  text += pointers.text + "\n" + rows.text + "\n";
  return has_values ? text + values.text + "\n" : text;
}

}  // namespace espalier::fuzz
