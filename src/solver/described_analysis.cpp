// SPDX-License-Identifier: BSD-3-Clause
#include "solver/described_analysis.hpp"

#include <utility>

#include "espalier/espalier.hpp"
#include "perfmodels/cost_model.hpp"
#include "report/factor_report.hpp"
#include "report/graph_description.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

/// Adds the predictions for devices that were calibrated on this machine.
std::vector<DevicePrediction> calibrated_devices(const KernelCost& host, GraphOrigin& origin) {
  std::vector<DevicePrediction> devices;
  for (const std::string_view name : device_architectures) {
    const std::string architecture(name);
    const DeviceChoice choice = read_device_costs(architecture);
    if (choice.source != "calibrated") continue;
    devices.push_back({name, DeviceSeconds(*choice.table, host)});
    origin.times.push_back({architecture, choice.source, user_device_file(architecture), ""});
  }
  return devices;
}

GraphOrigin origin_of(const AnalysisData& analysis, const PredictedFactorization& factorization) {
  const Report& report = analysis.report;
  GraphOrigin origin;
  origin.program = std::string("espalier ") + version();
  origin.matrix = report.matrix.name;
  origin.n = report.matrix.n;
  origin.nnz_lower = report.matrix.nnz_lower;
  origin.nnz_l = report.symbolic.nnz_l;
  origin.flops = report.symbolic.flops;
  origin.ordering = report.ordering.method;
  origin.granularity = name_of(factorization.plan.granularity);
  origin.workers = factorization.plan.workers;
  const CostChoice& costs = factorization.costs;
  origin.times.push_back({"cpu", costs.source, costs.file, costs.date});
  return origin;
}

}  // namespace

DescribedGraph describe(const AnalysisData& analysis, const PredictedFactorization& factorization,
                        std::vector<std::string> options) {
  GraphOrigin origin = origin_of(analysis, factorization);
  origin.options = std::move(options);
  const KernelCost host = cost_for(analysis.facts, factorization.costs.table);
  const auto devices = calibrated_devices(host, origin);
  const FactorPlan& plan = factorization.plan;
  DescribedGraph graph = describe_graph(analysis.symbolic, plan.graph, plan.workers, devices);
  graph.origin = std::move(origin);
  return graph;
}

}  // namespace espalier::internal
