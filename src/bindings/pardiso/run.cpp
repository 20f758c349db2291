// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "bindings/pardiso/messages.hpp"
#include "bindings/pardiso/solver.hpp"

namespace espalier::internal {

namespace {

/// The solvers that callers have handles of. A handle is the address of its solver, so that a
/// handle that was never set, or was copied after its release, is recognized.
class Handles {
 public:
  /// Returns the solver of a handle. Throws UsageError if the handle has none.
  std::shared_ptr<PardisoSolver> solver_of(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = solvers_.find(handle);
    if (found != solvers_.end()) return found->second;
    throw UsageError(handle == nullptr
                         ? "pt has no factorization; call phase 11, 12 or 13 first"
                         : "pt does not belong to this library; fill it with zeros before the "
                           "first call");
  }

  void* insert(const std::shared_ptr<PardisoSolver>& solver) {
    const std::lock_guard lock(mutex_);
    solvers_.emplace(solver.get(), solver);
    return solver.get();
  }

  /// Returns the solver of a handle and forgets it.
  std::shared_ptr<PardisoSolver> take(void* handle) {
    auto solver = solver_of(handle);
    const std::lock_guard lock(mutex_);
    solvers_.erase(handle);
    return solver;
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::shared_ptr<PardisoSolver>> solvers_;
};

Handles& handles() {
  // Never destroyed, because callers may use their handles until the process ends.
  static Handles& all = *new Handles;
  return all;
}

constexpr std::array phases{11, 12, 13, 22, 23, 33, 331, 332, 333};

void expect_valid(const Call& call) {
  expect_matrix(call);
  if (std::ranges::find(phases, call.phase) == phases.end()) {
    throw UsageError("phase " + std::to_string(call.phase) +
                     " is not supported; the phases are 11, 12, 13, 22, 23, 33, 331, 332, 333, 0 "
                     "and -1");
  }
  if (call.mnum < 1 || call.mnum > call.maxfct) {
    throw UsageError("mnum is " + std::to_string(call.mnum) +
                     "; it is a number from 1 to maxfct, "
                     "which is " +
                     std::to_string(call.maxfct));
  }
}

/// Returns the solver of a call. An analysis with an empty handle gets a new solver.
std::shared_ptr<PardisoSolver> solver_for(const Call& call) {
  if (*call.pt == nullptr && call.phase < 20) return std::make_shared<PardisoSolver>();
  return handles().solver_of(*call.pt);
}

void release_all(const Call& call) {
  if (*call.pt == nullptr) return;
  handles().take(*call.pt);
  *call.pt = nullptr;
}

void run_phases(const Call& call) {
  expect_valid(call);
  if (call.iparm(iparm::given) == 0) call.iparm = default_parameters(call.dialect, call.mtype);
  expect_supported(call.iparm, call.dialect);
  const std::shared_ptr<PardisoSolver> solver = solver_for(call);
  const auto on_analysis = [&] {
    if (*call.pt == nullptr) *call.pt = handles().insert(solver);
  };
  const Statistics statistics = solver->run(call, on_analysis);
  if (call.msglvl > 0) print_statistics(call, statistics);
}

}  // namespace

void expect_matrix(const Call& call) {
  if (call.mtype != 2 && call.mtype != -2) {
    throw UsageError("matrix type " + std::to_string(call.mtype) +
                     " is not supported; Espalier factors real symmetric matrices: type 2 "
                     "(positive definite) and type -2 (indefinite)");
  }
  if (call.n < 1) {
    throw UsageError("n is " + std::to_string(call.n) + "; a matrix has at least one row");
  }
  if (call.n >= std::numeric_limits<Index>::max()) {
    throw PardisoFailure(PardisoError::overflow, "n is " + std::to_string(call.n) +
                                                     "; matrices have at most 2^31 - 2 rows");
  }
}

void initialize(Dialect dialect, void* pt, Count mtype, std::int32_t& iparm) {
  constexpr std::size_t pointers = 64;
  if (pt != nullptr) std::fill_n(static_cast<void**>(pt), pointers, nullptr);
  default_parameters(dialect, mtype).write(&iparm);
}

void run(const Call& call) {
  if (call.phase == -1) return release_all(call);
  if (call.phase == 0) {
    if (*call.pt != nullptr) handles().solver_of(*call.pt)->release(call.mnum);
    return;
  }
  run_phases(call);
}

}  // namespace espalier::internal
