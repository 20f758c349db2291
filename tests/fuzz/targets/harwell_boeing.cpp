// SPDX-License-Identifier: BSD-3-Clause

// Files of Harwell-Boeing and Rutherford-Boeing. Accepted matrices are solved.

#include "matrix/harwell_boeing.hpp"

#include "support/matrix_checks.hpp"
#include "support/matrix_text.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

std::string new_file(Dice& dice) {
  MatrixText matrix = MatrixText::random(dice);
  mutate(matrix, dice, dice.roll(4));
  return boeing_file(matrix, dice);
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("harwell_boeing");
  static InputFile file(".rb");
  tally.input();
  const std::string& path = file.holding(text_of(bytes));
  const auto matrix = read_matrix_and_pattern(read_harwell_boeing, path, hash_of(bytes), tally);
  // Only for some inputs, because the buffer of a MiB takes longer than the rest.
  if (hash_of(bytes) % 16 == 0) {
    const auto loaded = accepted(
        [&] { return load_matrix(path, Values::required, FileFormat::harwell_boeing).matrix; });
    expect_same(matrix, loaded, "load_matrix()");
    accepted([&] { return load_matrix(path).matrix; });
  }
  if (matrix) expect_good_matrix(*matrix, bytes, tally);
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  if (dice.chance(1, 4)) return std::nullopt;
  return dice.chance(1, 2) ? new_file(dice) : with_other_words(input, dice);
}

}  // namespace espalier::fuzz
