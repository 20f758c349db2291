// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "espalier/espalier.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

namespace {

constexpr std::array load_problems{"laplace3d:30", "elasticity3d:12x12x12", "laplace2d:300"};
constexpr Index factorizations = 8;
constexpr int load_rounds = 7;

/// A process that shares memory with another one reads a message of StarPU-MPI about this late.
constexpr double latency = 1e-6;

/// What all workers together spend in tasks, in those that stream (see streams()) and the others.
struct BusySeconds {
  double streaming = std::numeric_limits<double>::max();
  double computing = std::numeric_limits<double>::max();

  /// Other programs only ever slow tasks down: the least of what was measured is the nearest.
  void keep_least(const BusySeconds& other) {
    streaming = std::min(streaming, other.streaming);
    computing = std::min(computing, other.computing);
  }
};

BusySeconds busy_seconds(const Schedule& schedule, const CostTable& costs) {
  BusySeconds busy{0, 0};
  for (const TaskRun& task : schedule.tasks) {
    const bool moves = streams(costs, task.flops, task.predicted_seconds);
    (moves ? busy.streaming : busy.computing) += task.end - task.begin;
  }
  return busy;
}

using LoadProblems = std::array<BusySeconds, load_problems.size()>;

/// Adds the least of some factorizations of each problem, which is divided for `workers`.
void measure(LoadProblems& least, Index busy, Index workers, const CostTable& costs) {
  RuntimeOptions options;
  options.workers = busy;
  const Runtime runtime(options);
  AnalysisOptions analysis_options;
  analysis_options.workers = workers;
  for (std::size_t p = 0; p < load_problems.size(); ++p) {
    const Matrix matrix = Matrix::load(load_problems[p]);
    const Analysis analysis(matrix, analysis_options);
    Factor factor(runtime, analysis);
    for (Index k = 0; k < factorizations; ++k) {
      factor.factorize(matrix);
      least[p].keep_least(busy_seconds(factor.schedule(), costs));
    }
  }
}

BusySeconds sum_of(const LoadProblems& problems) {
  BusySeconds sum{0, 0};
  for (const BusySeconds& problem : problems) {
    sum.streaming += problem.streaming;
    sum.computing += problem.computing;
  }
  return sum;
}

MachineFile::Load load_of(Index workers, const BusySeconds& few, const BusySeconds& all) {
  const auto factor = [](double time, double of_all) { return of_all > 0 ? time / of_all : 1; };
  return {workers, factor(few.computing, all.computing), factor(few.streaming, all.streaming)};
}

/// Returns the factors for 1, 2, 4, ... and all workers: how long their tasks take over what they
/// take where all are busy. Both sides take turns, because other programs may slow the machine down
/// for some seconds.
std::vector<MachineFile::Load> measure_load(
    Index workers, const CostTable& costs,
    const std::function<void(const std::string& next)>& progress) {
  std::vector<MachineFile::Load> load;
  for (Index count = 1; count < workers; count *= 2) {
    progress("tasks of " + std::to_string(count) + " workers");
    LoadProblems few;
    LoadProblems all;
    for (int round = 0; round < load_rounds; ++round) {
      measure(few, count, workers, costs);
      measure(all, workers, workers, costs);
    }
    load.push_back(load_of(count, sum_of(few), sum_of(all)));
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
  machine.load = measure_load(workers, costs.table, progress);
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
