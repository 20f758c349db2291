// SPDX-License-Identifier: BSD-3-Clause
#include "solver/calibration.hpp"

#include <unistd.h>

#include <array>
#include <ctime>

#include "codelets/cpu/blas_threads.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"
#include "matrix/output_file.hpp"
#include "solver/data.hpp"
#include "solver/kernel_probes.hpp"

namespace espalier {

namespace {

/// From small to large: small and large supernodes, regular and irregular, 2-D and 3-D, one and
/// three unknowns a vertex.
constexpr std::array problems{"laplace3d:12",       "elasticity3d:6x6x6",    "laplace3d:24",
                              "laplace2d:250",      "elasticity3d:12x12x12", "elasticity3d:40x6x6",
                              "stencil27:22",       "irregular2d:50000",     "laplace3d:44",
                              "irregular2d:250000", "elasticity3d:18x18x18"};
constexpr std::size_t few_problems = 3;
constexpr int untimed = 2;  ///< first factorizations, which touch the memory

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm broken{};
  localtime_r(&now, &broken);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &broken);
  return text.data();
}

CostFile describe(const StarpuInstance& starpu) {
  CostFile file;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  file.host = host.data();
  file.cpu = cpu_name();
  file.kernels = simd::small_kernels().instruction_set + std::string("; ") + blas_description();
  file.date = today();
  file.workers = starpu.cpu_workers();
  return file;
}

/// Runs a problem's factorization and returns its tasks' times by what the kernels' costs say.
class Trial {
 public:
  Trial(const StarpuInstance& starpu, const std::string& problem, const CostTable& table)
      : starpu_(starpu), matrix_(Matrix::load(problem)), analysis_(matrix_) {
    cost_.measured = std::make_shared<CostTable>(table);
  }

  void add_to(TaskHistory& history, Granularity granularity, Index factorizations) const {
    const SymbolicFactor& symbolic = analysis_.data().symbolic;
    FactorOptions options;
    options.granularity = granularity;
    NumericFactor factor(starpu_, symbolic, *matrix_.data().pattern,
                         plan_factorization(symbolic, starpu_.cpu_workers(), options, cost_), false,
                         cost_);
    for (Index run = 0; run < untimed + factorizations; ++run) {
      factor.submit_factorize(matrix_.values().data());
      factor.wait();
      if (run < untimed) continue;
      for (const BoundTask& task : factor.factor_tasks()) {
        const double seconds = task.record.end - task.record.begin;
        history.add(task.shape.kind, task.shape.flops, task.shape.k, seconds / task.shape.seconds);
      }
    }
  }

 private:
  const StarpuInstance& starpu_;
  Matrix matrix_;
  Analysis analysis_;
  KernelCost cost_;
};

}  // namespace

CostFile calibrate(const StarpuInstance& starpu, const CalibrationOptions& options,
                   const std::function<void(const std::string& next)>& progress) {
  CostFile file = describe(starpu);
  CostTable& table = file.table;
  {
    const KernelProbes probes(starpu, options.samples);
    const auto measure = [&](const char* what, auto& value, auto probe) {
      progress(what);
      value = (probes.*probe)();
    };
    measure("POTRF", table.potrf, &KernelProbes::potrf);
    measure("TRSM", table.trsm, &KernelProbes::trsm);
    measure("SYRK", table.syrk, &KernelProbes::syrk);
    measure("GEMM and SCATTER", table.gemm, &KernelProbes::gemm);
    measure("initialisation", table.fill, &KernelProbes::fill);
    measure("reading", table.read, &KernelProbes::read);
    measure("tasks", table.task, &KernelProbes::task);
  }
  TaskHistory history;
  const std::size_t count = options.all_problems ? problems.size() : few_problems;
  for (const char* const problem : std::span(problems).first(count)) {
    progress(problem);
    const Trial trial(starpu, problem, table);
    trial.add_to(history, Granularity::panel, options.factorizations);
    trial.add_to(history, Granularity::tile, options.factorizations);
  }
  table.history = std::move(history);
  return file;
}

void refine_calibration(const std::string& file, std::span<const TaskRun> runs) {
  CostFile known = read_cost_file(file);
  TaskHistory history = known.table.history;
  for (const TaskRun& run : runs) {
    const TaskKind kind = kind_named(run.kind);
    const double kernels =
        run.predicted_seconds / known.table.history.factor(kind, run.flops, run.k);
    history.add(kind, run.flops, run.k, (run.end - run.begin) / kernels);
  }
  known.table.history = std::move(history);
  OutputFile out(file);
  out.text(to_json(known));
  out.commit();
}

}  // namespace espalier
