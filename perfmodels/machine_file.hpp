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

/// A machine to simulate: nodes of one kind and the network between them.
struct MachineFile {
  /// How much longer tasks take than the table says while so many of a node's workers are busy:
  /// cores share memory and power.
  struct Load {
    Index workers;
    double time;
    double streaming = time;  ///< the same for tasks that move more than they compute
  };

  /// Devices of one kind that a node has.
  struct Devices {
    std::string architecture;  ///< "cuda" or "coprocessor"
    std::string model;
    Index count = 0;
    Count memory_bytes = 0;  ///< of each
    DeviceTable costs;
    std::optional<DeviceTable::Way> peer{};  ///< from one to another; none: through the host

    /// Returns how long a copy takes from one of them to another.
    DeviceTable::Way between() const;
  };

  std::string name;
  std::string provenance;  ///< where each number is from
  Index cores = 1;         ///< of a node
  CostFile costs;
  std::vector<Load> load;    ///< ascending; in between linear, beyond the last one constant
  DeviceTable::Way network;  ///< from one node to another
  /// Seconds of the analysis and of set-up there over those on the machine that simulates, which
  /// computes them; both on one core, where no load is.
  double analysis_scale = 1;
  bool one_machine = false;  ///< what counts as nodes are processes that share one, and its load
  std::vector<Devices> devices{};

  /// Returns the factor on the time of a task beside which so many workers are busy, itself
  /// included; 1 where nothing is known. `streams`: see streams().
  double time_at(Index busy, bool streams = false) const;
  /// Returns the machine as each of so many nodes sees it: where they share one machine, all of
  /// them are as busy as it is.
  MachineFile seen_by_each(Index nodes) const;
  /// Returns the number of devices of this architecture that a node has.
  Index count_of(const std::string& architecture) const;
  /// Returns the machine with so many of these devices, which it has, in a node and no others.
  MachineFile with_devices(const std::string& architecture, Index count) const;
};

/// Returns whether a task of so many seconds moves more than it computes: its rate is less than
/// half of the best of the dense kernels.
bool streams(const CostTable& costs, double flops, double seconds);

/// Returns the text of such a file, with the table of costs in it.
std::string to_json(const MachineFile& machine);

/// Reads a machine whose "costs" are a table as `espalier calibrate` writes it, or {"table": the
/// name of a shipped one, "scale": a factor on all of its times}, and whose devices have as "costs"
/// a table as that writes it or, instead of the kernels' grids, the "rates" of DeviceRates. Throws
/// InputError, naming the file and what is wrong with it.
MachineFile machine_file_from_json(const std::string& text, const std::string& name);

/// Returns the machine that comes with Espalier under that name, or that the file describes. Throws
/// InputError; where there is neither, with the names of those that come with it.
MachineFile find_machine(const std::string& name_or_file);

/// Returns the names of the machines that come with Espalier.
std::vector<std::string> shipped_machine_names();

/// Returns the path machine-HOST.json in the user's data folder, where `espalier calibrate
/// --machine` describes this machine; empty where there is no such folder.
std::string user_machine_file();

/// Returns what that file says, where there is one.
OwnFile<MachineFile> this_machines_description();

/// Machines that come with the library, as text; see perfmodels/machines.
std::span<const ShippedTable> shipped_machines();

}  // namespace espalier::internal
