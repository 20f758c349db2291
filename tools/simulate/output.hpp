// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "perfmodels/machine_file.hpp"
#include "simulate/simulator.hpp"

namespace espalier::internal {

/// Returns the share of the ideal speed-up over the first run of the same policy, for each run. It
/// is 1 if twice the cores take half the time. For runs with devices, devices count instead of
/// cores.
std::vector<double> efficiencies(std::span<const SimulatedRun> runs);

/// Return the heading of the table, and a line of it.
std::string simulation_heading();
std::string simulation_line(const SimulatedRun& run, double efficiency);

/// Returns a line with the number of cores beyond which no factorization was measured on such a
/// machine. Empty if none of these runs has more cores.
std::string validation_line(const MachineFile& machine, std::span<const SimulatedRun> runs);

/// Returns the report as JSON. For one run it is the program's report with the additional field
/// `simulated`; for several runs it is a list of such reports.
std::string simulation_json(const MachineFile& machine, std::span<const SimulatedRun> runs);

/// Returns a page with the time over the cores on axes as in symPACK's figures 7 to 12, the table,
/// and the time of each phase.
std::string simulation_page(const MachineFile& machine, std::span<const SimulatedRun> runs);

}  // namespace espalier::internal
