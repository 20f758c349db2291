// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "calibrate/probes.hpp"
#include "espalier/espalier.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

namespace {

constexpr std::array load_problems{"laplace3d:30", "elasticity3d:12x12x12", "laplace2d:300"};
constexpr Index factorizations = 8;
constexpr int load_rounds = 3;

/// A process that shares memory with another one reads a message of StarPU-MPI about this late.
constexpr double latency = 1e-6;

/// Returns what all workers together spend in the tasks of the fastest factorization.
double busy_seconds(const Runtime& runtime, const char* problem, Index workers) {
  const Matrix matrix = Matrix::load(problem);
  AnalysisOptions options;
  options.workers = workers;
  const Analysis analysis(matrix, options);
  Factor factor(runtime, analysis);
  for (Index k = 0; k < factorizations; ++k) factor.factorize(matrix);
  double seconds = 0;
  for (const KindReport& kind : factor.report().kinds) seconds += kind.seconds;
  return seconds;
}

/// Returns the same for each problem, where so many workers are busy with what is divided for more.
std::array<double, load_problems.size()> busy_seconds(Index busy, Index workers) {
  RuntimeOptions options;
  options.workers = busy;
  const Runtime runtime(options);
  std::array<double, load_problems.size()> seconds;
  std::ranges::transform(load_problems, seconds.begin(), [&](const char* problem) {
    return busy_seconds(runtime, problem, workers);
  });
  return seconds;
}

/// Returns the factors for 1, 2, 4, ... and all workers: how long their tasks take over what they
/// take where all are busy. Other programs may slow the machine down for some seconds, so that only
/// what was measured beside each other is compared.
std::vector<MachineFile::Load> measure_load(
    Index workers, const std::function<void(const std::string& next)>& progress) {
  std::vector<MachineFile::Load> load;
  for (Index count = 1; count < workers; count *= 2) {
    std::vector<double> factors;
    for (int round = 0; round < load_rounds; ++round) {
      progress("tasks of " + std::to_string(count) + " workers");
      const auto few = busy_seconds(count, workers);
      const auto all = busy_seconds(workers, workers);
      for (std::size_t k = 0; k < few.size(); ++k) factors.push_back(few[k] / all[k]);
    }
    load.push_back({count, robust_mean(factors)});
  }
  load.push_back({workers, 1});
  return load;
}

Count memory_of_host() { return Count{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

/// A measurement may find no difference between a long copy and a short one.
DeviceTable::Way with_rate(DeviceTable::Way way) {
  constexpr double fastest = 1e-12;  // seconds for a byte
  return {way.latency, std::max(way.byte, fastest)};
}

}  // namespace

std::vector<MachineFile::Devices> calibrated_devices(Index cores) {
  constexpr Index most = 16;
  const DeviceChoice coprocessor = this_machines_device_costs("coprocessor");
  if (!coprocessor.table->measured()) return {};
  DeviceTable costs = *coprocessor.table;
  costs.to = with_rate(costs.to);
  costs.back = with_rate(costs.back);
  return {{"coprocessor", cpu_name(), std::min(cores, most), memory_of_host(), costs}};
}

MachineFile describe_machine(CostFile costs, Index workers,
                             const std::function<void(const std::string& next)>& progress) {
  MachineFile machine;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  machine.name = host.data();
  machine.cores = workers;
  machine.load = measure_load(workers, progress);
  // One process copies a message of so many entries to memory that both see, the other one from
  // there.
  machine.network = {latency, 2 * (costs.table.read + costs.table.fill) / sizeof(double)};
  machine.one_machine = true;
  machine.provenance = costs.cpu + ", measured on " + costs.date + " with " +
                       std::to_string(costs.workers) +
                       " workers busy; load by whole factorizations; the network is that between "
                       "processes that share memory, by the rate at which it is read";
  machine.costs = std::move(costs);
  machine.devices = calibrated_devices(workers);
  return machine;
}

}  // namespace espalier::internal
