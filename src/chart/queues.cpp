// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/readable.hpp"
#include "chart/charts.hpp"
#include "chart/svg.hpp"

namespace espalier::internal {

namespace {

constexpr double queue_left = 75;
constexpr double queue_right = 370;
constexpr double queue_top = 36;
constexpr double queue_bottom = 236;
constexpr double empty_queue = 0.5;  ///< position of an empty queue on the logarithmic axis

void draw_queue(Svg& svg, const std::vector<Count>& sizes, const Axis& across, const Axis& upwards,
                const char* color) {
  double x_before = 0;
  double y_before = 0;
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    const double x = across(static_cast<double>(at));
    const double y = upwards(std::max(empty_queue, static_cast<double>(sizes[at])));
    if (at > 0) svg.line(x_before, y_before, x, y, color);
    svg.circle(x, y, 1.5, color, "queue");
    x_before = x;
    y_before = y;
  }
}

Count longest_queue(const QueueSizesReport& sizes) {
  Count most = 1;
  for (const auto* const queue : {&sizes.ltq, &sizes.rtq}) {
    for (const Count tasks : *queue) most = std::max(most, tasks);
  }
  return most;
}

}  // namespace

std::string queue_chart(const QueueSizesReport& sizes) {
  Svg svg(380, queue_bottom + 40);
  const auto count = static_cast<double>(sizes.ltq.size());
  const Axis across(Axis::Kind::linear, -0.5, count - 0.5, queue_left, queue_right);
  const Axis upwards(Axis::Kind::logarithmic, empty_queue,
                     static_cast<double>(longest_queue(sizes)), queue_bottom, queue_top);
  for (const double tick : upwards.ticks()) {
    svg.line(queue_left, upwards(tick), queue_right, upwards(tick), "#dddddd");
    svg.text(queue_left - 5, upwards(tick) + 4, fmt::format("{:g}", tick), Svg::Anchor::end);
  }
  constexpr std::array names{"LTQ: waiting", "RTQ: ready"};
  constexpr std::array colors_of_queues{"#4477aa", "#ee6677"};
  const std::array queues{&sizes.ltq, &sizes.rtq};
  for (std::size_t k = 0; k < queues.size(); ++k) {
    const double x = queue_left + 120 * static_cast<double>(k);
    svg.rect({x, 6, 11, 11}, colors_of_queues[k], "", "legend");
    svg.text(x + 15, 16, names[k]);
    draw_queue(svg, *queues[k], across, upwards, colors_of_queues[k]);
  }
  svg.title_upwards(13, queue_top, queue_bottom, "number of tasks");
  svg.title_across(queue_left, queue_right, queue_bottom + 32,
                   "time since the start of the factorization");
  svg.text(queue_left, queue_bottom + 16, "0", Svg::Anchor::middle);
  svg.text(queue_right, queue_bottom + 16, readable_seconds(count * sizes.interval_seconds),
           Svg::Anchor::end);
  return svg.str(fmt::format("Tasks in the queues of rank {}", sizes.rank));
}

}  // namespace espalier::internal
