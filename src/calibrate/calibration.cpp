// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/calibration.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/graph_search.hpp"
#include "base/scalar.hpp"
#include "calibrate/caches.hpp"
#include "calibrate/probes.hpp"
#include "calibrate/timed_problem.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/simd/kernels.hpp"
#include "espalier/error.hpp"
#include "perfmodels/starpu_models.hpp"
#include "plan/device_seconds.hpp"
#include "runtime/starpu/devices.hpp"

namespace espalier::internal {

namespace {

/// Problems from small to large: small and large supernodes, regular and irregular, 2-D and 3-D,
/// one and three unknowns per vertex.
constexpr std::array problems{"laplace3d:12",       "elasticity3d:6x6x6",    "laplace3d:24",
                              "laplace2d:250",      "elasticity3d:12x12x12", "elasticity3d:40x6x6",
                              "stencil27:22",       "irregular2d:50000",     "laplace3d:44",
                              "irregular2d:250000", "elasticity3d:18x18x18", "laplace2d:500"};
constexpr std::size_t few_problems = 3;
/// Problems for devices. Their tasks are large enough to be worth the copies.
constexpr std::array device_problems{
    "laplace3d:20", "laplace2d:250", "elasticity3d:12x12x12", "laplace3d:30",
    "stencil27:22", "laplace2d:500", "elasticity3d:18x18x18", "laplace3d:44"};
/// The orderings of the problems. `auto` chooses AMD for small and planar problems. Tasks of an AMD
/// ordering take less time than tasks of dissection with the same kernels.
constexpr std::array orderings{"dissection", "auto"};
constexpr Index fewer_on_devices = 4;         ///< divisor of samples: a sample takes 0.1 ms
constexpr Index least_on_devices = 3;         ///< minimum samples, to recognize an outlier
constexpr Index fewer_rounds_on_devices = 2;  ///< divisor of rounds: a round takes 30 s

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

FactorOptions with(Granularity granularity) {
  FactorOptions options;
  options.granularity = granularity;
  return options;
}

/// Adds to the history the measured time of each task of a problem, divided by the cost of its
/// kernels.
void add_to(TaskHistory& history, const TimedProblem& problem, const StarpuInstance& starpu,
            FactorPlan plan, Index factorizations) {
  NumericFactor factor = problem.factor(starpu, std::move(plan));
  std::vector<std::vector<double>> seconds = problem.seconds(factor, factorizations);
  for (std::size_t t = 0; t < seconds.size(); ++t) {
    const Shape& shape = factor.factor_tasks()[t].shape;
    history.add({shape.kind, shape.flops, shape.kernels, problem.cost().entries},
                robust_mean(seconds[t]) / shape.kernels, factorizations);
  }
}

/// Returns the fastest result of each class from several rounds. Shared machines are slower by a
/// tenth to a third for some seconds at a time. One round does not suffice, because all its
/// factorizations of one problem may fall into such a time.
template <class Round>
TaskHistory fastest_of(Index rounds, Round round) {
  TaskHistory history = round();
  for (Index next = 1; next < rounds; ++next) history.take_faster(round());
  return history;
}

/// Returns the history from one round: the tasks of these problems with each ordering.
TaskHistory round_of(const StarpuInstance& starpu, std::span<const char* const> names,
                     Index factorizations, const std::shared_ptr<const CostTable>& kernels,
                     const std::function<void(const std::string& next)>& progress) {
  TaskHistory history;
  for (const char* const ordering : orderings) {
    for (const char* const name : names) {
      progress(name);
      const TimedProblem timed(name, ordering, starpu.cpu_workers(), kernels);
      const auto add = [&](Index workers, Granularity granularity) {
        add_to(history, timed, starpu, timed.plan(workers, with(granularity)), factorizations);
      };
      add(starpu.workers(), Granularity::panel);
      add(starpu.workers(), Granularity::tile);
      if (starpu.workers() > 1) add(1, Granularity::panel);
    }
  }
  return history;
}

/// Adds the times of the tasks on the first device. The table gives the costs of their kernels.
void add_to(TaskHistory& history, const DeviceTable& device, const TimedProblem& problem,
            const StarpuInstance& starpu, Granularity granularity, Index factorizations) {
  FactorPlan divided = problem.plan(starpu.workers(), with(granularity), true);
  divided.alternates = true;
  NumericFactor factor = problem.factor(starpu, std::move(divided));
  const DeviceSeconds costs(device, problem.cost());
  const TaskGraph& graph = factor.plan().graph;
  std::vector<std::vector<double>> seconds = problem.seconds(factor, factorizations);
  for (std::size_t t = 0; t < seconds.size(); ++t) {
    if (starpu.type_of(factor.factor_tasks()[t].record.worker) == WorkerType::cpu) continue;
    const Task& task = graph.task[t];
    const double kernels = costs.kernels(task, graph, problem.symbolic());
    history.add({task.kind, task.flops, kernels, problem.cost().entries},
                robust_mean(seconds[t]) / kernels, factorizations);
  }
}

/// Returns the history of tasks on devices from one round. The table gives the costs of their
/// kernels.
TaskHistory round_of(const DeviceTable& device, const StarpuInstance& starpu,
                     std::span<const char* const> names, Index factorizations) {
  TaskHistory history;
  for (const char* const name : names) {
    const TimedProblem timed(name, "auto", starpu.cpu_workers(), starpu.costs().host.table);
    add_to(history, device, timed, starpu, Granularity::panel, factorizations);
    add_to(history, device, timed, starpu, Granularity::tile, factorizations);
  }
  return history;
}

Calibration measured(const StarpuInstance& starpu, const CalibrationOptions& options,
                     const CalibrationProgress& progress) {
  Calibration found{describe(starpu), {}};
  CostTable& table = found.file.table;
  {
    KernelProbes probes(starpu, options.samples);
    progress("switch points", 0);
    table.switch_points = probes.switch_points();
    progress("POTRF", 0);
    table.potrf = probes.potrf();
    progress("TRSM", 0);
    table.trsm = probes.trsm();
    progress("SYRK", 0);
    table.syrk = probes.syrk(Target::anew);
    table.syrk_again = probes.syrk(Target::again);
    progress("GEMM and SCATTER", 0);
    table.gemm = probes.gemm(Target::anew);
    table.gemm_again = probes.gemm(Target::again);
    table.gemm_alone = probes.gemm_alone();
    table.scatter = probes.scatter();
    progress("initialisation", 0);
    const FillSeconds fill = probes.fill();
    table.fill = fill.entry;
    table.take = fill.taken;
    table.line = fill.line;
    progress("reading", 0);
    table.read = probes.read();
    progress("tasks", 0);
    table.task = probes.task();
    table.search = graph_search_seconds();
    found.unsteady = probes.unsteady();
  }
  const auto kernels = std::make_shared<const CostTable>(table);
  const auto names =
      std::span(problems).first(options.all_problems ? problems.size() : few_problems);
  const std::size_t all =
      names.size() * orderings.size() * static_cast<std::size_t>(options.rounds);
  std::size_t begun = 0;
  table.history = fastest_of(options.rounds, [&] {
    return round_of(starpu, names, options.factorizations, kernels, [&](const std::string& next) {
      progress(next, static_cast<double>(begun++) / static_cast<double>(all));
    });
  });
  table.history.cached_entries =
      static_cast<double>(last_level_cache_bytes()) / static_cast<double>(scalar.bytes);
  return found;
}

}  // namespace

Calibration calibrate(const RuntimeOptions& runtime, const CalibrationOptions& options,
                      const CalibrationProgress& progress,
                      const std::function<void(const CostFile& table)>& keep) {
  StarpuHistories histories;
  const StarpuInstance starpu(runtime);
  Calibration found = measured(starpu, options, progress);
  keep(found.file);
  histories.write(found.file);
  return found;
}

DeviceFile calibrate_devices(const RuntimeOptions& runtime, const CalibrationOptions& options,
                             const std::function<void(const std::string& architecture)>& found) {
  const StarpuInstance starpu(runtime);
  if (starpu.devices().memories == 0) {
    throw UsageError("StarPU found no device to measure");
  }
  found(architecture_of(starpu));
  const CostFile here = describe(starpu);
  const Index samples = std::max(options.samples / fewer_on_devices, least_on_devices);
  DeviceFile file{here.host, here.cpu, architecture_of(starpu), here.date, {}};
  {
    const DeviceProbes probes(starpu, samples);
    file.table = probes.measure();
  }
  const auto names = std::span(device_problems)
                         .first(options.all_problems ? device_problems.size() : few_problems);
  file.table.history = fastest_of(std::max(options.rounds / fewer_rounds_on_devices, 1), [&] {
    return round_of(file.table, starpu, names, options.factorizations);
  });
  return file;
}

}  // namespace espalier::internal
