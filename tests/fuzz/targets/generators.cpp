// SPDX-License-Identifier: BSD-3-Clause

// Names of generated problems. A small problem is generated, and must have the order that its name
// says. All other names must be refused. Large problems are skipped.

#include "matrix/generators.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

constexpr double most_rows = 2000;

/// Returns the numbers between the letters x, or none if the text has other characters.
std::vector<double> sizes_in(const std::string& text) {
  std::vector<double> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const std::string size = text.substr(at, end - at);
    if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos) return {};
    sizes.push_back(std::strtod(size.c_str(), nullptr));
    at = end + 1;
  }
  return sizes;
}

/// Returns the order that the name says, 0 if that is not a valid order, and nothing if the name is
/// not that of a generator.
std::optional<double> order_of(const std::string& spec) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string name = spec.substr(0, colon);
  const std::vector<double> sizes =
      colon < spec.size() ? sizes_in(spec.substr(colon + 1)) : std::vector<double>();
  if (name == "elasticity3d" && (sizes.size() == 1 || sizes.size() == 3)) {
    const double x = sizes.front(), y = sizes[sizes.size() / 2], z = sizes.back();
    return x < 1 || y < 1 || z < 1 ? 0 : 3 * x * (y + 1) * (z + 1);
  }
  if (sizes.size() != 1) return std::nullopt;
  if (name == "irregular2d") return sizes.front();
  const double m = sizes.front();
  if (name == "laplace2d") return m * m;
  if (name == "stokes2d") return 2 * m * (m - 1) + m * m - 1;
  if (name == "mixed2d") return 2 * m * (m + 1) + m * m;
  const bool is_cube = name == "laplace3d" || name == "stencil27" || name == "helmholtz3d";
  return is_cube ? std::optional(std::pow(m, 3)) : std::nullopt;
}

std::string new_spec(Dice& dice) {
  constexpr std::array names{"laplace2d", "laplace3d", "stencil27",   "elasticity3d", "irregular2d",
                             "stokes2d",  "mixed2d",   "helmholtz3d", "laplace4d"};
  std::string spec = std::string(dice.pick(names)) + ":";
  const std::size_t sizes = dice.chance(1, 2) ? 1 : 1 + dice.roll(4);
  for (std::size_t k = 0; k < sizes; ++k) {
    if (k > 0) spec += "xX ,"[dice.chance(3, 4) ? 0 : dice.roll(4)];
    spec += dice.chance(1, 4) ? hard_whole_number(dice) : std::to_string(dice.roll(14));
  }
  return spec;
}

}  // namespace

void try_input(Bytes bytes) {
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

std::optional<std::string> other_input(const std::string& /*input*/, Dice& dice) {
  if (dice.chance(1, 2)) return std::nullopt;
  return new_spec(dice);
}

}  // namespace espalier::fuzz
