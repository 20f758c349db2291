// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/messages.hpp"

#include <atomic>
#include <cstdio>

#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

void print_analysis(const Statistics& s) {
  std::printf("  analysis       %.3e s%s  nnz(L) %lld, %.3e operations\n", s.analysis_seconds,
              s.analysis_reused ? " (kept)" : "", static_cast<long long>(s.factor_entries),
              s.flops);
}

void print_factorization(const Statistics& s) {
  std::printf("  factorization  %.3e s  %d %s", s.factor_seconds, s.workers,
              s.workers == 1 ? "worker" : "workers");
  if (s.indefinite) {
    const bool exact = s.inertia.status == Inertia::Status::exact;
    std::printf(", eigenvalues: %d positive, %d negative (%s), %lld perturbed pivots",
                s.inertia.positive, s.inertia.negative, exact ? "exact" : "uncertain",
                static_cast<long long>(s.perturbed));
  }
  std::printf("\n");
}

void print_solve(const Statistics& s) {
  std::printf("  solve          %.3e s  %lld right-hand sides", s.solve_seconds,
              static_cast<long long>(s.nrhs));
  if (s.refinement_steps >= 0) {
    std::printf(", %lld refinement steps, backward error %.1e",
                static_cast<long long>(s.refinement_steps), s.backward_error);
  }
  std::printf("\n");
}

}  // namespace

void print_failure(int error, const char* message) noexcept {
  std::fprintf(stderr, "Espalier (PARDISO interface): error %d: %s\n", error, message);
}

void print_inaccuracy(double backward_error, bool verbose) noexcept {
  static std::atomic<bool> has_warned{false};
  if (has_warned.exchange(true) && !verbose) return;
  std::fprintf(stderr,
               "Espalier (PARDISO interface): the backward error of a solution is %.1e, above "
               "1e-10; allow more refinement steps with iparm(8)\n",
               backward_error);
}

void print_statistics(const Call& call, const Statistics& s) {
  std::printf("Espalier %s (PARDISO interface): phase %lld, matrix type %lld\n", version(),
              static_cast<long long>(call.phase), static_cast<long long>(call.mtype));
  std::printf("  matrix         %d rows, %lld entries in the upper triangle\n", s.n,
              static_cast<long long>(s.entries));
  if (s.analysis_seconds >= 0) print_analysis(s);
  if (s.factor_seconds >= 0) print_factorization(s);
  if (s.solve_seconds >= 0) print_solve(s);
  std::fflush(stdout);
}

void print_matrix(const MatrixFacts& f) {
  std::printf("Espalier %s (PARDISO interface): statistics of the input\n", version());
  std::printf("  rows                           %d\n", f.n);
  std::printf("  entries of the upper triangle  %lld\n", static_cast<long long>(f.entries));
  std::printf("  missing diagonal entries       %lld\n",
              static_cast<long long>(f.missing_diagonal));
  std::printf("  magnitudes of the entries      %.3e to %.3e\n", f.smallest, f.largest);
  std::printf("  diagonal entries               %.3e to %.3e\n", f.smallest_diagonal,
              f.largest_diagonal);
  std::printf("  right-hand sides               %lld, largest magnitude %.3e\n",
              static_cast<long long>(f.nrhs), f.largest_rhs);
  std::fflush(stdout);
}

}  // namespace espalier::internal
