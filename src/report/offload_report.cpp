// SPDX-License-Identifier: BSD-3-Clause

#include "report/offload_report.hpp"

#include <algorithm>
#include <vector>

#include "perfmodels/host_load.hpp"
#include "plan/makespan.hpp"
#include "runtime/starpu/devices.hpp"

namespace espalier::internal {

void PlannedOffload::describe(OffloadReport& report) const {
  report.planned_fraction = all > 0 ? devices / all : 0;
  report.kept = unlimited > 0 ? devices / unlimited : 1;
  report.plan_seconds = seconds;
  report.device_bytes = bytes;
}

void OffloadDone::describe(OffloadReport& report) const {
  if (device_workers == 0 || seconds <= 0) return;
  const double flops = host.flops + devices.flops;
  const Index workers = host_workers + device_workers;
  const double busy_host = host_workers > 0 ? host.seconds / host_workers : 0;
  report.fraction = flops > 0 ? devices.flops / flops : 0;
  report.host_idle_seconds = seconds - busy_host;
  report.device_idle_seconds = seconds - devices.seconds / device_workers;
  report.efficiency = 1 - (report.device_idle_seconds + report.host_idle_seconds) / (2 * seconds);
  report.busy_share = (host.seconds + devices.seconds) / (seconds * workers);
  report.panel_seconds = host_workers > 0 ? panel_work / host_workers : 0;
  report.panel_share = report.panel_seconds / seconds;
  report.transfer_seconds = transfer_seconds;
  report.bytes_to_device = bytes_to_devices;
  report.bytes_to_host = bytes_to_host;
}

OffloadDone& OffloadDone::operator+=(const OffloadDone& other) {
  host += other.host;
  devices += other.devices;
  seconds = std::max(seconds, other.seconds);
  host_workers += other.host_workers;
  device_workers += other.device_workers;
  panel_work += other.panel_work;
  bytes_to_devices += other.bytes_to_devices;
  bytes_to_host += other.bytes_to_host;
  transfer_seconds = std::max(transfer_seconds, other.transfer_seconds);
  return *this;
}

namespace {

/// Returns the predicted share of D and F in the seconds of all subtrees.
double panel_share_of_subtrees(const PanelStructure& structure, const SubtreeCut& cut,
                               const KernelCost& cost) {
  const std::vector<double> seconds = panel_seconds(structure, cost);
  double panels = 0;
  double all = 0;
  for (Index p = 0; p < structure.panels(); ++p) {
    if (cut.group_of[p] < 0) continue;
    const Index width = structure.width(p);
    panels += cost.potrf(width) + cost.trsm(structure.height(p) - width, width);
    all += seconds[p];
  }
  return all > 0 ? panels / all : 0;
}

}  // namespace

double panel_work(const FactorHistory::Tally& host, const PanelStructure& structure,
                  const SubtreeCut& cut, const KernelCost& cost) {
  const auto seconds = [&](TaskKind kind) { return host[static_cast<std::size_t>(kind)].seconds; };
  return seconds(TaskKind::diagonal) + seconds(TaskKind::factor) +
         seconds(TaskKind::subtree) * panel_share_of_subtrees(structure, cut, cost);
}

OffloadDone offload_done(const FactorHistory& history, const FactorPlan& plan,
                         const PanelStructure& structure, const KernelCost& cost,
                         const StarpuInstance& starpu) {
  OffloadDone done{.host = sum_of(history.fastest),
                   .devices = sum_of(history.fastest_coprocessor),
                   .seconds = history.factor_seconds.empty() ? 0 : history.fastest_seconds,
                   .host_workers = starpu.cpu_workers(),
                   .device_workers = starpu.coprocessor_workers() + starpu.cuda_workers()};
  if (done.device_workers == 0) return done;
  done.devices += sum_of(history.fastest_cuda);
  done.panel_work = panel_work(history.fastest, structure, plan.graph.cut, cost);
  done.bytes_to_devices = history.fastest_traffic.to_devices;
  done.bytes_to_host = history.fastest_traffic.to_host;
  done.transfer_seconds = transfer_seconds(starpu, history.fastest_traffic);
  return done;
}

double bound_of(const FactorPlan& plan, const PanelStructure& structure, const KernelCost& host,
                const StarpuInstance& starpu) {
  if (!plan.device_costs) return 0;
  const KernelCost kernels = kernels_on(*plan.device_costs, host);
  const DeviceShare devices{starpu.devices().processors, kernels, *plan.device_costs, structure};
  return least_seconds(plan.graph, starpu.cpu_workers(), devices);
}

double schedule_bound(const FactorPlan& plan, const PanelStructure& structure,
                      const KernelCost& host, const StarpuInstance& starpu,
                      const DeviceSeconds* device) {
  const HostLoad load = least_host_load(starpu.cpu_workers());
  if (device == nullptr) return least_makespan(plan.graph, starpu.cpu_workers(), load, nullptr);
  const KernelCost kernels = kernels_on(device->table(), host);
  const bool is_divided = plan.offload.has_value();
  const DeviceShare devices{starpu.devices().processors, kernels, device->table(), structure,
                            is_divided ? nullptr : device};
  return least_makespan(plan.graph, starpu.cpu_workers(), load, &devices);
}

}  // namespace espalier::internal
