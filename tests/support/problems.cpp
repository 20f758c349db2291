// SPDX-License-Identifier: BSD-3-Clause
#include "support/problems.hpp"

#include <cmath>
#include <random>
#include <utility>

#include "matrix/generators.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal::support {

Matrix to_matrix(const SparseMatrix& a) {
  return Matrix(a.pattern.column_begin, a.pattern.row, a.value);
}

SparseMatrix to_sparse(const Matrix& matrix) {
  return {{matrix.size(),
           {matrix.column_begin().begin(), matrix.column_begin().end()},
           {matrix.rows().begin(), matrix.rows().end()}},
          {matrix.values().begin(), matrix.values().end()}};
}

SparseMatrix indefinite(SparseMatrix a, Index zeros, std::uint64_t seed) {
  a.value = random_vector(a.value.size(), seed);
  for (Index j = 0; zeros > 0 && j < a.pattern.n; j += zeros) {
    a.value[a.pattern.column_begin[j]] = 0;
  }
  return a;
}

SparseMatrix dense_random(Index n, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, static_cast<double>(n)});
    for (Index i = j + 1; i < n; ++i) entries.push_back({i, j, uniform(generator)});
  }
  return from_entries(n, entries);
}

SparseMatrix with_bad_column(SparseMatrix a, Index column) {
  a.value[a.pattern.column_begin[column]] = -1;
  return a;
}

SparseMatrix hilbert(Index n) {
  std::vector<Entry> entries;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) entries.push_back({i, j, 1.0 / (i + j + 1)});
  }
  return from_entries(n, entries);
}

SparseMatrix badly_scaled(SparseMatrix a, int range, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<int> exponent(-range, range);
  std::vector<double> scale(a.pattern.n);
  for (double& s : scale) s = std::ldexp(1.0, exponent(generator));
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      a.value[k] *= scale[j] * scale[a.pattern.row[k]];
    }
  }
  return a;
}

std::vector<double> random_vector(std::size_t entries, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(entries);
  for (double& value : values) value = uniform(generator);
  return values;
}

SymbolicFactor structure_of(const SparseMatrix& a, const StructureOptions& options) {
  const CompressedGraph graph = graph_to_order(a.pattern, options.ordering);
  OrderingRequest request;
  request.method = options.ordering;
  request.predict = [](const CompressedGraph& graph, const Permutation& permutation) {
    return factorization_cost(counted_order(graph, permutation));
  };
  const Ordering ordering = order(graph, request);
  return symbolic_factorization(graph, ordering.permutation,
                                {options.amalgamation, options.panel_width, true});
}

namespace {

std::vector<NamedStructure> make_structures() {
  std::vector<NamedStructure> structures;
  for (const NamedMatrix& named : small_matrices()) {
    structures.push_back({named.name, structure_of(named.matrix)});
    structures.push_back({named.name + ", natural", structure_of(named.matrix, {"natural"})});
  }
  for (const char* spec : {"laplace2d:20", "laplace3d:7", "elasticity3d:4x3x2"}) {
    structures.push_back({spec, structure_of(generate_matrix(spec))});
  }
  structures.push_back({"dense 40", structure_of(dense_random(40, 1))});
  structures.push_back({"default options", structure_of(generate_matrix("laplace3d:8"),
                                                        {"metis", 256, AmalgamationOptions{}})});
  structures.push_back({"random 200", structure_of(random_dominant(200, 2, 9), {"metis", 16, {}})});
  return structures;
}

std::vector<NamedMatrix> make_problems() {
  std::vector<NamedMatrix> problems = small_matrices();
  for (const char* spec :
       {"laplace2d:16", "laplace3d:6", "elasticity3d:3x3x3", "irregular2d:500"}) {
    problems.push_back({spec, generate_matrix(spec)});
  }
  problems.push_back({"dense 40", dense_random(40, 1)});
  problems.push_back({"dense 200", dense_random(200, 2)});
  problems.push_back({"tridiagonal 300", tridiagonal(300)});
  problems.push_back({"badly scaled", badly_scaled(generate_matrix("laplace2d:9"), 20, 3)});
  return problems;
}

}  // namespace

const std::vector<NamedStructure>& sample_structures() {
  static const std::vector<NamedStructure> structures = make_structures();
  return structures;
}

const std::vector<NamedMatrix>& solver_problems() {
  static const std::vector<NamedMatrix> problems = make_problems();
  return problems;
}

}  // namespace espalier::internal::support
