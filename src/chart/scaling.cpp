// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/readable.hpp"
#include "chart/charts.hpp"
#include "chart/svg.hpp"

namespace espalier::internal {

namespace {

constexpr double width = 640;
constexpr double height = 400;
constexpr double left = 80;
constexpr double right = 500;
constexpr double top = 15;
constexpr double bottom = 360;
constexpr const char* raster_color = "#dddddd";
constexpr std::array<const char*, 8> colors{"#ee6677", "#4477aa", "#228833", "#ccbb44",
                                            "#66ccee", "#aa3377", "#332288", "#bbbbbb"};

struct Ranges {
  double least_cores = std::numeric_limits<double>::max();
  double most_cores = 1;
  double shortest = std::numeric_limits<double>::max();
  double longest = 0;
};

Ranges ranges_of(const std::vector<Curve>& curves) {
  Ranges r;
  for (const Curve& curve : curves) {
    for (const auto& [cores, seconds] : curve.points) {
      r.least_cores = std::min(r.least_cores, cores);
      r.most_cores = std::max(r.most_cores, cores);
      r.shortest = std::min(r.shortest, seconds);
      r.longest = std::max(r.longest, seconds);
    }
  }
  return r;
}

void draw_curve(Svg& svg, const Curve& curve, const Axis& across, const Axis& upwards,
                const char* color) {
  const Curve::Point* before = nullptr;
  for (const Curve::Point& point : curve.points) {
    const double x = across(point.cores);
    const double y = upwards(point.seconds);
    if (before != nullptr) svg.line(across(before->cores), upwards(before->seconds), x, y, color);
    svg.circle(x, y, 4, color, "run");
    before = &point;
  }
}

/// Draws the part of the ideal line that is inside the chart.
void draw_ideal(Svg& svg, const Curve& curve, const Ranges& r, const Axis& across,
                const Axis& upwards) {
  const auto& [cores, seconds] = curve.points.front();
  const double end = std::min(r.most_cores, cores * seconds / r.shortest);
  svg.line(across(cores), upwards(seconds), across(end), upwards(seconds * cores / end), "#999999");
}

}  // namespace

std::string scaling_chart(const std::vector<Curve>& curves) {
  Svg svg(width, height);
  const Ranges r = ranges_of(curves);
  const Axis across(Axis::Kind::logarithmic, r.least_cores, r.most_cores, left + 15, right - 15);
  const Axis upwards(Axis::Kind::logarithmic, r.shortest, r.longest, bottom - 15, top + 15);
  std::set<double> cores;
  for (const Curve& curve : curves) {
    for (const Curve::Point& point : curve.points) cores.insert(point.cores);
  }
  for (const double count : cores) {
    svg.line(across(count), top, across(count), bottom, raster_color);
    svg.text(across(count), bottom + 16, fmt::format("{}", count), Svg::Anchor::middle);
  }
  for (const double seconds : {r.shortest, r.longest}) {
    svg.line(left, upwards(seconds), right, upwards(seconds), raster_color);
    svg.text(left - 5, upwards(seconds) + 4, readable_seconds(seconds), Svg::Anchor::end);
  }
  svg.title_across(left, right, bottom + 34, "number of cores or devices");
  svg.title_upwards(13, top, bottom, "time of a factorization");
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const char* const color = colors[k % colors.size()];
    draw_ideal(svg, curves[k], r, across, upwards);
    draw_curve(svg, curves[k], across, upwards, color);
    const double y = top + 20 + 18 * static_cast<double>(k);
    svg.circle(right + 15, y - 4, 4, color);
    svg.text(right + 25, y, curves[k].label);
  }
  return svg.str("time over cores");
}

}  // namespace espalier::internal
