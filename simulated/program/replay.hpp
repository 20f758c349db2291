// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/options.hpp"

namespace espalier::internal {

/// A graph to run, and the workers that run it.
struct ReplaySettings {
  std::string graph;         ///< JSON file of espalier analyze --graph
  std::string architecture;  ///< architecture of the devices, whose times the file has
  RuntimeOptions runtime;
};

/// Runs the tasks of the graph without their matrix: each keeps a worker busy for its time in the
/// file, and its data travel. Returns the results as JSON: the makespan, its lower bound, and the
/// seconds in which workers and devices are busy. Throws InputError if the file cannot be used, and
/// UnknownScheduler.
std::string replay(const ReplaySettings& settings);

}  // namespace espalier::internal
