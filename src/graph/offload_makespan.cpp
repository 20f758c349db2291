// SPDX-License-Identifier: BSD-3-Clause
#include "graph/offload_makespan.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <vector>

namespace espalier {

namespace {

/// What a task needs one after the other.
enum Stage : std::uint8_t { travelling, running };

class TwoSidedSchedule {
 public:
  TwoSidedSchedule(const TaskGraph& graph, const PanelStructure& structure, const TwoSides& sides)
      : graph_(graph),
        structure_(structure),
        sides_(sides),
        waiting_for_(graph.task.size(), 0),
        is_there_(graph.tiling.tile.size(), false) {
    side_[host].idle = sides.host_workers;
    side_[device].idle = sides.device_workers;
    side_[way].idle = 1;
    for (const Index t : graph.successor) ++waiting_for_[t];
    for (Index t = 0; t < graph.size(); ++t) {
      if (waiting_for_[t] == 0) make_ready(t);
    }
  }

  double makespan() {
    double now = 0;
    while (true) {
      for (Side& side : side_) start_on(side, now);
      if (under_way_.empty()) return now;
      now = under_way_.top().end;
      while (!under_way_.empty() && under_way_.top().end <= now) finish_next();
    }
  }

 private:
  enum { host, device, way, side_count };
  struct Ready {
    float priority;
    Index task;
    Stage stage;
    bool operator<(const Ready& other) const {
      return priority != other.priority ? priority < other.priority : task > other.task;
    }
  };
  struct UnderWay {
    double end;
    Index task;
    Stage stage;
    Index side;
    bool operator<(const UnderWay& other) const { return end > other.end; }
  };
  struct Side {
    Index idle = 0;
    std::priority_queue<Ready> ready{};
  };

  bool has_shadow(const Task& task) const {
    return task.contribution >= 0 && graph_.contribution[task.contribution].device >= 0;
  }
  bool is_on_device(const Task& task) const {
    return has_shadow(task) && task.kind != TaskKind::reduce;
  }

  double bytes_of(Index tile) const {
    const Tile& t = graph_.tiling.tile[tile];
    return static_cast<double>(sizeof(double)) * (t.row_end - t.row_begin) *
           structure_.width(t.panel);
  }
  double bytes_of(const Contribution& c) const {
    return static_cast<double>(sizeof(double)) * static_cast<double>(c.row_end - c.row_begin) *
           structure_.width(graph_.tiling.tile[c.tile].panel);
  }

  /// Seconds until the tile is on the device, which it is from then on.
  double bring(Index tile) {
    if (tile < 0 || is_there_[tile]) return 0;
    is_there_[tile] = true;
    return sides_.device.to.seconds(bytes_of(tile));
  }

  double travel_seconds(const Task& task) {
    if (!has_shadow(task)) return 0;
    if (task.kind == TaskKind::reduce) {
      return sides_.device.back.seconds(bytes_of(graph_.contribution[task.contribution]));
    }
    return bring(task.left) + bring(task.right);
  }

  double run_seconds(const Task& task) const {
    if (!is_on_device(task)) return task.seconds + sides_.host_overhead;
    if (task.kind != TaskKind::update) return task.seconds + sides_.device.task;
    const auto m = static_cast<double>(task.rows.size());
    const auto n = static_cast<double>(task.columns.size());
    const bool lower = task.rows.begin == task.columns.begin;
    const double kernel =
        lower ? sides_.kernels.update(m, n, task.inner) : sides_.kernels.product(m, n, task.inner);
    return kernel + sides_.device.task;
  }

  void make_ready(Index t) {
    const Task& task = graph_.task[t];
    if (!has_shadow(task)) return side_[host].ready.push({task.priority, t, running});
    const Index carrier = sides_.device.overlaps ? way : device;
    side_[carrier].ready.push({task.priority, t, travelling});
  }

  void start_on(Side& side, double now) {
    for (; side.idle > 0 && !side.ready.empty(); --side.idle) {
      const Ready next = side.ready.top();
      side.ready.pop();
      const Task& task = graph_.task[next.task];
      const double seconds = next.stage == travelling ? travel_seconds(task) : run_seconds(task);
      under_way_.push(
          {now + seconds, next.task, next.stage, static_cast<Index>(&side - side_.data())});
    }
  }

  void finish_next() {
    const UnderWay ended = under_way_.top();
    under_way_.pop();
    ++side_[ended.side].idle;
    const Task& task = graph_.task[ended.task];
    if (ended.stage == travelling) {
      Side& side = side_[is_on_device(task) ? device : host];
      return side.ready.push({task.priority, ended.task, running});
    }
    for (const Index next : graph_.successors(ended.task)) {
      if (--waiting_for_[next] == 0) make_ready(next);
    }
  }

  const TaskGraph& graph_;
  const PanelStructure& structure_;
  const TwoSides& sides_;
  std::vector<Index> waiting_for_;
  std::vector<bool> is_there_;
  std::array<Side, side_count> side_;
  std::priority_queue<UnderWay> under_way_;
};

}  // namespace

double predicted_makespan(const TaskGraph& graph, const PanelStructure& structure,
                          const TwoSides& sides) {
  return TwoSidedSchedule(graph, structure, sides).makespan();
}

}  // namespace espalier
