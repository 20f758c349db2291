// SPDX-License-Identifier: BSD-3-Clause
#include "base/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "chart/charts.hpp"
#include "chart/svg.hpp"

namespace espalier::internal {

namespace {

/// Numbers of operations on CPUs and on devices.
using Sides = std::array<Count, 2>;

constexpr std::array<const char*, 2> side_names{"CPU", "device"};
constexpr std::array<const char*, 2> side_colors{"#4477aa", "#ee6677"};

std::array<Sides, operations> sides_of(const std::vector<OperationReport>& done,
                                       std::string_view phase) {
  std::array<Sides, operations> sides{};
  for (const OperationReport& report : done) {
    const auto at = std::ranges::find(operation_names, report.operation);
    if (report.phase != phase || at == operation_names.end()) continue;
    sides[static_cast<std::size_t>(at - operation_names.begin())][report.worker == "cpu" ? 0 : 1] +=
        report.count;
  }
  return sides;
}

Count most_of(const std::array<Sides, operations>& sides) {
  Count most = 10;
  for (const Sides& both : sides) most = std::max({most, both[0], both[1]});
  return most;
}

std::string in_capitals(std::string_view name) {
  std::string capitals(name);
  for (char& letter : capitals) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return capitals;
}

}  // namespace

std::string operation_chart(const std::vector<OperationReport>& done, std::string_view phase) {
  constexpr double width = 380;
  constexpr double left = 75;
  constexpr double bottom = 236;
  constexpr double bar = 34;
  constexpr double group = 75;
  const auto sides = sides_of(done, phase);
  // lower end of the axis, so that a single operation has a visible bar
  constexpr double below_one = 0.5;
  const Axis upwards(Axis::Kind::logarithmic, below_one, static_cast<double>(most_of(sides)),
                     bottom, 36);
  Svg svg(width, bottom + 24);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    const double x = left + 90 * static_cast<double>(side);
    svg.rect({x, 6, 11, 11}, side_colors[side], "", "legend");
    svg.text(x + 15, 16, side_names[side]);
  }
  for (const double tick : upwards.ticks()) {
    svg.line(left, upwards(tick), width - 10, upwards(tick), "#dddddd");
    svg.text(left - 5, upwards(tick) + 4, fmt::format("{:g}", tick), Svg::Anchor::end);
  }
  svg.title_upwards(13, 36, bottom, "number of operations");
  for (std::size_t k = 0; k < operations; ++k) {
    const double x = left + 6 + group * static_cast<double>(k);
    const std::string name = in_capitals(operation_names[k]);
    svg.text(x + bar, bottom + 16, name, Svg::Anchor::middle);
    for (std::size_t side = 0; side < side_names.size(); ++side) {
      const Count count = sides[k][side];
      if (count == 0) continue;
      const double top = upwards(static_cast<double>(count));
      svg.rect({x + bar * static_cast<double>(side), top, bar - 2, bottom - top}, side_colors[side],
               fmt::format("{} {} on {}", count, name, side_names[side]), "operation");
      svg.text(x + bar * (static_cast<double>(side) + 0.5), top - 3, fmt::format("{}", count),
               Svg::Anchor::middle);
    }
  }
  return svg.str(fmt::format("Operations of the {} phase on CPUs and devices", phase));
}

}  // namespace espalier::internal
