// SPDX-License-Identifier: BSD-3-Clause

// Right-hand sides and permutations. The first byte of the input is the order of the matrix, and
// the rest is the file.

#include <algorithm>

#include "matrix/dense_vectors.hpp"
#include "matrix/output_file.hpp"
#include "ordering/ordering_file.hpp"
#include "support/matrix_checks.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

void expect_good_vectors(const DenseVectors& vectors, Index n) {
  static const InputFile written("-written.mtx");
  expect_sound(vectors, n);
  OutputFile file(written.path());
  begin_vectors(file, vectors.n, vectors.count);
  add_entries(file, vectors.value);
  file.commit();
  expect(std::get<DenseVectors>(read_vectors(written.path(), n)).value == vectors.value,
         "other values when read again");
}

/// Checks at most 64 vectors, because a line of a file may announce any number of zero vectors.
void expect_good_vectors(const SparseVectors& vectors, Index n) {
  constexpr Index most = 64;
  DenseVectors dense{n, std::min(vectors.count, most), {}};
  dense.value.resize(static_cast<std::size_t>(n) * dense.count);
  vectors.copy(0, dense.value);
  expect_good_vectors(dense, n);
}

std::string new_coordinates(Dice& dice, std::size_t n) {
  const std::size_t count = 1 + dice.roll(3);
  const std::size_t entries = dice.roll(12);
  std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " " +
                     std::to_string(count) + " " + std::to_string(entries) + "\n";
  for (std::size_t k = 0; k < entries; ++k) {
    text += std::to_string(1 + dice.roll(n)) + " " + std::to_string(1 + dice.roll(count)) + " " +
            (dice.chance(1, 8) ? hard_number(dice) : plain_value(dice)) + "\n";
  }
  return text;
}

/// Returns plain text with a row of the vectors on each line.
std::string new_rows(Dice& dice, std::size_t n) {
  const std::size_t count = 1 + dice.roll(3);
  std::string text = dice.chance(1, 4) ? "# comment\n" : "";
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      text += (dice.chance(1, 16) ? hard_number(dice) : plain_value(dice)) + " \t"[dice.roll(2)];
    }
    text += dice.chance(1, 16) ? "\r\n" : "\n";
  }
  return text;
}

std::string new_file(Dice& dice) {
  const std::size_t n = 1 + dice.roll(15);
  std::string text(1, static_cast<char>(n + 48));  // 48 is a multiple of 16, and above 32
  const std::string order = std::to_string(n);
  if (dice.chance(1, 3)) return text + new_coordinates(dice, n);
  if (dice.chance(1, 2)) {
    const std::size_t count = 1 + dice.roll(3);
    text +=
        "%%MatrixMarket matrix array real general\n" + order + " " + std::to_string(count) + "\n";
    for (std::size_t k = 0; k < n * count; ++k) {
      text += (dice.chance(1, 8) ? hard_number(dice) : plain_value(dice)) + "\n";
    }
    return text;
  }
  if (dice.chance(1, 3)) return text + new_rows(dice, n);
  if (dice.chance(1, 2)) text += "%%MatrixMarket matrix array integer general\n" + order + " 1\n";
  std::vector<std::size_t> order_of;
  const std::size_t first = dice.roll(2);
  for (std::size_t k = 0; k < n; ++k) order_of.push_back(k + first);
  for (std::size_t k = 0; k < n; ++k) std::swap(order_of[k], dice.pick(order_of));
  for (const std::size_t vertex : order_of) text += std::to_string(vertex) + "\n ,"[dice.roll(2)];
  return text;
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("vectors");
  static InputFile file(".mtx");
  if (bytes.empty()) return;
  tally.input();
  const Index n = bytes[0] % 16 + (bytes[0] < 32);
  const std::string& path = file.holding(text_of(bytes.subspan(1)));
  const auto vectors = accepted([&] { return read_vectors(path, n); });
  if (vectors) {
    tally.note("accepted as vectors");
    std::visit([n](const auto& some) { expect_good_vectors(some, n); }, *vectors);
  }
  const auto tree = accepted([&] { return read_ordering(path, n); });
  if (!tree) return;
  tally.note("accepted as an ordering");
  expect(std::ssize(tree->column) == n, "an ordering of another size");
  check(Permutation::from_old_of(tree->column));
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  if (dice.chance(1, 4)) return std::nullopt;
  return dice.chance(1, 3) ? new_file(dice) : with_other_words(input, dice);
}

}  // namespace espalier::fuzz
