// SPDX-License-Identifier: BSD-3-Clause
#include "support/matrix_text.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>

namespace espalier::fuzz {

namespace {

constexpr std::size_t most_entries = 2000;
constexpr long largest_random_order = 60;

using Entry = MatrixText::Entry;

Entry* diagonal_of(MatrixText& matrix, long j) {
  const auto at = std::ranges::find_if(matrix.entries,
                                       [&](const Entry& e) { return e.row == j && e.column == j; });
  return at == matrix.entries.end() ? nullptr : &*at;
}

std::string value_for(const MatrixText& matrix, const std::string& value) {
  return matrix.has_values() ? value : std::string();
}

/// Adds the entry and, if both triangles are given, its mirror.
void add_pair(MatrixText& matrix, long row, long column, const std::string& value) {
  if (row < column) std::swap(row, column);
  matrix.entries.push_back({row, column, value_for(matrix, value)});
  if (!matrix.is_symmetric() && row != column) {
    matrix.entries.push_back({column, row, value_for(matrix, value)});
  }
}

void add_pair_at_random(MatrixText& matrix, Dice& dice) {
  if (matrix.n < 2) return;
  const long row = 2 + static_cast<long>(dice.roll(static_cast<std::size_t>(matrix.n) - 1));
  const long column = 1 + static_cast<long>(dice.roll(static_cast<std::size_t>(row) - 1));
  const auto there = std::ranges::find_if(matrix.entries, [&](const Entry& e) {
    return std::minmax(e.row, e.column) == std::minmax(row, column);
  });
  if (there != matrix.entries.end()) return;
  add_pair(matrix, row, column, plain_value(dice));
}

void grow(MatrixText& matrix, Dice& dice) {
  if (matrix.n >= largest_random_order) return;
  ++matrix.n;
  add_pair(matrix, matrix.n, matrix.n, std::to_string(10 + dice.roll(20)));
  add_pair_at_random(matrix, dice);
}

void set_pair(MatrixText& matrix, Dice& dice, const std::string& value) {
  if (matrix.entries.empty() || !matrix.has_values()) return;
  const Entry chosen = dice.pick(matrix.entries);
  for (Entry& e : matrix.entries) {
    if (std::minmax(e.row, e.column) == std::minmax(chosen.row, chosen.column)) e.value = value;
  }
}

/// Makes each diagonal entry larger than the rest of its row, if values are plain.
void dominate(MatrixText& matrix) {
  for (long j = 1; j <= matrix.n; ++j) {
    Entry* const diagonal = diagonal_of(matrix, j);
    if (diagonal != nullptr && matrix.has_values())
      diagonal->value = std::to_string(10 * matrix.n + 1);
  }
}

void swap_vertices(MatrixText& matrix, Dice& dice) {
  const long a = 1 + static_cast<long>(dice.roll(static_cast<std::size_t>(matrix.n)));
  const long b = 1 + static_cast<long>(dice.roll(static_cast<std::size_t>(matrix.n)));
  const auto other = [&](long i) { return i == a ? b : i == b ? a : i; };
  for (Entry& e : matrix.entries) e = {other(e.row), other(e.column), e.value};
}

void change_symmetry(MatrixText& matrix) {
  std::vector<Entry> entries;
  const bool was_symmetric = matrix.is_symmetric();
  for (const Entry& e : matrix.entries) {
    if (was_symmetric || e.row >= e.column) entries.push_back(e);
    if (was_symmetric && e.row != e.column) entries.push_back({e.column, e.row, e.value});
  }
  matrix.entries = std::move(entries);
  matrix.banner[3] = was_symmetric ? "general" : "symmetric";
}

void change_field(MatrixText& matrix, Dice& dice) {
  if (matrix.has_values()) {
    if (dice.chance(1, 4)) {
      matrix.banner[2] = "pattern";
      for (Entry& e : matrix.entries) e.value.clear();
    } else {
      matrix.banner[2] = matrix.banner[2] == "real" ? "integer" : "real";
    }
  } else {
    matrix.banner[2] = "real";
    for (Entry& e : matrix.entries) e.value = e.row == e.column ? "9" : "1";
  }
}

void change_order_of_entries(MatrixText& matrix, Dice& dice) {
  auto& entries = matrix.entries;
  switch (dice.roll(4)) {
    case 0: std::ranges::reverse(entries); break;
    case 1:
      std::ranges::stable_sort(entries, {},
                               [](const Entry& e) { return std::pair(e.column, e.row); });
      break;
    case 2:
      std::ranges::stable_sort(entries, {},
                               [](const Entry& e) { return std::pair(e.row, e.column); });
      break;
    default:
      if (!entries.empty()) std::swap(dice.pick(entries), dice.pick(entries));
  }
}

void change_layout(MatrixText& matrix, Dice& dice) {
  constexpr std::array comments{"", "% a comment", "%", " ", "\t%x", "%%MatrixMarket", "\n\n"};
  switch (dice.roll(3)) {
    case 0: matrix.line_end = matrix.line_end == "\n" ? "\r\n" : "\n"; break;
    case 1: matrix.comment = dice.pick(comments); break;
    default: matrix.last_line_ends = !matrix.last_line_ends;
  }
}

/// Damages the file, so that readers must refuse most results.
void damage(MatrixText& matrix, Dice& dice) {
  constexpr std::array words{
      "array",     "vector", "complex", "skew-symmetric",  "hermitian", "REAL",
      "Symmetric", "double", "",        "unsigned-integer"};
  auto& entries = matrix.entries;
  switch (dice.roll(7)) {
    case 0: dice.pick(matrix.banner) = dice.pick(words); break;
    case 1:
      matrix.size_line =
          with_other_words(std::to_string(matrix.n) + " " + std::to_string(matrix.n) + " " +
                               std::to_string(entries.size()),
                           dice);
      break;
    case 2:
      if (!entries.empty()) entries.push_back(dice.pick(entries));
      break;
    case 3:
      if (!entries.empty())
        entries.erase(entries.begin() + static_cast<long>(dice.roll(entries.size())));
      break;
    case 4:
      if (!entries.empty()) std::swap(dice.pick(entries).row, dice.pick(entries).column);
      break;
    case 5:
      if (!entries.empty()) dice.pick(entries).value = hard_number(dice);
      break;
    default:
      if (!entries.empty()) dice.pick(entries).row = static_cast<long>(dice.roll(80)) - 1;
  }
}

void mutate_once(MatrixText& matrix, Dice& dice) {
  switch (dice.roll(14)) {
    case 0:
    case 1: grow(matrix, dice); break;
    case 2:
    case 3: add_pair_at_random(matrix, dice); break;
    case 4: set_pair(matrix, dice, hard_number(dice)); break;
    case 5:
    case 6: set_pair(matrix, dice, plain_value(dice)); break;
    case 7: dominate(matrix); break;
    case 8: swap_vertices(matrix, dice); break;
    case 9: change_symmetry(matrix); break;
    case 10: change_field(matrix, dice); break;
    case 11: change_order_of_entries(matrix, dice); break;
    case 12: change_layout(matrix, dice); break;
    default: damage(matrix, dice);
  }
}

}  // namespace

std::optional<MatrixText> MatrixText::parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  MatrixText matrix;
  std::string line;
  std::getline(in, line);
  if (line.ends_with('\r')) {
    matrix.line_end = "\r\n";
    line.pop_back();
  }
  std::istringstream words(line);
  std::string mark;
  words >> mark;
  for (std::string& word : matrix.banner) words >> word;
  if (mark != "%%MatrixMarket" || !words) return std::nullopt;
  do {
    std::getline(in, line);
  } while (in && (line.empty() || line[0] == '%'));
  long columns = 0;
  std::size_t announced = 0;
  if (!(std::istringstream(line) >> matrix.n >> columns >> announced)) return std::nullopt;
  while (std::getline(in, line) && matrix.entries.size() < most_entries) {
    std::istringstream fields(line);
    Entry entry{};
    if (!(fields >> entry.row >> entry.column)) continue;
    fields >> entry.value;
    matrix.entries.push_back(entry);
  }
  const bool usable = matrix.n >= 1 && matrix.n <= 1000 && !matrix.entries.empty();
  return usable ? std::optional(matrix) : std::nullopt;
}

MatrixText MatrixText::random(Dice& dice) {
  MatrixText matrix;
  const auto order = 1 + dice.roll(dice.chance(1, 4) ? largest_random_order : 12);
  for (std::size_t j = 0; j < order; ++j) grow(matrix, dice);
  const std::size_t more = dice.roll(2 * order);
  for (std::size_t k = 0; k < more; ++k) add_pair_at_random(matrix, dice);
  if (dice.chance(1, 2)) dominate(matrix);
  return matrix;
}

std::string MatrixText::coordinate_file() const {
  std::string text = "%%MatrixMarket";
  for (const std::string& word : banner) text += " " + word;
  text += line_end;
  if (!comment.empty()) text += comment + line_end;
  const std::string order = std::to_string(n);
  text +=
      size_line.empty() ? order + " " + order + " " + std::to_string(entries.size()) : size_line;
  for (const Entry& e : entries) {
    text += line_end + std::to_string(e.row) + " " + std::to_string(e.column);
    if (!e.value.empty()) text += " " + e.value;
  }
  return last_line_ends ? text + line_end : text;
}

void mutate(MatrixText& matrix, Dice& dice, std::size_t times) {
  for (std::size_t k = 0; k < times; ++k) mutate_once(matrix, dice);
}

std::optional<std::string> mutated_coordinate_file(std::string_view text, Dice& dice) {
  if (dice.chance(1, 12)) return std::nullopt;
  auto matrix = MatrixText::parse(text);
  if (!matrix || dice.chance(1, 50)) matrix = MatrixText::random(dice);
  mutate(*matrix, dice, 1 + dice.roll(4));
  return matrix->coordinate_file();
}

}  // namespace espalier::fuzz
