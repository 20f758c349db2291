// SPDX-License-Identifier: BSD-3-Clause
// Times solvers of Eigen by turns, each by Eigen's interface: its own SimplicialLLT, CHOLMOD's
// supernodal one, and Espalier's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/CholmodSupport>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <espalier/eigen.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "base/clock.hpp"

namespace espalier::internal::bench {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

struct Settings {
  int rounds = 5;
  Index workers = 0;
  std::vector<std::string> matrices;
};

/// Returns the lower triangle, with indices of 32 bits.
Sparse load(const std::string& name) {
  const Matrix a = Matrix::load(name);
  const std::vector<int> begin(a.column_begin().begin(), a.column_begin().end());
  return Eigen::Map<const Sparse>(a.size(), a.size(), a.entries(), begin.data(), a.rows().data(),
                                  a.values().data());
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// The steps of a solver in each round, in seconds.
struct Times {
  std::string name;
  std::vector<double> analyze{};
  std::vector<double> factorize{};
  std::vector<double> solve{};
  double residual = 0;  ///< the worst |b - Ax| / |b|, in the norm of Euclid

  void print() const {
    fmt::print("  {:<22}{:>10.4f}{:>11.4f}{:>9.4f}{:>12.1e}\n", name, median(analyze),
               median(factorize), median(solve), residual);
  }
};

/// Makes one round of a solver, begun anew.
template <class Solver>
void take(const Sparse& a, const Eigen::VectorXd& b, const Settings& settings, Times& times) {
  Solver solver;
  if constexpr (std::is_same_v<Solver, CholeskySolver<Sparse>>) {
    solver.setOption("workers", std::to_string(settings.workers));
  }
  Stopwatch watch;
  solver.analyzePattern(a);
  times.analyze.push_back(watch.restart());
  solver.factorize(a);
  times.factorize.push_back(watch.restart());
  const Eigen::VectorXd x = solver.solve(b);
  times.solve.push_back(watch.seconds());
  if (solver.info() != Eigen::Success) throw UsageError(times.name + " failed");
  const double residual = (b - a.selfadjointView<Eigen::Lower>() * x).norm() / b.norm();
  times.residual = std::max(times.residual, residual);
}

/// Prints medians of all solvers, after a first round that does not count.
void compare(const Settings& settings, const std::string& name) {
  const Sparse a = load(name);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());
  std::vector<Times> times;
  for (int round = 0; round <= settings.rounds; ++round) {
    if (round <= 1) times = {{"SimplicialLLT"}, {"CholmodSupernodalLLT"}, {"espalier"}};
    take<Eigen::SimplicialLLT<Sparse>>(a, b, settings, times[0]);
    take<Eigen::CholmodSupernodalLLT<Sparse>>(a, b, settings, times[1]);
    take<CholeskySolver<Sparse>>(a, b, settings, times[2]);
  }
  fmt::print("{}: n {}, entries of a triangle {}\n", name, a.rows(), a.nonZeros());
  fmt::print("  {:<22}{:>10}{:>11}{:>9}{:>12}\n", "seconds, medians", "analyze", "factorize",
             "solve", "residual");
  for (const Times& one : times) one.print();
}

int run(int argc, char** argv) {
  CLI::App app("Times Espalier beside other solvers of Eigen");
  Settings settings;
  app.add_option("--rounds", settings.rounds, "rounds, of all solvers each")
      ->check(CLI::PositiveNumber);
  app.add_option("--workers", settings.workers, "Espalier's; OPENBLAS_NUM_THREADS are CHOLMOD's");
  app.add_option("MATRIX", settings.matrices, "files or generators, as for espalier")->required();
  CLI11_PARSE(app, argc, argv);
  // So StarPU does not start anew with each solver.
  RuntimeOptions options;
  options.workers = settings.workers;
  const Runtime runtime = Runtime::shared(options);
  for (const std::string& name : settings.matrices) compare(settings, name);
  return 0;
}

}  // namespace
}  // namespace espalier::internal::bench

int main(int argc, char** argv) {
  try {
    return espalier::internal::bench::run(argc, argv);
  } catch (const espalier::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
