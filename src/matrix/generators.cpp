// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/generators.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "espalier/error.hpp"
#include "matrix/elasticity_problem.hpp"
#include "matrix/grid_problems.hpp"
#include "matrix/irregular_problem.hpp"

namespace espalier {

namespace {

using Sizes = std::array<Index, 3>;

struct Generator {
  std::string_view name;
  std::string_view sizes;  ///< their notation
  std::string_view range;
  bool three_sizes;
  double (*order)(const Sizes&);
  SparseMatrix (*make)(const Sizes&);
};

double cube(const Sizes& s) { return static_cast<double>(s[0]) * s[0] * s[0]; }

constexpr std::array<Generator, 5> generators{{
    {"laplace2d", "M", "M from 1 to 46340", false,
     [](const Sizes& s) { return static_cast<double>(s[0]) * s[0]; },
     [](const Sizes& s) { return laplace2d(s[0]); }},
    {"laplace3d", "M", "M from 1 to 1290", false, cube,
     [](const Sizes& s) { return laplace3d(s[0]); }},
    {"stencil27", "M", "M from 1 to 1290", false, cube,
     [](const Sizes& s) { return stencil27(s[0]); }},
    {"elasticity3d", "XxYxZ", "X, Y, Z from 1 on and 3 X (Y + 1) (Z + 1) below 2^31", true,
     [](const Sizes& s) { return 3.0 * s[0] * (s[1] + 1.0) * (s[2] + 1.0); },
     [](const Sizes& s) { return elasticity3d(s[0], s[1], s[2]); }},
    {"irregular2d", "N", "N from 1 to 2147483647", false,
     [](const Sizes& s) { return static_cast<double>(s[0]); },
     [](const Sizes& s) { return irregular2d(s[0]); }},
}};

const Generator* find_generator(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  for (const Generator& generator : generators) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

/// Reads a positive number from the front of `text` and removes it there.
std::optional<Index> take_size(std::string_view& text) {
  Index size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || size < 1) return std::nullopt;
  text.remove_prefix(end - text.data());
  return size;
}

std::optional<Sizes> parse_sizes(std::string_view text, bool three_sizes) {
  const auto first = take_size(text);
  if (!first) return std::nullopt;
  Sizes sizes{*first, *first, *first};
  if (three_sizes && !text.empty()) {
    for (int k = 1; k < 3; ++k) {
      if (text.empty() || text.front() != 'x') return std::nullopt;
      text.remove_prefix(1);
      const auto size = take_size(text);
      if (!size) return std::nullopt;
      sizes[k] = *size;
    }
  }
  if (!text.empty()) return std::nullopt;
  return sizes;
}

}  // namespace

bool is_generator_spec(const std::string& text) { return find_generator(text) != nullptr; }

std::string generator_usage() {
  std::string usage;
  for (const Generator& generator : generators) {
    usage += usage.empty() ? "" : ", ";
    usage.append(generator.name).append(":").append(generator.sizes);
  }
  return usage;
}

SparseMatrix generate_matrix(const std::string& spec) {
  const Generator* generator = find_generator(spec);
  if (generator == nullptr) {
    throw UsageError("'" + spec + "' names no generator; there are " + generator_usage());
  }
  const std::size_t colon = spec.find(':');
  const std::string_view sizes_text =
      colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1);
  const auto sizes = parse_sizes(sizes_text, generator->three_sizes);
  if (!sizes || generator->order(*sizes) > std::numeric_limits<Index>::max()) {
    throw UsageError("'" + spec + "' is no matrix to generate; expected " +
                     std::string(generator->name) + ":" + std::string(generator->sizes) + " with " +
                     std::string(generator->range));
  }
  return generator->make(*sizes);
}

}  // namespace espalier
