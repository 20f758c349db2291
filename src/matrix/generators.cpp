// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/generators.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "matrix/column_writer.hpp"

namespace espalier::internal {

namespace {

struct Step {
  Index x, y, z;
};

/// Returns the steps to the neighbours with a higher number, ascending, at most `reach` apart in
/// the 1-norm.
std::vector<Step> forward_steps(Index reach) {
  std::vector<Step> steps;
  for (Index x = 0; x <= 1; ++x) {
    for (Index y = -1; y <= 1; ++y) {
      for (Index z = -1; z <= 1; ++z) {
        const bool forward = 9 * x + 3 * y + z > 0;
        if (forward && x + std::abs(y) + std::abs(z) <= reach) steps.push_back({x, y, z});
      }
    }
  }
  return steps;
}

SparseMatrix cube_stencil(Index m, Index reach, double diagonal) {
  const std::vector<Step> steps = forward_steps(reach);
  const Index n = m * m * m;
  ColumnWriter columns(n, static_cast<Count>(n) * static_cast<Count>(1 + steps.size()));
  const auto inside = [m](Index coordinate) { return coordinate >= 0 && coordinate < m; };
  Index point = 0;
  for (Index x = 0; x < m; ++x) {
    for (Index y = 0; y < m; ++y) {
      for (Index z = 0; z < m; ++z, ++point) {
        columns.entry(point, diagonal);
        for (const Step& s : steps) {
          if (inside(x + s.x) && inside(y + s.y) && inside(z + s.z)) {
            columns.entry(point + (s.x * m + s.y) * m + s.z, -1);
          }
        }
        columns.end_column();
      }
    }
  }
  return columns.finish();
}

}  // namespace

SparseMatrix laplace2d(Index m) {
  const Index n = m * m;
  ColumnWriter columns(n, 3 * static_cast<Count>(n));
  for (Index x = 0; x < m; ++x) {
    for (Index y = 0; y < m; ++y) {
      const Index point = x * m + y;
      const bool boundary = x == 0 || y == 0 || x + 1 == m || y + 1 == m;
      const int neighbours = (x > 0) + (y > 0) + (x + 1 < m) + (y + 1 < m);
      columns.entry(point, neighbours + boundary);
      if (y + 1 < m) columns.entry(point + 1, -1);
      if (x + 1 < m) columns.entry(point + m, -1);
      columns.end_column();
    }
  }
  return columns.finish();
}

SparseMatrix laplace3d(Index m) { return cube_stencil(m, 1, 6); }

SparseMatrix stencil27(Index m) { return cube_stencil(m, 3, 26); }

SparseMatrix helmholtz3d(Index m) {
  constexpr double points_per_wavelength = 10;
  constexpr double k_h = 2 * std::numbers::pi / points_per_wavelength;
  return cube_stencil(m, 1, 6 - k_h * k_h);
}

namespace {

using Sizes = std::array<Index, 3>;

enum class Definiteness { positive, indefinite };

struct Generator {
  std::string_view name;
  Definiteness definiteness;
  std::string_view sizes;  ///< notation of the sizes
  std::string_view range;
  bool three_sizes;
  double (*order)(const Sizes&);
  SparseMatrix (*make)(const Sizes&);
};

double cube(const Sizes& s) { return static_cast<double>(s[0]) * s[0] * s[0]; }

constexpr std::array<Generator, 8> generators{{
    {"laplace2d", Definiteness::positive, "M", "M from 1 to 46340", false,
     [](const Sizes& s) { return static_cast<double>(s[0]) * s[0]; },
     [](const Sizes& s) { return laplace2d(s[0]); }},
    {"laplace3d", Definiteness::positive, "M", "M from 1 to 1290", false, cube,
     [](const Sizes& s) { return laplace3d(s[0]); }},
    {"stencil27", Definiteness::positive, "M", "M from 1 to 1290", false, cube,
     [](const Sizes& s) { return stencil27(s[0]); }},
    {"elasticity3d", Definiteness::positive, "XxYxZ",
     "X, Y, Z from 1 on and 3 X (Y + 1) (Z + 1) below 2^31", true,
     [](const Sizes& s) { return 3.0 * s[0] * (s[1] + 1.0) * (s[2] + 1.0); },
     [](const Sizes& s) { return elasticity3d(s[0], s[1], s[2]); }},
    {"irregular2d", Definiteness::positive, "N", "N from 1 to 2147483647", false,
     [](const Sizes& s) { return static_cast<double>(s[0]); },
     [](const Sizes& s) { return irregular2d(s[0]); }},
    {"stokes2d", Definiteness::indefinite, "M", "M from 2 to 26755", false,
     [](const Sizes& s) { return (3.0 * s[0] - 2) * s[0] - 1; },
     [](const Sizes& s) { return stokes2d(s[0]); }},
    {"mixed2d", Definiteness::indefinite, "M", "M from 1 to 26754", false,
     [](const Sizes& s) { return (3.0 * s[0] + 2) * s[0]; },
     [](const Sizes& s) { return mixed2d(s[0]); }},
    {"helmholtz3d", Definiteness::indefinite, "M", "M from 1 to 1290", false, cube,
     [](const Sizes& s) { return helmholtz3d(s[0]); }},
}};

const Generator* find_generator(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  for (const Generator& generator : generators) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

/// Reads a positive number at the front of `text` and removes it.
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

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  names.reserve(generators.size());
  for (const Generator& generator : generators) names.emplace_back(generator.name);
  return names;
}

std::string nearest_generator(const std::string& text) {
  return did_you_mean(std::string_view(text).substr(0, text.find(':')), generator_names());
}

std::string generator_usage() {
  std::string usage;
  for (const auto definiteness : {Definiteness::positive, Definiteness::indefinite}) {
    const char* separator = definiteness == Definiteness::positive ? "" : "; indefinite: ";
    for (const Generator& generator : generators) {
      if (generator.definiteness != definiteness) continue;
      usage.append(separator).append(generator.name).append(":").append(generator.sizes);
      separator = ", ";
    }
  }
  return usage;
}

SparseMatrix generate_matrix(const std::string& spec) {
  const Generator* generator = find_generator(spec);
  if (generator == nullptr) {
    throw UsageError(internal::quoted(spec) + " is not the name of a generator; " +
                     nearest_generator(spec) + "generators are " + generator_usage());
  }
  const std::size_t colon = spec.find(':');
  const std::string_view sizes_text =
      colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1);
  const auto sizes = parse_sizes(sizes_text, generator->three_sizes);
  const double order = sizes ? generator->order(*sizes) : 0;
  if (order < 1 || order > std::numeric_limits<Index>::max()) {
    throw UsageError(internal::quoted(spec) + " is not a test matrix; expected " +
                     std::string(generator->name) + ":" + std::string(generator->sizes) + " with " +
                     std::string(generator->range));
  }
  return generator->make(*sizes);
}

}  // namespace espalier::internal
