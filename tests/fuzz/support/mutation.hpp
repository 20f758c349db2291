// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::fuzz {

/// Draws the same numbers for the same seed everywhere.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) { engine_.discard(2); }

  /// Returns a number in [0, sides); 0 where there are no sides.
  std::size_t roll(std::size_t sides) { return sides > 1 ? engine_() / 16 % sides : 0; }
  /// Returns true in `times` of `of` cases.
  bool chance(std::size_t times, std::size_t of) { return roll(of) < times; }

  template <class Container>
  auto& pick(Container& from) {
    return from[roll(from.size())];
  }

 private:
  std::minstd_rand engine_;
};

/// Returns the text of a number that readers find hard: signs, exponents, limits, nan.
std::string hard_number(Dice& dice);

/// Returns that of a whole number that is one: limits of types, signs, leading zeros.
std::string hard_whole_number(Dice& dice);

/// Returns a plain value, small and short.
std::string plain_value(Dice& dice);

/// The words of a text and what stands between them.
std::vector<std::string> words_of(std::string_view text);

/// Replaces, swaps, repeats or drops words; words are numbers mostly.
std::string with_other_words(std::string_view text, Dice& dice);

/// The last texts that a reader accepted, from which mutations begin anew where bytes have made
/// something of which nothing can be made.
class Reservoir {
 public:
  void keep(std::string text);
  /// Returns one of them, or an empty text where there is none.
  std::string any(Dice& dice) const;

 private:
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

}  // namespace espalier::fuzz
