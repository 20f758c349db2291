// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "chart/charts.hpp"
#include "chart/svg.hpp"

namespace espalier::internal {

namespace {

constexpr double letter_width = 7;
constexpr double legend_row = 18;
constexpr const char* rule_color = "#dddddd";
constexpr std::array<const char*, 8> series_colors{"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                                   "#66ccee", "#aa3377", "#332288", "#bbbbbb"};

const char* color_of(std::size_t series) { return series_colors[series % series_colors.size()]; }

struct ValueRange {
  double least = std::numeric_limits<double>::max();
  double most = 0;
};

ValueRange range_of(const ValueChart& chart) {
  ValueRange range;
  for (const auto& series : chart.series) {
    for (const double value : series.values) {
      if (!(value > 0)) continue;
      range.least = std::min(range.least, value);
      range.most = std::max(range.most, value);
    }
  }
  return range;
}

void draw_names(Svg& svg, const ValueChart& chart, double x, double y) {
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    svg.rect({x, y - 10, 11, 11}, color_of(k), "", "legend");
    svg.text(x + 16, y, chart.series[k].label);
    y += legend_row;
  }
}

double longest_name(const ValueChart& chart) {
  std::size_t longest = 0;
  for (const auto& series : chart.series) longest = std::max(longest, series.label.size());
  return 30 + letter_width * static_cast<double>(longest);
}

}  // namespace

std::string bar_groups(const ValueChart& chart) {
  constexpr double bar = 14;
  constexpr double gap = 10;
  constexpr double plot = 520;
  double left = 0;
  for (const std::string& place : chart.places) {
    left = std::max(left, 20 + letter_width * static_cast<double>(place.size()));
  }
  const double right = left + plot;
  const double group = bar * static_cast<double>(chart.series.size()) + gap;
  const double bottom = 10 + group * static_cast<double>(chart.places.size());
  const double names = bar * static_cast<double>(chart.series.size());
  Svg svg(right + 80 + longest_name(chart), std::max(bottom + 30, names + 40));
  const Axis axis(Axis::Kind::linear, 0, range_of(chart).most, left, right);
  for (std::size_t at = 0; at < chart.places.size(); ++at) {
    double y = 10 + group * static_cast<double>(at);
    svg.text(left - 8, y + (group - gap) / 2 + 4, chart.places[at], Svg::Anchor::end);
    for (std::size_t k = 0; k < chart.series.size(); ++k, y += bar) {
      const auto& series = chart.series[k];
      const double value = series.values[at];
      if (std::isnan(value)) continue;
      const std::string text = series.text(value);
      svg.rect({left, y, axis(value) - left, bar - 2}, color_of(k), series.label + ": " + text,
               "bar");
      svg.text(axis(value) + 5, y + bar - 4, text);
    }
  }
  svg.title_across(left, right, bottom + 20, chart.title);
  draw_names(svg, chart, right + 80, 24);
  return svg.str(chart.title);
}

std::string value_lines(const ValueChart& chart) {
  constexpr double left = 90;
  constexpr double right = 560;
  constexpr double top = 15;
  constexpr double bottom = 330;
  constexpr double margin = 25;
  Svg svg(right + 30 + longest_name(chart), bottom + 45);
  const ValueRange range = range_of(chart);
  const auto kind = chart.logarithmic ? Axis::Kind::logarithmic : Axis::Kind::linear;
  const Axis upwards(kind, chart.logarithmic ? range.least : 0, range.most, bottom - margin,
                     top + margin);
  const auto last = static_cast<double>(std::ssize(chart.places)) - 1;
  const Axis across(Axis::Kind::linear, 0, std::max(1.0, last), left + margin, right - margin);
  for (std::size_t at = 0; at < chart.places.size(); ++at) {
    const double x = across(static_cast<double>(at));
    svg.line(x, top, x, bottom, rule_color);
    svg.text(x, bottom + 16, chart.places[at], Svg::Anchor::middle);
  }
  for (const double value : {range.least, range.most}) {
    svg.line(left, upwards(value), right, upwards(value), rule_color);
    svg.text(left - 5, upwards(value) + 4, chart.series.front().text(value), Svg::Anchor::end);
  }
  svg.title_across(left, right, bottom + 34, chart.places_are);
  svg.title_upwards(13, top, bottom, chart.title);
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const std::vector<double>& values = chart.series[k].values;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (!(values[at] > 0)) continue;
      const double x = across(static_cast<double>(at));
      if (at > 0 && values[at - 1] > 0) {
        svg.line(across(static_cast<double>(at - 1)), upwards(values[at - 1]), x,
                 upwards(values[at]), color_of(k));
      }
      svg.circle(x, upwards(values[at]), 4, color_of(k), "value");
    }
  }
  draw_names(svg, chart, right + 20, top + 20);
  return svg.str(chart.title);
}

}  // namespace espalier::internal
