// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/scalar.hpp"
#include "calibrate/timed_problem.hpp"
#include "perfmodels/cost_model.hpp"

namespace espalier::internal {

namespace {

constexpr std::array load_problems{"laplace3d:30", "elasticity3d:12x12x12", "laplace2d:300"};
constexpr Index factorizations = 8;

/// Latency of a StarPU-MPI message between processes that share memory, in seconds.
constexpr double latency = 1e-6;

/// Seconds of all workers together in tasks that stream data (see streams()) and in other tasks.
struct BusySeconds {
  double streaming = 0;
  double computing = 0;
};

/// Returns the minimum of the measurements. Other programs can only slow tasks down, so the minimum
/// is closest to the true time.
BusySeconds least_of(const std::vector<BusySeconds>& measured) {
  return {std::ranges::min(measured, {}, &BusySeconds::streaming).streaming,
          std::ranges::min(measured, {}, &BusySeconds::computing).computing};
}

/// One problem, divided into the same tasks for any number of busy workers.
class LoadProblem {
 public:
  LoadProblem(const char* problem, Index workers, std::shared_ptr<const CostTable> costs)
      : timed_(problem, "auto", workers, std::move(costs)), plan_(timed_.plan(workers, {})) {}

  /// Returns the minimum over some factorizations by the workers of the instance.
  BusySeconds measure(const StarpuInstance& starpu) const {
    NumericFactor factor = timed_.factor(starpu, plan_);
    const std::vector<std::vector<double>> seconds = timed_.seconds(factor, factorizations);
    std::vector<BusySeconds> busy(factorizations);
    for (std::size_t t = 0; t < seconds.size(); ++t) {
      const Shape& shape = factor.factor_tasks()[t].shape;
      const bool moves = streams(*timed_.cost().measured, shape.flops, shape.seconds);
      for (Index run = 0; run < factorizations; ++run) {
        (moves ? busy[run].streaming : busy[run].computing) += seconds[t][run];
      }
    }
    return least_of(busy);
  }

 private:
  TimedProblem timed_;
  FactorPlan plan_;
};

/// Returns the sum of the minimum times of all problems.
BusySeconds sum_of(const std::vector<std::vector<BusySeconds>>& rounds) {
  BusySeconds sum;
  for (const std::vector<BusySeconds>& problem : rounds) {
    const BusySeconds least = least_of(problem);
    sum.streaming += least.streaming;
    sum.computing += least.computing;
  }
  return sum;
}

/// Returns a factor for 1, 2, 4, ... and all workers: the time of tasks with this number of busy
/// workers, divided by their time with all workers busy. Measurements with few and with all workers
/// alternate, because other programs may slow the machine down for some seconds.
std::vector<MachineFile::Load> measure_load(
    Index workers, Index rounds, const std::shared_ptr<const CostTable>& costs,
    const std::function<void(const std::string& next)>& progress) {
  std::vector<LoadProblem> timed;
  for (const char* const problem : load_problems) timed.emplace_back(problem, workers, costs);
  const auto measure = [&](std::vector<std::vector<BusySeconds>>& measured, Index busy) {
    RuntimeOptions options;
    options.workers = busy;
    const StarpuInstance starpu(options);
    for (std::size_t p = 0; p < timed.size(); ++p) measured[p].push_back(timed[p].measure(starpu));
  };
  const auto factor = [](double few, double all) { return all > 0 ? few / all : 1; };
  std::vector<MachineFile::Load> load;
  for (Index count = 1; count < workers; count *= 2) {
    progress("tasks of " + std::to_string(count) + " workers");
    std::vector<std::vector<BusySeconds>> few(timed.size());
    std::vector<std::vector<BusySeconds>> all(timed.size());
    for (Index round = 0; round < rounds; ++round) {
      measure(few, count);
      measure(all, workers);
    }
    load.push_back({count, factor(sum_of(few).computing, sum_of(all).computing),
                    factor(sum_of(few).streaming, sum_of(all).streaming)});
  }
  load.push_back({workers, 1});
  return load;
}

Count memory_of_host() { return Count{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

/// Raises a measured time per byte of zero, which noise can cause, to a tiny positive time.
DeviceTable::Link with_rate(DeviceTable::Link link) {
  constexpr double fastest = 1e-12;  // seconds for a byte
  return {link.latency, std::max(link.byte, fastest)};
}

}  // namespace

std::vector<MachineFile::Devices> calibrated_devices(Index cores) {
  constexpr Index most = 16;
  const DeviceChoice coprocessor = read_device_costs("coprocessor");
  if (!coprocessor.table->measured()) return {};
  DeviceTable costs = *coprocessor.table;
  costs.to = with_rate(costs.to);
  costs.back = with_rate(costs.back);
  return {{"coprocessor", cpu_name(), std::min(cores, most), memory_of_host(), costs}};
}

MachineFile describe_machine(CostFile costs, Index workers, const CalibrationOptions& options,
                             const std::function<void(const std::string& next)>& progress) {
  MachineFile machine;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  machine.name = host.data();
  machine.cores = workers;
  machine.load = measure_load(workers, options.load_rounds,
                              std::make_shared<const CostTable>(costs.table), progress);
  // One process copies the entries of a message to shared memory; the other one copies them from
  // there.
  machine.network = {latency,
                     2 * (costs.table.read + costs.table.fill) / static_cast<double>(scalar.bytes)};
  machine.one_machine = true;
  machine.validated_cores = workers;
  machine.provenance = costs.cpu + ", measured on " + costs.date + " with " +
                       std::to_string(costs.workers) +
                       " workers busy; load measured with whole factorizations; network between "
                       "processes that share memory, estimated from the measured memory bandwidth.";
  machine.costs = std::move(costs);
  machine.devices = calibrated_devices(workers);
  return machine;
}

}  // namespace espalier::internal
