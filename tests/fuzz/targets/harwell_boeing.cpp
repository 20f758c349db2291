// SPDX-License-Identifier: BSD-3-Clause

// Files of Harwell-Boeing and Rutherford-Boeing. What is accepted is solved.

#include "matrix/harwell_boeing.hpp"

#include "support/matrix_checks.hpp"
#include "support/matrix_text.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

void read(Bytes bytes) {
  static Tally tally("harwell_boeing");
  static InputFile file(".rb");
  tally.input();
  const std::string& path = file.holding(text_of(bytes));
  const std::uint32_t variant = hash_of(bytes);
  const auto matrix = read_matrix(read_harwell_boeing, path, Values::required, variant);
  const auto pattern = read_matrix(read_harwell_boeing, path, Values::pattern_only, variant / 4);
  if (pattern) {
    tally.note(matrix ? "accepted" : "accepted as a pattern");
    check(pattern->pattern);
  }
  if (!matrix) return;
  expect(pattern && pattern->pattern.row == matrix->pattern.row, "a matrix without its pattern");
  expect_good_matrix(*matrix, bytes, tally);
}

std::string new_file(Dice& dice) {
  MatrixText matrix = MatrixText::random(dice);
  const std::size_t changes = dice.roll(4);
  for (std::size_t k = 0; k < changes; ++k) mutate(matrix, dice);
  return boeing_file(matrix, dice);
}

}  // namespace
}  // namespace espalier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  espalier::fuzz::read({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  espalier::fuzz::Dice dice(seed);
  if (dice.chance(1, 4)) return LLVMFuzzerMutate(data, size, most);
  const std::string old(data, data + size);
  const std::string text = dice.chance(1, 2) ? espalier::fuzz::new_file(dice)
                                             : espalier::fuzz::with_other_words(old, dice);
  return text.size() <= most ? espalier::fuzz::put(text, data, most)
                             : LLVMFuzzerMutate(data, size, most);
}
