// SPDX-License-Identifier: BSD-3-Clause

// Names of generated problems: a small one is made, with the order that the name says, and all that
// is no such name is refused. Large ones are left out.

#include "matrix/generators.hpp"

#include <cmath>
#include <regex>

#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

constexpr double most_rows = 2000;

/// Returns the order that the name says, 0 for one without sense, and nothing where the name is
/// that of no generator. Sizes of more than 18 digits count as too large.
std::optional<double> order_of(const std::string& spec) {
  static const std::regex one("(laplace2d|laplace3d|stencil27|irregular2d):([0-9]+)");
  static const std::regex three("elasticity3d:([0-9]+)(x([0-9]+)x([0-9]+))?");
  std::smatch match;
  const auto size = [&](int group) { return std::strtod(match[group].str().c_str(), nullptr); };
  if (std::regex_match(spec, match, one)) {
    const std::string name = match[1];
    return std::pow(size(2), name == "irregular2d" ? 1 : name == "laplace2d" ? 2 : 3);
  }
  if (!std::regex_match(spec, match, three)) return std::nullopt;
  const double x = size(1);
  const double y = match[2].matched ? size(3) : x;
  const double z = match[2].matched ? size(4) : x;
  return x < 1 || y < 1 || z < 1 ? 0 : 3 * x * (y + 1) * (z + 1);
}

void read(Bytes bytes) {
  static Tally tally("generators");
  tally.input();
  const std::string spec = text_of(bytes);
  const auto order = order_of(spec);
  const bool is_possible = order && *order >= 1 && *order < 2147483648.0;
  if (is_possible && *order > most_rows) return tally.note("large");
  const auto matrix = accepted([&] { return generate_matrix(spec); });
  expect(matrix.has_value() == is_possible,
         matrix ? "a matrix for a name without sense" : "no matrix for " + spec);
  if (!matrix) return;
  tally.note("accepted");
  expect(matrix->pattern.n == *order, "a matrix of another order");
  check(*matrix);
}

std::string new_spec(Dice& dice) {
  constexpr std::array names{"laplace2d",    "laplace3d",   "stencil27",
                             "elasticity3d", "irregular2d", "laplace4d"};
  std::string spec = std::string(dice.pick(names)) + ":";
  const std::size_t sizes = dice.chance(1, 2) ? 1 : 1 + dice.roll(4);
  for (std::size_t k = 0; k < sizes; ++k) {
    if (k > 0) spec += "xX ,"[dice.chance(3, 4) ? 0 : dice.roll(4)];
    spec += dice.chance(1, 4) ? hard_whole_number(dice) : std::to_string(dice.roll(14));
  }
  return spec;
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
  if (dice.chance(1, 2)) return LLVMFuzzerMutate(data, size, most);
  return espalier::fuzz::put(espalier::fuzz::new_spec(dice), data, most);
}
