// SPDX-License-Identifier: BSD-3-Clause

// Numbers in files and options, compared with those of the C library. Also formats of Fortran,
// numbers of bytes and divisions of HALO.

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/halo_division.hpp"
#include "base/memory.hpp"
#include "matrix/fortran_format.hpp"
#include "matrix/text_source.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

bool is_number_without_letters(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

/// If strtod() reads all of a text without Fortran's exponents, expects the same number, or the
/// same kind of overflow.
void read_real(const std::string& text, Tally& tally) {
  double value = 0;
  const bool taken = parse_real(text, value);
  if (taken) tally.note("real");
  if (!is_number_without_letters(text)) return;
  char* end = nullptr;
  const double expected = std::strtod(text.c_str(), &end);
  if (*end != '\0') return;
  expect(taken, "a real number that is not read: " + text);
  expect(value == expected, "another real number than that of " + text);
}

void read_integer(const std::string& text, Tally& tally) {
  Count value = 0;
  if (!parse_integer(text, value)) return;
  tally.note("integer");
  char* end = nullptr;
  const long long expected = std::strtoll(text.c_str(), &end, 10);
  expect(*end == '\0' && value == expected, "another integer than that of " + text);
}

/// Expects that the fields of a line have numbers and do not overlap.
void expect_sound_format(const FixedFormat& format) {
  for (const auto& fields : {format.first, format.later}) {
    expect(!fields.empty() && fields.size() <= 1000, "a format");
    std::size_t at = 0;
    for (const FixedFormat::Field& field : fields) {
      expect(field.begin >= at && field.width >= 1, "a field of a format");
      at = field.begin + field.width;
    }
  }
  expect(format.lines_for(0) == 0 && format.lines_for(1) == 1, "numbers of lines");
}

std::string new_format(Dice& dice) {
  static const std::vector<std::string> items{"3I5",  "E20.12", "1X", "2X,",   "1P",  "ES12.4E3",
                                              "(",    "2(",     ")",  "X",     "SP,", "-2P3F",
                                              "I8.8", ",",      ":",  "4EN9.1"};
  std::string text = "(";
  for (std::size_t k = dice.roll(8); k > 0; --k) text += dice.pick(items);
  return text + (dice.chance(1, 2) ? "I5)" : "))");
}

void read_others(const std::string& text, Tally& tally) {
  if (const auto format = parse_fortran_format(text)) {
    tally.note("format");
    expect_sound_format(*format);
  }
  if (const auto division = halo_division(text)) {
    tally.note("division");
    expect(division->share >= 0 && division->share <= 1 && division->cut_offs.rows >= 0,
           "a division without sense");
  }
  if (const auto bytes = accepted([&] { return parse_bytes(text); })) {
    tally.note("bytes");
    expect(*bytes >= 0, "a negative number of bytes");
    expect_message(readable_bytes(*bytes));
  }
}

std::string new_text(Dice& dice) {
  switch (dice.roll(6)) {
    case 0:
      return "(" + std::to_string(dice.roll(20)) + "EDFGI"[dice.roll(5)] +
             std::to_string(dice.roll(30)) + ".8)";
    case 1: return plain_value(dice) + "KMGTkmB"[dice.roll(7)] + (dice.chance(1, 2) ? "iB" : "");
    case 2: return (dice.chance(1, 2) ? "static0:" : "static1:") + plain_value(dice) + ":1x2x3";
    case 3: return hard_number(dice);
    case 4: return new_format(dice);
    default: {
      std::string digits = std::to_string(dice.roll(100000));
      digits.insert(dice.roll(digits.size()), std::string(dice.roll(400), '0'));
      if (dice.chance(1, 2)) digits.insert(dice.roll(digits.size()), ".");
      if (dice.chance(1, 2))
        digits += "e" + std::to_string(static_cast<int>(dice.roll(1000)) - 500);
      return digits;
    }
  }
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("numbers");
  tally.input();
  const std::string text = text_of(bytes);
  if (text.find('\0') == std::string::npos) {
    read_real(text, tally);
    read_integer(text, tally);
  }
  read_others(text, tally);
}

std::optional<std::string> other_input(const std::string& /*input*/, Dice& dice) {
  if (dice.chance(1, 2)) return std::nullopt;
  return new_text(dice);
}

}  // namespace espalier::fuzz
