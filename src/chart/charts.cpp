// SPDX-License-Identifier: BSD-3-Clause
#include "chart/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/readable.hpp"
#include "base/task_kind.hpp"
#include "chart/schedule_sums.hpp"
#include "chart/svg.hpp"

namespace espalier::internal {

namespace {

constexpr const char* grid_color = "#dddddd";
constexpr const char* line_color = "#666666";
constexpr const char* bar_color = "#4477aa";
constexpr const char* copy_color = "#777777";
constexpr double text_height = 12;
constexpr double letter = 7;  ///< average width of a letter
constexpr double thinnest = 0.05;
constexpr double axis_height = 40;  ///< of the labels and the title below a horizontal axis
/// Size of the small charts, which stand side by side.
constexpr double small_width = 380;
constexpr double small_height = 276;

/// Returns the colour of a kind of tasks, or of other tasks of this name. `kinds` has all names.
std::string color_of(const std::string& name, const std::vector<std::string>& kinds) {
  if (is_kind(name)) return fmt::format("#{:06x}", traits_of(kind_named(name)).color);
  constexpr std::array other_colors{0xee7733, 0x009988, 0x882255, 0x000000, 0x88ccee};
  const auto first = std::ranges::find_if_not(kinds, is_kind);
  const auto which = std::find(first, kinds.end(), name) - first;
  return fmt::format("#{:06x}", other_colors[which % other_colors.size()]);
}

void draw_legend(Svg& svg, const std::vector<std::string>& kinds, double x, double y) {
  constexpr double square = 11;
  for (const std::string& kind : kinds) {
    svg.rect({x, y, square, square}, color_of(kind, kinds), "", "legend");
    svg.text(x + square + 4, y + square - 1, kind);
    x += square + 20 + letter * static_cast<double>(kind.size());
  }
}

/// Returns a round time without trailing zeros: "5 ms".
std::string tick_label(double seconds) {
  if (seconds == 0) return "0";
  std::string label = readable_seconds(seconds);
  const std::size_t unit = label.find(' ');
  std::size_t end = unit;
  if (label.find('.') < unit) {
    while (label[end - 1] == '0') --end;
    if (label[end - 1] == '.') --end;
  }
  return label.erase(end, unit - end);
}

/// Pixels between which an axis runs.
struct Extent {
  double begin;
  double end;
};

/// Draws vertical grid lines, with their times and the title of the axis below.
void draw_times_across(Svg& svg, const Axis& axis, Extent vertical, Extent horizontal,
                       std::string_view title) {
  for (const double tick : axis.ticks()) {
    svg.line(axis(tick), vertical.begin, axis(tick), vertical.end, grid_color);
    svg.text(axis(tick), vertical.end + text_height + 2, tick_label(tick), Svg::Anchor::middle);
  }
  svg.title_across(horizontal.begin, horizontal.end, vertical.end + axis_height - 8, title);
}

void draw_times_upwards(Svg& svg, const Axis& axis, Extent vertical, Extent horizontal,
                        std::string_view title) {
  for (const double tick : axis.ticks()) {
    svg.line(horizontal.begin, axis(tick), horizontal.end, axis(tick), grid_color);
    svg.text(horizontal.begin - 5, axis(tick) + 4, tick_label(tick), Svg::Anchor::end);
  }
  svg.title_upwards(13, vertical.begin, vertical.end, title);
}

std::string title_of(const TaskRun& task, const Schedule& schedule) {
  const bool has_sizes = task.m > 0;
  if (!has_sizes) {
    return fmt::format("{}: {} on {}", task.kind, readable_seconds(task.end - task.begin),
                       worker_name(task.worker, schedule));
  }
  const std::string sizes = task.k > 0 ? fmt::format("{} x {} x {}", task.m, task.n, task.k)
                                       : fmt::format("{} x {}", task.m, task.n);
  return fmt::format("{} of block ({}, {}): {}, {} on {} ({} predicted)", task.kind, task.row,
                     task.column, sizes, readable_seconds(task.end - task.begin),
                     worker_name(task.worker, schedule), readable_seconds(task.predicted_seconds));
}

/// Labels the rows of the workers and draws a line between ranks.
void draw_workers(Svg& svg, const Schedule& schedule, double left, double right, double top,
                  double row) {
  for (Index worker = 0; worker < schedule.workers; ++worker) {
    const double y = top + row * worker;
    svg.text(left - 8, y + row / 2 + 4, worker_name(worker, schedule), Svg::Anchor::end);
    if (worker > 0 && rank_of(worker, schedule) != rank_of(worker - 1, schedule)) {
      svg.line(0, y, right, y, line_color);
    }
  }
}

/// Returns the width of the names of the workers.
double names_width(const Schedule& schedule) {
  const Index last = std::max<Index>(0, schedule.workers - 1);
  return 14 + letter * static_cast<double>(worker_name(last, schedule).size());
}

std::string row_name(const CopyDirection& direction, const Schedule& schedule) {
  if (schedule.first_worker.empty()) return name_of(direction);
  return fmt::format("rank {}, {}", direction.rank, name_of(direction));
}

double names_width(const std::vector<CopyDirection>& directions, const Schedule& schedule) {
  double width = 0;
  for (const CopyDirection& direction : directions) {
    width =
        std::max(width, 14 + letter * static_cast<double>(row_name(direction, schedule).size()));
  }
  return width;
}

/// Draws the copies, with one row per direction.
void draw_copies(Svg& svg, const Schedule& schedule, const std::vector<CopyDirection>& directions,
                 const Axis& axis, double left, double top, double row) {
  for (std::size_t i = 0; i < directions.size(); ++i) {
    svg.text(left - 8, top + row * static_cast<double>(i) + row / 2 + 4,
             row_name(directions[i], schedule), Svg::Anchor::end);
  }
  for (const CopyRun& copy : schedule.copies) {
    const CopyDirection direction = direction_of(copy);
    const auto at = std::lower_bound(directions.begin(), directions.end(), direction);
    const auto which = static_cast<double>(at - directions.begin());
    const double begin = axis(copy.begin);
    svg.rect({begin, top + row * which + 5, std::max(axis(copy.end) - begin, thinnest), row - 10},
             copy_color,
             fmt::format("{:.2f} MB {}: {}", 1e-6 * static_cast<double>(copy.bytes),
                         name_of(direction), readable_seconds(copy.end - copy.begin)),
             "copy");
  }
}

}  // namespace

std::string time_bars(const std::vector<Bar>& bars) {
  constexpr double width = 900;
  constexpr double row = 24;
  constexpr double right = width - 90;
  const double bottom = 10 + row * static_cast<double>(bars.size());
  double left = 0;
  double longest = 0;
  for (const Bar& bar : bars) {
    left = std::max(left, 20 + letter * static_cast<double>(bar.label.size()));
    longest = std::max(longest, bar.highest);
  }
  const Axis axis(Axis::Kind::linear, 0, longest, left, right);
  Svg svg(width, bottom + axis_height);
  draw_times_across(svg, axis, {5, bottom}, {left, right},
                    "time of a factorization: median, fastest and slowest run");
  double y = 8;
  for (const Bar& bar : bars) {
    svg.text(left - 8, y + 14, bar.label, Svg::Anchor::end);
    svg.rect({left, y + 2, axis(bar.value) - left, row - 8}, bar_color,
             bar.label + ": " + readable_seconds(bar.value), "bar");
    const double middle = y + row / 2 - 2;
    svg.line(axis(bar.lowest), middle, axis(bar.highest), middle, "#000000");
    for (const double end : {bar.lowest, bar.highest}) {
      svg.line(axis(end), middle - 4, axis(end), middle + 4, "#000000");
    }
    svg.text(std::max(axis(bar.highest), left) + 6, y + 14, readable_seconds(bar.value));
    y += row;
  }
  return svg.str("Median time of each policy");
}

std::string gantt_chart(const Schedule& schedule, std::string_view title, double seconds,
                        std::string_view note, std::string_view start) {
  const std::vector<std::string> kinds = kinds_in(schedule);
  constexpr double width = 1180;
  constexpr double row = 26;
  const std::vector<CopyDirection> copies = copy_directions(schedule);
  const double left = std::max(names_width(schedule), names_width(copies, schedule));
  constexpr double top = 26;
  const double below_workers = top + row * schedule.workers;
  const double bottom = below_workers + row * static_cast<double>(copies.size());
  const Axis axis(Axis::Kind::linear, 0, seconds, left, width - 30);
  Svg svg(width, bottom + axis_height + (note.empty() ? 0 : 20));
  if (!note.empty()) svg.text(8, bottom + axis_height + 12, note);
  draw_legend(svg, kinds, left, 6);
  draw_times_across(svg, axis, {top, bottom}, {left, width - 30},
                    fmt::format("time since the start of {}", start));
  draw_workers(svg, schedule, left, width, top, row);
  for (const TaskRun& task : schedule.tasks) {
    const auto [first, last] = workers_of(task, schedule);
    const double begin = axis(task.begin);
    svg.rect({begin, top + row * first + 2, std::max(axis(task.end) - begin, thinnest),
              row * (last - first) - 4},
             color_of(task.kind, kinds), title_of(task, schedule), "task");
  }
  draw_copies(svg, schedule, copies, axis, left, below_workers, row);
  return svg.str(title);
}

std::string work_chart(const Schedule& schedule) {
  constexpr double row = 24;
  const double left = names_width(schedule);
  constexpr double top = 6;
  const std::vector<std::string> kinds = kinds_in(schedule);
  const auto seconds = work_by_worker(schedule, kinds);
  const double bottom = top + row * schedule.workers;
  const Axis axis(Axis::Kind::linear, 0, schedule.seconds, left, small_width - 25);
  Svg svg(small_width, bottom + axis_height);
  draw_times_across(svg, axis, {top, bottom}, {left, small_width - 25}, "time in tasks");
  draw_workers(svg, schedule, left, small_width, top, row);
  for (Index worker = 0; worker < schedule.workers; ++worker) {
    const double y = top + row * worker;
    double sum = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double part = seconds[worker][k];
      svg.rect({axis(sum), y + 2, axis(part) - left, row - 4}, color_of(kinds[k], kinds),
               kinds[k] + ": " + readable_seconds(part), "work");
      sum += part;
    }
  }
  return svg.str("Work by kind and worker");
}

namespace {

double most_in_a_class(const Durations& durations) {
  Count most = 0;
  for (const auto& bin : durations.count) {
    most = std::max(most, std::accumulate(bin.begin(), bin.end(), Count{0}));
  }
  return static_cast<double>(most);
}

/// Draws the bars of one class of durations, stacked by kind.
void draw_class(Svg& svg, const Durations& durations, std::size_t at, const Axis& across,
                const Axis& upwards, const std::vector<std::string>& kinds) {
  const double from = durations.edge[at];
  const double to = durations.edge[at + 1];
  Count below = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Count count = durations.count[at][k];
    if (count == 0) continue;
    const double top = upwards(static_cast<double>(below + count));
    const double bottom = upwards(static_cast<double>(below));
    svg.rect({across(from) + 1, top, across(to) - across(from) - 2, bottom - top},
             color_of(kinds[k], kinds),
             fmt::format("{} {}: {} to {}", count, kinds[k], readable_seconds(from),
                         readable_seconds(to)),
             "bin");
    below += count;
  }
}

}  // namespace

std::string duration_chart(const Schedule& schedule) {
  constexpr double left = 65;
  constexpr double right = small_width - 25;
  constexpr double top = 6;
  constexpr double bottom = small_height - axis_height;
  constexpr const char* title = "Tasks by their time";
  const std::vector<std::string> kinds = kinds_in(schedule);
  const Durations durations = durations_of(schedule, kinds);
  Svg svg(small_width, small_height);
  if (durations.count.empty()) return svg.str(title);
  const Axis across(Axis::Kind::logarithmic, durations.edge.front(), durations.edge.back(), left,
                    right);
  const Axis upwards(Axis::Kind::linear, 0, most_in_a_class(durations), bottom, top);
  draw_times_across(svg, across, {top, bottom}, {left, right}, "time of a task");
  svg.title_upwards(13, top, bottom, "number of tasks");
  for (const double tick : upwards.ticks()) {
    svg.line(left, upwards(tick), right, upwards(tick), grid_color);
    svg.text(left - 5, upwards(tick) + 4, fmt::format("{:g}", tick), Svg::Anchor::end);
  }
  for (std::size_t i = 0; i < durations.count.size(); ++i) {
    draw_class(svg, durations, i, across, upwards, kinds);
  }
  return svg.str(title);
}

std::string prediction_chart(const Schedule& schedule) {
  constexpr double left = 80;
  constexpr double top = 6;
  constexpr double bottom = small_height - axis_height;
  constexpr double right = small_width - 25;
  double low = 1;
  double high = shortest_seconds;
  const auto measured = [](const TaskRun& task) {
    return std::max(task.end - task.begin, shortest_seconds);
  };
  const auto predicted = [](const TaskRun& task) {
    return std::max(task.predicted_seconds, shortest_seconds);
  };
  for (const TaskRun& task : schedule.tasks) {
    low = std::min({low, measured(task), predicted(task)});
    high = std::max({high, measured(task), predicted(task)});
  }
  const Axis across(Axis::Kind::logarithmic, low, high, left, right);
  const Axis upwards(Axis::Kind::logarithmic, low, high, bottom, top);
  Svg svg(small_width, small_height);
  draw_times_across(svg, across, {top, bottom}, {left, right}, "predicted time of a task");
  draw_times_upwards(svg, upwards, {top, bottom}, {left, right}, "measured time of a task");
  svg.line(left, bottom, right, top, line_color);
  const std::vector<std::string> kinds = kinds_in(schedule);
  for (const TaskRun& task : schedule.tasks) {
    svg.circle(across(predicted(task)), upwards(measured(task)), 2, color_of(task.kind, kinds),
               "task");
  }
  return svg.str("Predicted and measured time of each task");
}

}  // namespace espalier::internal
