// SPDX-License-Identifier: BSD-3-Clause

// Files of Matrix Market, read as a whole, as a pattern, and as a part of a matrix, which the name
// of the file selects. Accepted matrices are solved.

#include "matrix/matrix_market.hpp"

#include "matrix/load.hpp"
#include "matrix/matrix_part.hpp"
#include "support/matrix_checks.hpp"
#include "support/matrix_text.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

/// Reads the file as a part, which must succeed for every matrix. A part may lack diagonal entries.
void expect_same_part(const std::string& path, const SparseMatrix& matrix) {
  const auto part = accepted([&] { return load_part(path); });
  expect(part && part->n == matrix.pattern.n &&
             static_cast<Count>(part->entry.size()) == matrix.pattern.entries(),
         "no part, or another one, of a matrix that is read as a whole");
  for (std::size_t k = 0; k < part->entry.size(); ++k) {
    expect(part->entry[k].row == matrix.pattern.row[k] && part->entry[k].value == matrix.value[k],
           "a part with other entries");
  }
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("matrix_market");
  static InputFile file(".mtx");
  tally.input();
  const std::string& path = file.holding(text_of(bytes));
  const std::uint32_t variant = hash_of(bytes);
  const auto matrix = read_matrix_and_pattern(read_coordinate_matrix, path, variant, tally);
  // Only for some inputs, because these have a buffer of a MiB, which takes longer than the rest.
  const bool otherwise = variant % 16 == 0;
  if (otherwise) {
    if (!matrix) accepted([&] { return load_part(path); });
    const auto load_as = [&](FileFormat format) {
      return accepted([&] { return load_matrix(path, Values::required, format).matrix; });
    };
    expect_same(matrix, load_as(FileFormat::matrix_market), "load_matrix()");
    const auto recognized = load_as(FileFormat::automatic);
    if (matrix) expect_same(matrix, recognized, "a format by content");
  }
  if (!matrix) return;
  TextSource source(path, 4096);
  if (otherwise && read_banner(source).symmetry == "symmetric") expect_same_part(path, *matrix);
  expect_good_matrix(*matrix, bytes, tally);
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  return mutated_coordinate_file(input, dice);
}

}  // namespace espalier::fuzz
