// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/operation_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier::internal {

namespace {

using Sums = std::array<OperationSum, dense_operations.size()>;

std::vector<double> counts_of(const Sums& sums) {
  std::vector<double> counts;
  for (const OperationSum& sum : sums) counts.push_back(sum.count);
  return counts;
}

bool is_any(const Sums& sums) {
  return std::ranges::any_of(sums, [](const OperationSum& sum) { return sum.count > 0; });
}

/// Collects the numbers that decide a claim, one operation after the other. The claim holds if at
/// least one number speaks for it and none against it.
class Evidence {
 public:
  void add(bool speaks_for, const std::string& text) {
    holds_ = (holds_ || found_.empty()) && speaks_for;
    found_ += (found_.empty() ? "" : ", ") + text;
  }
  Claim claim(std::string text, const char* nothing) const {
    return {std::move(text), holds_, found_.empty() ? nothing : found_};
  }

 private:
  bool holds_ = false;
  std::string found_;
};

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

bool offloads_each(const OperationSides& sides) {
  for (std::size_t k = 0; k < dense_operations.size(); ++k) {
    if (sides.cpu[k].count > 0 && sides.device[k].count == 0) return false;
  }
  return is_any(sides.device);
}

void add_operations(Figure& figure, const nlohmann::ordered_json& report) {
  Evidence mostly_cpu;
  Evidence largest_on_devices;
  for (const char* const phase : {"factor", "solve"}) {
    const auto [cpu, device] = operations_of(report, phase);
    figure.columns.push_back({fmt::format("{}, CPU", phase), Unit::count, counts_of(cpu)});
    figure.columns.push_back({fmt::format("{}, device", phase), Unit::count, counts_of(device)});
    if (!is_any(device)) {
      figure.conditions += fmt::format(" No operation of the {} went to a device.", phase);
    }
    for (std::size_t k = 0; k < dense_operations.size(); ++k) {
      const double all = cpu[k].count + device[k].count;
      if (all == 0) continue;
      const std::string name = fmt::format("{} {}", phase, dense_operations.at(k));
      mostly_cpu.add(cpu[k].count >= device[k].count,
                     readable(cpu[k].count / all, Unit::percent) + " of the " + name);
      if (cpu[k].count == 0 || device[k].count == 0) continue;
      const double ratio = device[k].flops / device[k].count / (cpu[k].flops / cpu[k].count);
      largest_on_devices.add(ratio > 1,
                             fmt::format("{} times in {}", readable(ratio, Unit::factor), name));
    }
  }
  figure.claims.push_back(
      mostly_cpu.claim("Most calls of each operation run on CPUs", "there were no operations"));
  figure.claims.push_back(
      largest_on_devices.claim("The calls on devices have more flops on average",
                               "no operation ran on both CPUs and devices"));
}

}  // namespace espalier::internal
