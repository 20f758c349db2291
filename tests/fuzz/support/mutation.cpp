// SPDX-License-Identifier: BSD-3-Clause
#include "support/mutation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::fuzz {

namespace {

constexpr std::array whole_numbers{"0",
                                   "-1",
                                   "1",
                                   "2",
                                   "+3",
                                   "007",
                                   "2147483647",
                                   "2147483648",
                                   "4294967295",
                                   "-2147483648",
                                   "46341",
                                   "1291",
                                   "4294967297",
                                   "1000000",
                                   "00",
                                   "-0",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "9223372036854775808",
                                   "18446744073709551616",
                                   "99999999999999999999999"};

constexpr std::array numbers{"1e-320",
                             "4.9e-324",
                             "2.2250738585072014e-308",
                             "1.7976931348623157e308",
                             "1e309",
                             "-1e400",
                             "1e-400",
                             "1.d0",
                             "1.5D+03",
                             "1.234-101",
                             "-.5",
                             "+2",
                             "5.",
                             "-0.0",
                             "0.0",
                             "nan",
                             "inf",
                             "-inf",
                             "NaN",
                             "infinity",
                             "0x1p3",
                             "1e",
                             "e5",
                             ".",
                             "-",
                             "1e+",
                             "1E5",
                             "1d-5",
                             "1+5",
                             "--1",
                             "+-1",
                             "1e-5",
                             "1e99999999999999999",
                             "0.1",
                             "3.3333333333333335",
                             "1,5",
                             "1_000",
                             "\t1",
                             "1e-17",
                             "9007199254740993",
                             "123456789012345678901234567890",
                             "0.30000000000000004"};

bool is_between(char c) { return c == ' ' || c == '\n' || c == '\t' || c == ',' || c == '\r'; }

}  // namespace

std::string hard_number(Dice& dice) {
  return dice.chance(1, 3) ? dice.pick(whole_numbers) : dice.pick(numbers);
}

std::string hard_whole_number(Dice& dice) { return dice.pick(whole_numbers); }

std::string plain_value(Dice& dice) {
  const int tenths = static_cast<int>(dice.roll(41)) - 20;
  const std::string digits = std::to_string(std::abs(tenths) / 2);
  return (tenths < 0 ? "-" : "") + digits + (tenths % 2 != 0 ? ".5" : "");
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const bool same = !words.empty() && is_between(words.back().back()) == is_between(c);
    if (!same) words.emplace_back();
    words.back() += c;
  }
  return words;
}

std::string with_other_words(std::string_view text, Dice& dice) {
  std::vector<std::string> words = words_of(text);
  if (words.empty()) return hard_number(dice);
  std::string& word = dice.pick(words);
  switch (dice.roll(6)) {
    case 0: word = hard_number(dice); break;
    case 1: word = hard_whole_number(dice); break;
    case 2: std::swap(word, dice.pick(words)); break;
    case 3: word += " " + word; break;
    case 4: word.clear(); break;
    default: word = std::to_string(dice.roll(12)); break;
  }
  std::string changed;
  for (const std::string& each : words) changed += each;
  return changed;
}

void Reservoir::keep(std::string text) {
  constexpr std::size_t most = 64;
  if (texts_.size() < most) {
    texts_.push_back(std::move(text));
  } else {
    texts_[next_++ % most] = std::move(text);
  }
}

std::string Reservoir::any(Dice& dice) const {
  return texts_.empty() ? "" : texts_[dice.roll(texts_.size())];
}

}  // namespace espalier::fuzz
