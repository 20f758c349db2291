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
constexpr double cap = 3;  // half of the length of a whisker's end
constexpr const char* rule_color = "#dddddd";
constexpr const char* whisker_color = "#222222";
constexpr std::array<const char*, 8> series_colors{"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                                   "#66ccee", "#aa3377", "#332288", "#bbbbbb"};

const char* color_of(std::size_t series) { return series_colors[series % series_colors.size()]; }

struct ValueRange {
  double least = std::numeric_limits<double>::max();
  double most = 0;
};

/// Returns the range of all positive finite values and ends of whiskers.
ValueRange range_of(const ValueChart& chart) {
  ValueRange range;
  for (const auto& series : chart.series) {
    for (const auto* const values : {&series.values, &series.lowest, &series.highest}) {
      for (const double value : *values) {
        if (!(value > 0) || std::isinf(value)) continue;
        range.least = std::min(range.least, value);
        range.most = std::max(range.most, value);
      }
    }
  }
  return range;
}

bool has_values(const ValueChart::Series& series) {
  return std::ranges::any_of(series.values, [](double value) { return value > 0; });
}

void draw_names(Svg& svg, const ValueChart& chart, double x, double y) {
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    if (!has_values(chart.series[k])) continue;
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

/// Returns the ticks of the axis of values. A logarithmic axis with fewer than two powers of ten
/// also has its ends.
std::vector<double> ticks_of(const Axis& axis, const ValueRange& range) {
  constexpr std::size_t few = 2;
  std::vector<double> ticks = axis.ticks();
  if (ticks.size() < few) {
    ticks.push_back(range.least);
    if (range.most > range.least) ticks.push_back(range.most);
  }
  return ticks;
}

/// Ends of the whisker of a value, within the range of the axis.
struct Whisker {
  double low;
  double high;
};
Whisker whisker_of(const ValueChart::Series& series, std::size_t at, const ValueRange& range,
                   double floor) {
  return {std::max(series.lowest[at], floor), std::min(series.highest[at], range.most)};
}

/// Draws the bar of one value, its whisker and its text, in the row that begins at y.
void draw_bar(Svg& svg, const ValueChart& chart, std::size_t k, std::size_t at, const Axis& axis,
              double y, double height) {
  const auto& series = chart.series[k];
  const double value = series.values[at];
  if (std::isnan(value)) return;
  const std::string text = series.text(value);
  const double left = axis(0);
  const double middle = y + height / 2;
  svg.rect({left, y, axis(value) - left, height}, color_of(k), series.label + ": " + text, "bar");
  const Whisker whisker = whisker_of(series, at, range_of(chart), 0);
  double end = axis(value);
  if (whisker.high > whisker.low) {
    svg.line(axis(whisker.low), middle, axis(whisker.high), middle, whisker_color, "whisker");
    for (const double tip : {whisker.low, whisker.high}) {
      svg.line(axis(tip), middle - cap, axis(tip), middle + cap, whisker_color);
    }
    end = axis(whisker.high);
  }
  svg.text(end + 5, y + height - 2, text);
}

/// Draws one series as a line with dots and whiskers.
void draw_series(Svg& svg, const ValueChart& chart, std::size_t k, const Axis& across,
                 const Axis& upwards) {
  const auto& series = chart.series[k];
  const ValueRange range = range_of(chart);
  for (std::size_t at = 0; at < series.values.size(); ++at) {
    if (!(series.values[at] > 0)) continue;
    const double x = across(chart.positions[at]);
    const double y = upwards(series.values[at]);
    if (at > 0 && series.values[at - 1] > 0) {
      svg.line(across(chart.positions[at - 1]), upwards(series.values[at - 1]), x, y, color_of(k));
    }
    const Whisker whisker = whisker_of(series, at, range, chart.logarithmic ? range.least : 0);
    if (whisker.high > whisker.low) {
      svg.line(x, upwards(whisker.low), x, upwards(whisker.high), color_of(k), "whisker");
      for (const double tip : {whisker.low, whisker.high}) {
        svg.line(x - cap, upwards(tip), x + cap, upwards(tip), color_of(k));
      }
    }
    svg.circle(x, y, 4, color_of(k), "value");
  }
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
  const double names = legend_row * static_cast<double>(chart.series.size());
  Svg svg(right + 80 + longest_name(chart), std::max(bottom + 45, names + 40));
  const ValueRange range = range_of(chart);
  const Axis axis(Axis::Kind::linear, 0, range.most, left, right);
  for (const double tick : ticks_of(axis, range)) {
    svg.line(axis(tick), 5, axis(tick), bottom, rule_color);
    svg.text(axis(tick), bottom + 14, chart.series.front().text(tick), Svg::Anchor::middle);
  }
  for (std::size_t at = 0; at < chart.places.size(); ++at) {
    const double y = 10 + group * static_cast<double>(at);
    svg.text(left - 8, y + (group - gap) / 2 + 4, chart.places[at], Svg::Anchor::end);
    for (std::size_t k = 0; k < chart.series.size(); ++k) {
      draw_bar(svg, chart, k, at, axis, y + bar * static_cast<double>(k), bar - 2);
    }
  }
  svg.title_across(left, right, bottom + 34, chart.values_are);
  draw_names(svg, chart, right + 80, 24);
  return svg.str(chart.title);
}

std::string value_lines(const ValueChart& chart) {
  constexpr double left = 110;
  constexpr double right = 580;
  constexpr double top = 15;
  constexpr double bottom = 330;
  constexpr double margin = 25;
  Svg svg(right + 30 + longest_name(chart), bottom + 45);
  const ValueRange range = range_of(chart);
  const auto kind = [](bool logarithmic) {
    return logarithmic ? Axis::Kind::logarithmic : Axis::Kind::linear;
  };
  const Axis upwards(kind(chart.logarithmic), chart.logarithmic ? range.least : 0, range.most,
                     bottom - margin, top + margin);
  const Axis across(kind(chart.logarithmic_positions), chart.positions.front(),
                    chart.positions.back(), left + margin, right - margin);
  for (std::size_t at = 0; at < chart.places.size(); ++at) {
    const double x = across(chart.positions[at]);
    svg.line(x, top, x, bottom, rule_color);
    svg.text(x, bottom + 16, chart.places[at], Svg::Anchor::middle);
  }
  for (const double value : ticks_of(upwards, range)) {
    svg.line(left, upwards(value), right, upwards(value), rule_color);
    svg.text(left - 5, upwards(value) + 4, chart.series.front().text(value), Svg::Anchor::end);
  }
  svg.title_across(left, right, bottom + 34, chart.places_are);
  svg.title_upwards(13, top, bottom, chart.values_are);
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    draw_series(svg, chart, k, across, upwards);
  }
  draw_names(svg, chart, right + 20, top + 20);
  return svg.str(chart.title);
}

}  // namespace espalier::internal
