// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "perfmodels/machine_file.hpp"
#include "simulate/simulator.hpp"

namespace espalier::internal {

/// Returns the part of the ideal speed-up over the first run of the same policy that each run has:
/// 1 where twice the cores take half the time, or twice the devices for runs that have some.
std::vector<double> efficiencies(std::span<const SimulatedRun> runs);

/// Returns the heading of the table, and a line of it.
std::string simulation_heading();
std::string simulation_line(const SimulatedRun& run, double efficiency);

/// Returns the report: of one run that of the program with what was simulated, of several a list of
/// such.
std::string simulation_json(const MachineFile& machine, std::span<const SimulatedRun> runs);

/// Returns a page with time over cores, on axes as in symPACK's figures 7 to 12, the table, and the
/// time of each phase.
std::string simulation_page(const MachineFile& machine, std::span<const SimulatedRun> runs);

}  // namespace espalier::internal
