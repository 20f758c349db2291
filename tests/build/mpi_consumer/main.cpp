// SPDX-License-Identifier: BSD-3-Clause
#include <espalier/mpi.hpp>

namespace {

/// Solves a small system on all ranks, whose right-hand side is A·(1,...,1). Returns whether the
/// answer is accurate.
bool solves() {
  const espalier::Ranks ranks(MPI_COMM_WORLD);
  const auto matrix = espalier::Matrix::load("laplace2d:20");
  const espalier::Matrix* const given = ranks.is_root() ? &matrix : nullptr;
  const auto analysis = espalier::analyze(ranks, given);
  espalier::DistributedFactor factor(ranks, analysis ? &*analysis : nullptr);
  if (!factor.factorize(given).ok()) return false;
  const std::vector<double> ones(static_cast<std::size_t>(matrix.size()), 1.0);
  return factor.solve(matrix.multiply(ones)).backward_error < 1e-14;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const bool solved = solves();
  MPI_Finalize();
  return solved ? 0 : 1;
}
