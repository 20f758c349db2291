// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/solver.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/pardiso/failure.hpp"
#include "bindings/pardiso/messages.hpp"
#include "bindings/pardiso/permutation.hpp"
#include "bindings/pardiso/workers.hpp"

namespace espalier::internal {

namespace {

constexpr double accepted_backward_error = 1e-10;

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Count kib(Count bytes) { return (bytes + 1023) / 1024; }

/// Returns the peak resident memory of this process, in KiB.
Count peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

AnalysisSettings settings_of(const Call& call) {
  return {call.mtype, call.iparm(iparm::ordering) % 10, call.iparm(iparm::matching),
          std::max<Count>(call.iparm(iparm::deterministic), 0), call.phase == 11};
}

/// Sets an option of ESPALIER_OPTIONS. Throws UsageError if a parameter of the call sets it.
void set_option(Options& options, std::string_view assignment) {
  if (assignment.substr(0, assignment.find('=')) == "factorization") {
    throw UsageError(
        "ESPALIER_OPTIONS has the option factorization, but the matrix type chooses the "
        "factorization; leave the option out");
  }
  options.set(assignment);
}

/// Sets options from the environment variable ESPALIER_OPTIONS, which holds assignments
/// "name=value" with blanks between them.
void set_from_environment(Options& options) {
  const char* const text = std::getenv("ESPALIER_OPTIONS");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (!word.empty()) set_option(options, word);
  }
}

Options options_of(const AnalysisSettings& settings) {
  // A caller that separates the phases usually factors several matrices with one pattern.
  constexpr Index usual_factorizations = 10;
  Options options;
  if (settings.ordering == 0) options.set("ordering", "amd");
  if (settings.deterministic > 0) options.set("deterministic", "1");
  if (settings.repeated) options.analysis.factorizations = usual_factorizations;
  if (settings.mtype == -2) options.factor.factorization = Factorization::ldlt;
  if (settings.matches()) options.set("matching", "1");
  set_from_environment(options);
  return options;
}

std::shared_ptr<const Structure> analyzed(const Call& call, const AnalysisSettings& settings) {
  UpperTriangle triangle(call);
  Options options = options_of(settings);
  std::optional<PermutationFile> file;
  if (call.iparm(iparm::permutation) == 1) {
    file.emplace(elimination_order(call, triangle.base()));
    options.analysis.ordering = file->path();
  }
  const Matrix matrix =
      options.analysis.matching ? triangle.with_values(call.a) : triangle.pattern();
  Analysis analysis =
      with_names(matrix, triangle.names(), [&] { return Analysis(matrix, options.analysis); });
  return std::make_shared<const Structure>(
      Structure{std::move(triangle), settings, std::move(options), std::move(analysis)});
}

/// Returns whether an analysis can be used again for the pattern of a call.
bool serves(const std::shared_ptr<const Structure>& structure, const Call& call,
            const AnalysisSettings& settings) {
  return structure && structure->settings == settings && !structure->options.analysis.matching &&
         call.iparm(iparm::permutation) != 1 && structure->triangle.same_as(call);
}

}  // namespace

Statistics PardisoSolver::run(const Call& call, const std::function<void()>& on_analysis) {
  const std::lock_guard lock(mutex_);
  Statistics statistics;
  statistics.n = static_cast<Index>(call.n);
  const Count first = call.phase / 10;
  const Count last = call.phase % 10;
  if (first == 1) {
    analyze(call, statistics);
    on_analysis();
  }
  statistics.entries = slot_of(call).structure->triangle.entries();
  if (call.phase > 100) {
    solve_part(call, statistics);
  } else {
    if (first <= 2 && last >= 2) factorize(call, statistics);
    if (last == 3) solve(call, statistics);
  }
  return statistics;
}

void PardisoSolver::release(Count mnum) {
  const std::lock_guard lock(mutex_);
  const auto slot = slots_.find(mnum);
  if (slot == slots_.end()) return;
  slot->second.factor.reset();
  slot->second.factored = false;
}

/// Returns the slot of the call's matrix. A matrix without an analysis has the structure of the
/// last analysis, because all matrices of a handle have one pattern.
PardisoSolver::Slot& PardisoSolver::slot_of(const Call& call) {
  Slot& slot = slots_[call.mnum];
  if (!slot.structure) slot.structure = latest_;
  if (!slot.structure) {
    throw UsageError("phase " + std::to_string(call.phase) +
                     " needs an analysis; call phase 11 or 12 first");
  }
  if (slot.structure->settings.mtype != call.mtype || slot.structure->triangle.size() != call.n) {
    throw UsageError("the analysis is for matrix type " +
                     std::to_string(slot.structure->settings.mtype) + " and " +
                     std::to_string(slot.structure->triangle.size()) +
                     " rows, but this call has matrix type " + std::to_string(call.mtype) +
                     " and " + std::to_string(call.n) + " rows; call phase 11 first");
  }
  return slot;
}

void PardisoSolver::analyze(const Call& call, Statistics& statistics) {
  const Timer timer;
  Slot& slot = slots_[call.mnum];
  const AnalysisSettings settings = settings_of(call);
  statistics.analysis_reused = serves(slot.structure, call, settings);
  if (!statistics.analysis_reused) {
    slot.factor.reset();
    slot.factored = false;
    slot.structure.reset();
    slot.structure = analyzed(call, settings);
  }
  latest_ = slot.structure;
  const Analysis& analysis = slot.structure->analysis;
  if (call.iparm(iparm::permutation) == 2) {
    return_permutation(call, slot.structure->triangle.base(), analysis.permutation());
  }
  const Count n = call.n;
  const Count entries = slot.structure->triangle.entries();
  statistics.factor_entries = analysis.factor_entries();
  statistics.flops = analysis.flops();
  statistics.analysis_seconds = timer.seconds();
  Parameters& out = call.iparm;
  out.set(iparm::analysis_peak, peak_kib());
  constexpr Count offset_bytes = 8;
  constexpr Count index_bytes = 4;
  out.set(iparm::analysis_memory, kib(offset_bytes * (n + 1) + index_bytes * (entries + 2 * n)));
  constexpr Count value_bytes = 8;
  out.set(iparm::factor_memory, kib(value_bytes * (analysis.factor_entries() + entries + n)));
  out.set(iparm::factor_entries, analysis.factor_entries());
  const double unit = call.dialect == Dialect::mkl ? 1e6 : 1e9;
  out.set(iparm::operations, static_cast<Count>(std::ceil(analysis.flops() / unit)));
}

namespace {

/// Stores the column of the failed pivot; -1 means that none failed.
void name_bad_column(const Call& call, Index column) {
  if (call.dialect == Dialect::mkl) call.iparm.set(iparm::mkl_bad_column, column + 1);
}

/// Sets the results of a factorization to those of a matrix without pivots, so that no numbers of
/// an earlier matrix remain if the factorization fails.
void forget_pivots(const Call& call) {
  for (const int number : {iparm::positive, iparm::negative, iparm::perturbed_pivots}) {
    call.iparm.set(number, 0);
  }
  name_bad_column(call, -1);
}

/// Returns the number of perturbed pivots. Throws PardisoFailure if the factorization failed, or if
/// the matrix is singular to rounding.
Count expect_pivots(const Call& call, const Factor& factor, const FactorStatus& status,
                    Index base) {
  const Count perturbed = status.ok() ? std::ssize(factor.replaced_pivots()) : 0;
  // A singular column has a perturbed pivot.
  const Index column = perturbed > 0 ? factor.singular_column() : status.bad_column;
  name_bad_column(call, column);
  if (column < 0) return perturbed;
  throw PardisoFailure(PardisoError::zero_pivot,
                       call.mtype == 2 ? failed_pivot(column, Factorization::llt, base)
                                       : singular_pivot(column, base));
}

}  // namespace

void PardisoSolver::factorize(const Call& call, Statistics& statistics) {
  const Timer timer;
  Slot& slot = slot_of(call);
  const Structure& structure = *slot.structure;
  if (!structure.triangle.same_as(call)) {
    throw UsageError("ia and ja differ from the analyzed pattern; call phase 11 first");
  }
  if (!runtime_) runtime_ = shared_runtime(structure.options.runtime);
  if (!slot.factor) slot.factor.emplace(*runtime_, structure.analysis, structure.options.factor);
  const Factorization kind = structure.options.factor.factorization;
  const Matrix matrix = structure.triangle.with_values(call.a);
  slot.factored = false;
  forget_pivots(call);
  const FactorStatus status = with_names(matrix, structure.triangle.names(),
                                         [&] { return slot.factor->factorize(matrix); });
  statistics.perturbed = expect_pivots(call, *slot.factor, status, structure.triangle.base());
  statistics.indefinite = kind == Factorization::ldlt;
  // The numbers are the same. The first function takes longer, because it also finds the status.
  statistics.inertia = call.msglvl > 0 ? slot.factor->inertia() : slot.factor->pivot_counts();
  statistics.workers = runtime_->cpu_workers();
  Parameters& out = call.iparm;
  out.set(iparm::positive, statistics.inertia.positive);
  out.set(iparm::negative, statistics.inertia.negative);
  out.set(iparm::perturbed_pivots, statistics.perturbed);
  if (call.dialect == Dialect::panua && out(iparm::panua_determinant) == 1 && call.dparm) {
    call.dparm[iparm::panua_determinant - 1] = slot.factor->log_determinant();
  }
  slot.factored = true;
  statistics.factor_seconds = timer.seconds();
}

namespace {

/// Right-hand sides and solutions of a call.
struct CallVectors {
  std::span<const double> b;
  std::span<double> x;
  Index count;
};

CallVectors vectors_of(const Call& call) {
  if (call.nrhs < 1 || call.nrhs > std::numeric_limits<Index>::max()) {
    throw UsageError("nrhs is " + std::to_string(call.nrhs) +
                     "; it is a number from 1 to 2^31 - 1");
  }
  const bool in_place = call.iparm(iparm::in_place) == 1;
  if (call.n > 0 && (call.b == nullptr || (call.x == nullptr && !in_place))) {
    throw UsageError("b or x is null, but this phase needs right-hand sides and solutions");
  }
  const auto entries = static_cast<std::size_t>(call.n * call.nrhs);
  return {{call.b, entries}, {in_place ? call.b : call.x, entries}, static_cast<Index>(call.nrhs)};
}

/// Returns the maximum number of refinement steps. Without one, the solver itself decides.
SolveOptions solve_options(const Call& call) {
  constexpr Count usual = 2;
  const Count asked = std::abs(call.iparm(iparm::refinement));
  constexpr Count most = 64;
  return {static_cast<Index>(std::min(asked == 0 ? usual : asked, most))};
}

}  // namespace

Factor& PardisoSolver::factor_of(Slot& slot, const Call& call) {
  if (slot.factored) return *slot.factor;
  throw UsageError("phase " + std::to_string(call.phase) +
                   " needs a factorization; call phase 22 first");
}

void PardisoSolver::solve(const Call& call, Statistics& statistics) {
  const Timer timer;
  Factor& factor = factor_of(slot_of(call), call);
  const CallVectors vectors = vectors_of(call);
  const Solution solution = factor.solve(vectors.b, vectors.x, vectors.count, solve_options(call));
  statistics.nrhs = vectors.count;
  statistics.refinement_steps = solution.refinement_steps;
  statistics.backward_error = solution.backward_error;
  statistics.solve_seconds = timer.seconds();
  call.iparm.set(iparm::refinement_done, solution.refinement_steps);
  if (!std::isfinite(solution.backward_error)) {
    throw PardisoFailure(PardisoError::zero_pivot,
                         "the solution is not finite: the matrix is singular to rounding, or a "
                         "right-hand side is not finite");
  }
  if (solution.backward_error > accepted_backward_error) {
    print_inaccuracy(solution.backward_error, call.msglvl > 0);
  }
}

void PardisoSolver::solve_part(const Call& call, Statistics& statistics) {
  const Timer timer;
  Slot& slot = slot_of(call);
  Factor& factor = factor_of(slot, call);
  if (slot.structure->options.factor.factorization == Factorization::ldlt) {
    throw UsageError("phase " + std::to_string(call.phase) +
                     " needs matrix type 2; call phase 33 for matrix type -2");
  }
  const auto [b, x, count] = vectors_of(call);
  constexpr Count forward = 331;
  constexpr Count backward = 333;
  if (call.phase == forward) {
    factor.solve_part(System::p, b, x, count);
    factor.solve_part(System::l, x, x, count);
  } else if (call.phase == backward) {
    factor.solve_part(System::lt, b, x, count);
    factor.solve_part(System::pt, x, x, count);
  } else if (b.data() != x.data()) {
    std::ranges::copy(b, x.begin());  // the diagonal of L Lᵀ is in L
  }
  statistics.nrhs = count;
  statistics.solve_seconds = timer.seconds();
}

}  // namespace espalier::internal
