// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::fuzz {

/// Random generator that gives the same numbers for the same seed on all platforms.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) { engine_.discard(2); }

  /// Returns a number in [0, sides), or 0 if there are no sides.
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

/// Returns the text of a number that is hard to read: signs, exponents, limits, nan.
std::string hard_number(Dice& dice);

/// Returns the text of a whole number that is hard to read: limits of types, signs, leading zeros.
std::string hard_whole_number(Dice& dice);

/// Returns a plain value, small and short.
std::string plain_value(Dice& dice);

/// Returns the words of a text and the separators between them.
std::vector<std::string> words_of(std::string_view text);

/// Replaces, swaps, repeats or drops words. Most new words are numbers.
std::string with_other_words(std::string_view text, Dice& dice);

/// The last texts that a reader accepted. Mutations restart from them if random bytes have damaged
/// an input beyond repair.
class Reservoir {
 public:
  void keep(std::string text);
  /// Returns a random one of the texts, or an empty text if there are none.
  std::string any(Dice& dice) const;

 private:
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

}  // namespace espalier::fuzz
