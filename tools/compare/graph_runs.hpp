// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

#include "compare/comparison.hpp"
#include "graph/described_graph.hpp"
#include "perfmodels/machine_file.hpp"
#include "simulate/simulated_process.hpp"

namespace espalier::internal {

/// A policy on workers and devices.
struct GraphCase {
  PolicyChoice policy;
  Index workers = 1;
  std::string architecture{};  ///< architecture of the devices
  Index devices = 0;
};

/// The result of a simulated run of a graph.
struct GraphRun {
  GraphCase of;
  std::string active;            ///< the policy that StarPU reported
  double seconds = 0;            ///< makespan
  double bound = 0;              ///< lower bound of the makespan of every schedule
  double idle_share = 0;         ///< share of the time of the workers without a task
  double device_idle_share = 0;  ///< share of the time of the devices without a task; 0 without
};

/// Runs a file of espalier analyze --graph inside SimGrid.
class GraphReplay {
 public:
  /// `machine` is the name or the file of a machine, or empty for the ideal machine. Throws
  /// InputError if the graph or the machine cannot be used, UsageError without a simulator.
  GraphReplay(std::string file, const std::string& machine);

  const DescribedGraph& graph() const { return graph_; }
  std::string machine_name() const;
  /// Throws UsageError if the machine has too few cores or devices, if the graph has no times for
  /// the devices, or if the policy is the configuration of a paper.
  void expect_possible(const GraphCase& what) const;
  /// Throws the errors of SimulatedProcess::run().
  GraphRun run(const GraphCase& what) const;

 private:
  std::string file_;
  DescribedGraph graph_;
  std::optional<MachineFile> machine_;
  SimulatedProcess process_;
};

/// Returns one line with the graph and the machine.
std::string heading_of(const GraphReplay& replay);

/// Returns the table of runs with the same workers and devices, one line per policy.
std::string table_of(std::span<const GraphRun> runs);

/// Returns all runs as JSON.
std::string json_of(const GraphReplay& replay, std::span<const GraphRun> runs);

}  // namespace espalier::internal
