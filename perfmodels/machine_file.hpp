// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cost_table.hpp"
#include "espalier/types.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier::internal {

/// A machine for simulations: nodes of one kind and the network between them.
struct MachineFile {
  /// Factors on the times of tasks while `workers` workers of a node are busy. They depend on the
  /// number of busy workers because cores share memory and power.
  struct Load {
    Index workers;
    double time;
    double streaming = time;  ///< factor for tasks that move more than they compute
  };

  /// Devices of one kind in a node.
  struct Devices {
    std::string architecture;  ///< "cuda" or "coprocessor"
    std::string model;
    Index count = 0;
    Count memory_bytes = 0;  ///< memory of each device, in bytes
    DeviceTable costs;
    /// Link between two devices; empty if copies go through the host.
    std::optional<DeviceTable::Link> peer{};

    /// Returns the cost of a copy from one device to another.
    DeviceTable::Link between() const;
  };

  std::string name;
  std::string provenance;  ///< source of each number
  Index cores = 1;         ///< number of cores of a node
  CostFile costs;
  /// By ascending number of workers. Between two numbers the factors are linear; after the last one
  /// they are constant.
  std::vector<Load> load;
  DeviceTable::Link network;  ///< link between two nodes
  /// Bytes per second that all cores of a node together read from memory and write to it; 0: the
  /// loads contain its limit.
  double memory_bandwidth = 0;
  /// Time of the analysis and the set-up on this machine, divided by their time on the machine that
  /// runs the simulation. Both times are for one core without other load. Without a value, see
  /// analysis_scale_on().
  std::optional<double> analysis_scale{};
  /// Maximum number of busy cores for which factorizations were measured on such a machine.
  Index validated_cores = 0;
  bool one_machine = false;  ///< nodes are processes that share one machine and its load
  std::vector<Devices> devices{};

  /// Returns the factor on the time of a task while `busy` workers are busy, including the worker
  /// of the task. The factor is 1 if the machine has no loads. `streams` is the result of
  /// streams().
  double time_at(Index busy, bool streams = false) const;
  /// Returns the factor on the time of a task, likewise. Together the busy workers would move
  /// `bytes_a_second` bytes per second if their tasks took the times of the table. If this exceeds
  /// the bandwidth of the memory, all tasks take longer, in proportion to the excess.
  double time_at(Index busy, bool streams, double bytes_a_second) const;
  /// Returns `analysis_scale`. Without a value, returns the ratio of the times of graph searches on
  /// this machine and on the simulating one, where they take `search_seconds`; or 1 if nobody has
  /// measured them on this machine.
  double analysis_scale_on(double search_seconds) const;
  /// Returns the machine as each rank sees it. The load of a rank is that of all ranks of its node
  /// together, or of all ranks if the nodes share one machine.
  MachineFile seen_by_each(Index nodes, Index ranks_per_node = 1) const;
  /// Returns the number of devices of this architecture in a node.
  Index count_of(const std::string& architecture) const;
  /// Throws UsageError if a node has fewer cores than `workers`, or fewer than `count` devices of
  /// this architecture.
  void expect_room(Index workers, const std::string& architecture, Index count) const;
  /// Returns the machine with `count` of these devices in a node and no others. The machine must
  /// have such devices.
  MachineFile with_devices(const std::string& architecture, Index count) const;
};

/// Returns whether a task with these operations and this time moves more data than it computes. It
/// does if its rate is less than half the best rate of the dense kernels.
bool streams(const CostTable& costs, double flops, double seconds);

/// Returns the text of such a file, including the table of costs.
std::string to_json(const MachineFile& machine);

/// Returns the machine that a text describes.
///
/// - Its "costs" are a table in the format of `espalier calibrate`, or refer to a shipped table as
///   scaled_costs() describes.
/// - The "costs" of a device are a table in the same format, or have "rates" (DeviceRates) instead
///   of the grids of kernels.
///
/// Throws InputError with the name of the file and the error.
MachineFile machine_file_from_json(const std::string& text, const std::string& name);

/// Returns the machine of this name that comes with Espalier, or the machine that this file
/// describes. Throws InputError; if there is neither, its message has the names of the machines.
MachineFile find_machine(const std::string& name_or_file);

/// Returns the names of the machines that come with Espalier.
std::vector<std::string> shipped_machine_names();

/// Returns the path of machine-HOST.json in the user's data folder, or an empty path if there is no
/// such folder. `espalier calibrate --machine` writes the description of this machine to it.
std::string user_machine_file();

/// Returns the content of that file, if it exists.
OwnFile<MachineFile> this_machines_description();

/// Machines that come with the library, as text; see perfmodels/machines.
std::span<const ShippedTable> shipped_machines();

}  // namespace espalier::internal
