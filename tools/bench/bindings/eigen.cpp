// SPDX-License-Identifier: BSD-3-Clause
// CHOLMOD uses OPENBLAS_NUM_THREADS threads.
#include <Eigen/CholmodSupport>
#include <Eigen/SparseCholesky>
#include <espalier/eigen.hpp>
#include <memory>
#include <string>
#include <vector>

#include "binding.h"

namespace espalier::internal::bench {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Right = Eigen::Map<const Eigen::VectorXd>;
using Solution = Eigen::Map<Eigen::VectorXd>;

/// Any solver of Eigen.
class EigenSolver {
 public:
  virtual ~EigenSolver() = default;
  virtual void analyze(const Sparse& a) = 0;
  virtual void factorize(const Sparse& a) = 0;
  virtual void solve(const Right& b, Solution x) = 0;
};

template <class Solver>
class SolverOf : public EigenSolver {
 public:
  Solver& solver() { return solver_; }
  void analyze(const Sparse& a) override { solver_.analyzePattern(a); }
  void factorize(const Sparse& a) override {
    solver_.factorize(a);
    expect_success();
  }
  void solve(const Right& b, Solution x) override {
    x = solver_.solve(b);
    expect_success();
  }

 private:
  void expect_success() {
    if (solver_.info() != Eigen::Success) bench_fail("Eigen's info() is not Success");
  }

  Solver solver_;
};

std::unique_ptr<EigenSolver> solver_named(const std::string& name, int workers) {
  if (name == "simplicial") return std::make_unique<SolverOf<Eigen::SimplicialLLT<Sparse>>>();
  if (name == "supernodal") {
    return std::make_unique<SolverOf<Eigen::CholmodSupernodalLLT<Sparse>>>();
  }
  if (name != "espalier") bench_fail("the solvers are espalier, simplicial and supernodal");
  auto made = std::make_unique<SolverOf<EspalierLLT<Sparse>>>();
  made->solver().setOption("workers", std::to_string(workers));
  return made;
}

Sparse matrix;
std::unique_ptr<EigenSolver> solver;

}  // namespace
}  // namespace espalier::internal::bench

using namespace espalier::internal::bench;  // NOLINT: the functions below are the global
                                            // namespace's

void bench_open(const char* name, int workers, const bench_matrix* given) {
  const std::vector<int> begin(given->colptr, given->colptr + given->n + 1);
  matrix = Eigen::Map<const Sparse>(given->n, given->n, begin.back(), begin.data(), given->row,
                                    given->value);
  solver = solver_named(name, workers);
}

void bench_analyze() { solver->analyze(matrix); }

void bench_factorize() { solver->factorize(matrix); }

void bench_solve(const double* b, double* x) {
  solver->solve(Right(b, matrix.rows()), Solution(x, matrix.rows()));
}

void bench_close() { solver.reset(); }
