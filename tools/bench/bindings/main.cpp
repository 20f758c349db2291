// SPDX-License-Identifier: BSD-3-Clause
// Times the steps of an interface on one matrix. Prints them as a line of JSON, like peer programs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "binding.h"
#include "espalier/espalier.hpp"

namespace espalier::internal::bench {
namespace {

double seconds_of(const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  step();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double largest(const std::vector<double>& numbers) {
  double result = 0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

/// Returns the largest sum of the magnitudes in a row.
double norm(const Matrix& a) {
  std::vector<double> sum(static_cast<std::size_t>(a.size()));
  for (Index j = 0; j < a.size(); ++j) {
    for (Count k = a.column_begin()[j]; k < a.column_begin()[j + 1]; ++k) {
      const Index i = a.rows()[k];
      sum[i] += std::abs(a.values()[k]);
      if (i != j) sum[j] += std::abs(a.values()[k]);
    }
  }
  return largest(sum);
}

double backward_error(const Matrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<double> residual = a.multiply(x);
  std::ranges::transform(b, residual, residual.begin(), std::minus());
  return largest(residual) / (norm(a) * largest(x) + largest(b));
}

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::max(1, std::atoi(text));
}

int run(const std::string& solver, const std::string& file) {
  const int workers = number_of("OMP_NUM_THREADS", 1);
  const int repeats = number_of("REPEATS", 1);
  const Matrix a = Matrix::load(file);
  const bench_matrix matrix{a.size(), a.column_begin().data(), a.rows().data(), a.values().data()};
  const std::vector<double> b = a.multiply(std::vector<double>(a.size(), 1.0));
  std::vector<double> x(b.size());
  // StarPU starts before the timed steps, because the times of the program exclude its start.
  std::optional<Runtime> runtime;
  RuntimeOptions options;
  options.workers = workers;
  if (solver == "espalier") runtime = Runtime::shared(options);

  bench_open(solver.c_str(), workers, &matrix);
  const double analyze = seconds_of(bench_analyze);
  std::vector<double> factorize;
  for (int k = 0; k < repeats; ++k) factorize.push_back(seconds_of(bench_factorize));
  const double solve = seconds_of([&] { bench_solve(b.data(), x.data()); });
  bench_close();
  const nlohmann::ordered_json line{{"solver", solver},
                                    {"matrix", a.name()},
                                    {"n", a.size()},
                                    {"nnz_lower", a.entries()},
                                    {"analyse_s", analyze},
                                    {"factor_s", std::ranges::min(factorize)},
                                    {"factor_median_s", median(factorize)},
                                    {"factor_first_s", factorize.front()},
                                    {"solve_s", solve},
                                    {"nnz_l", 0},
                                    {"flops", 0},
                                    {"backward_error", backward_error(a, x, b)}};
  std::puts(line.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace espalier::internal::bench

void bench_fail(const char* reason) {
  std::fprintf(stderr, "%s\n", reason);
  std::exit(1);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SOLVER MATRIX\n", argv[0]);
    return 2;
  }
  try {
    return espalier::internal::bench::run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
