// SPDX-License-Identifier: BSD-3-Clause

// Right-hand sides in NumPy's format. The first byte of the input is the order of the matrix, and
// the rest is the file.

#include <cmath>
#include <cstring>

#include "matrix/numpy_array.hpp"
#include "support/matrix_checks.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

/// Returns a header with its entries in any order. A few are of array types that the reader
/// refuses.
std::string new_header(Dice& dice, const std::string& type, std::size_t n, std::size_t count) {
  std::string shape = std::to_string(n) + ",";
  if (count > 1 || dice.chance(1, 2)) shape += " " + std::to_string(count);
  if (dice.chance(1, 16)) shape += ", 1";
  std::vector<std::string> entries{
      "'descr': '" + type + "'",
      std::string("'fortran_order': ") + (dice.chance(1, 2) ? "True" : "False"),
      "'shape': (" + shape + ")"};
  std::string text = "{";
  while (!entries.empty()) {
    const std::size_t next = dice.roll(entries.size());
    text += entries[next] + ", ";
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return text + "}\n";
}

std::string new_file(Dice& dice) {
  const std::size_t n = 1 + dice.roll(15);
  const std::size_t count = 1 + dice.roll(3);
  static const std::vector<std::string> types{"<f8", "<f8", "<f8", ">f8", "<f4", ">f4", "<i4",
                                              ">i8", "|u1", "|b1", "=i2", "<c8", "|O1"};
  const std::string type = dice.pick(types);
  const std::string header = new_header(dice, type, n, count);
  std::string file(1, static_cast<char>(n + 48));  // 48 is a multiple of 16, and above 32
  file += "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  file += header;
  const std::size_t values = dice.chance(1, 8) ? dice.roll(50) : n * count;
  const auto width = static_cast<std::size_t>(type[2] - '0');
  for (std::size_t k = 0; k < values; ++k) {
    if (width != sizeof(double)) {
      for (std::size_t byte = 0; byte < width; ++byte) file += static_cast<char>(dice.roll(64));
      continue;
    }
    const double value = dice.chance(1, 64) ? NAN : static_cast<double>(dice.roll(100)) - 50;
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    file.append(bytes, sizeof value);
  }
  return file;
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("numpy");
  static InputFile file(".npy");
  if (bytes.empty()) return;
  tally.input();
  const Index n = bytes[0] % 16 + (bytes[0] < 32);
  const std::string& path = file.holding(text_of(bytes.subspan(1)));
  const auto vectors = accepted([&] { return read_numpy_vectors(path, n); });
  if (!vectors) return;
  tally.note("accepted");
  expect_sound(*vectors, n);
  std::string again = numpy_header(n, vectors->count);
  const auto* const values = reinterpret_cast<const char*>(vectors->value.data());
  again.append(values, vectors->value.size() * sizeof(double));
  expect(read_numpy_vectors(file.holding(again), n).value == vectors->value,
         "other values when read again");
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  if (dice.chance(1, 2)) return std::nullopt;
  return dice.chance(1, 2) ? new_file(dice) : with_other_words(input, dice);
}

}  // namespace espalier::fuzz
