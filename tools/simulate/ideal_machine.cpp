// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ideal_machine.hpp"

namespace espalier::internal {

namespace {

/// Time that stands for none in seconds, because costs in files are positive.
constexpr double no_time = 1e-18;

constexpr Count memory_bytes = Count{1} << 44;  ///< of a device; more than the data of any graph

CostGrid free_grid() { return {{1, 1, 1}, {no_time}}; }

CostTable free_costs() {
  CostTable table;
  for (CostGrid* const grid : {&table.potrf, &table.trsm, &table.syrk, &table.gemm,
                               &table.syrk_again, &table.gemm_again}) {
    *grid = free_grid();
  }
  for (double* const seconds : {&table.fill, &table.take, &table.line, &table.read, &table.task}) {
    *seconds = no_time;
  }
  return table;
}

DeviceTable free_device_costs() {
  DeviceTable table;
  table.syrk = table.gemm = free_grid();
  table.to = table.back = {0, no_time};
  table.overlaps = true;
  return table;
}

}  // namespace

MachineFile ideal_machine(Index cores, const std::string& architecture, Index devices) {
  MachineFile machine;
  machine.name = "ideal";
  machine.provenance = "no measurement: overheads and copies take no time";
  machine.cores = cores;
  machine.costs.workers = cores;
  machine.costs.table = free_costs();
  machine.network = {0, no_time};
  if (devices > 0) {
    machine.devices.push_back(
        {architecture, architecture, devices, memory_bytes, free_device_costs(), {}});
  }
  return machine;
}

std::vector<std::string> variables_without_overhead() {
  return {"STARPU_SIMGRID_TASK_SUBMIT_COST=0", "STARPU_SIMGRID_TASK_PUSH_COST=0",
          "STARPU_SIMGRID_FETCHING_INPUT_COST=0", "STARPU_SIMGRID_SCHED_COST=0"};
}

}  // namespace espalier::internal
