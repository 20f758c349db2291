// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/work_record.hpp"

namespace espalier::internal {

/// Event simulation of one list schedule of a record.
class WorkReplay {
 public:
  WorkReplay(const WorkRecord& record, const ReplayMachine& machine)
      : record_(record),
        machine_(machine),
        next_step_(record.task_.size(), 0),
        section_(record.section_.size()) {}

  double run() {
    ready_.insert({0, 0});
    begin_what_can();
    while (!event_.empty()) {
      now_ = event_.top().time;
      while (!event_.empty() && event_.top().time == now_) {
        const Event event = event_.top();
        event_.pop();
        handle(event);
      }
      begin_what_can();
    }
    return now_;
  }

 private:
  static constexpr Index none = WorkRecord::none;

  struct Section {
    Index opener = none;
    Index threads = 0;   ///< threads that have joined
    Index at_work = 0;   ///< tasks that have begun and not ended
    Index not_done = 0;  ///< number of unfinished tasks, including tasks that wait
  };
  /// End of a stretch of a task; or, without a task, start of threads that join a section.
  struct Event {
    double time;
    Index number;  ///< order of creation, which breaks ties in time
    Index task;
    Index section;
    Index joining;
    bool opener_joins;
    bool operator<(const Event& other) const {
      return std::tie(other.time, other.number) < std::tie(time, number);
    }
  };

  void handle(const Event& event) {
    if (event.task != none) return end_stretch(event.task);
    section_[event.section].threads += event.joining;
    if (event.opener_joins) --busy_;
  }

  void end_stretch(Index task) {
    const WorkRecord::Task& recorded = record_.task_[task];
    const WorkRecord::Step& step = recorded.step[next_step_[task]++];
    if (step.added != none) make_ready(step.added);
    if (step.opened != none) return open(step.opened, task);
    if (step.added != none) return begin_.push_back(task);  // the task continues
    --busy_;
    if (recorded.section == none) return;
    Section& section = section_[recorded.section];
    --section.at_work;
    if (--section.not_done == 0) resume(section.opener);
  }

  void make_ready(Index task) {
    const WorkRecord::Task& recorded = record_.task_[task];
    if (recorded.place == none) return;
    ++section_[recorded.section].not_done;
    ready_.insert({recorded.place, task});
  }

  /// Opens a section: its opener starts the threads one after the other, unless they run, and then
  /// joins the section.
  void open(Index opened, Index opener) {
    Section& section = section_[opened];
    section.opener = opener;
    for (const Index task : record_.section_[opened].first) make_ready(task);
    if (section.not_done == 0) return begin_.push_back(opener);
    const Index others = std::min(record_.section_[opened].threads, machine_.workers) - 1;
    if (machine_.thread_start == 0 || record_.section_[opened].run || others <= 0) {
      --busy_;
      section.threads = others + 1;
      return;
    }
    for (Index k = 1; k <= others; ++k) {
      const bool last = k == others;
      event_.push({now_ + machine_.thread_start * k, number_++, none, opened, last ? 2 : 1, last});
    }
  }

  void resume(Index task) { ready_.insert({record_.task_[task].place, task}); }

  bool can_begin(Index task) const {
    const Index section = record_.task_[task].section;
    if (section == none || next_step_[task] > 0) return true;
    return section_[section].at_work < section_[section].threads;
  }

  void begin_what_can() {
    for (auto at = ready_.begin(); at != ready_.end() && busy_ < machine_.workers;) {
      const Index task = at->second;
      if (!can_begin(task)) {
        ++at;
        continue;
      }
      const Index section = record_.task_[task].section;
      if (section != none && next_step_[task] == 0) ++section_[section].at_work;
      ++busy_;
      begin_.push_back(task);
      at = ready_.erase(at);
    }
    const double longer = machine_.time_at ? machine_.time_at(busy_) : 1;
    for (const Index task : begin_) {
      const double seconds = record_.task_[task].step[next_step_[task]].seconds;
      event_.push({now_ + seconds * longer, number_++, task, none, 0, false});
    }
    begin_.clear();
  }

  const WorkRecord& record_;
  const ReplayMachine& machine_;
  double now_ = 0;
  Index busy_ = 0;
  Index number_ = 0;
  std::vector<Index> next_step_;
  std::vector<Section> section_;
  std::set<std::pair<Index, Index>> ready_;  ///< tasks without a worker, by place
  std::vector<Index> begin_;  ///< tasks with a worker that begin their next stretch now
  std::priority_queue<Event> event_;
};

double WorkRecord::replay(const ReplayMachine& machine) const {
  return WorkReplay(*this, machine).run();
}

}  // namespace espalier::internal
