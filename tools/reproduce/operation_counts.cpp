// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/operation_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace espalier::internal {

namespace {

using Sums = std::array<OperationSum, dense_operations.size()>;

std::vector<Value> counts_of(const Sums& sums) {
  std::vector<Value> counts;
  for (const OperationSum& sum : sums) counts.push_back(exact(sum.count));
  return counts;
}

bool is_any(const Sums& sums) {
  return std::ranges::any_of(sums, [](const OperationSum& sum) { return sum.count > 0; });
}

}  // namespace

OperationSides operations_of(const nlohmann::ordered_json& report, const std::string& phase) {
  OperationSides sides;
  for (const auto& done : report.at("operations")) {
    if (done.at("phase") != phase) continue;
    const auto at = std::ranges::find(dense_operations, done.at("operation").get<std::string>());
    Sums& sums = done.at("worker") == "cpu" ? sides.cpu : sides.device;
    OperationSum& sum = sums.at(static_cast<std::size_t>(at - dense_operations.begin()));
    sum.count += done.at("count").get<double>();
    sum.flops += done.at("flops").get<double>();
  }
  return sides;
}

void add_operations(Figure& figure, const nlohmann::ordered_json& report) {
  std::vector<Judgement> mostly_cpu;
  std::string shares;
  bool any_on_device = false;
  for (const char* const phase : {"factor", "solve"}) {
    const auto [cpu, device] = operations_of(report, phase);
    figure.columns.push_back({fmt::format("{}, CPU", phase), Unit::count, counts_of(cpu)});
    figure.columns.push_back({fmt::format("{}, device", phase), Unit::count, counts_of(device)});
    any_on_device = any_on_device || is_any(device);
    if (!is_any(device)) {
      figure.conditions += fmt::format(" No operation of the {} went to a device.", phase);
    }
    for (std::size_t k = 0; k < dense_operations.size(); ++k) {
      const double all = cpu[k].count + device[k].count;
      if (all == 0) continue;
      mostly_cpu.push_back(is_below(exact(device[k].count), exact(cpu[k].count)));
      shares +=
          fmt::format("{}{} of the {} {}", shares.empty() ? "" : ", ",
                      readable(cpu[k].count / all, Unit::percent), phase, dense_operations.at(k));
    }
  }
  figure.claims.push_back(
      {"Most calls of each operation run on CPUs",
       any_on_device ? all_of(mostly_cpu) : not_judged("no operation ran on a device"), shares});
}

}  // namespace espalier::internal
