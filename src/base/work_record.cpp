// SPDX-License-Identifier: BSD-3-Clause
#include "base/work_record.hpp"

#include <algorithm>

namespace espalier::internal {

void WorkRecord::open_section(Index threads, bool run) {
  const auto opened = static_cast<Index>(section_.size());
  section_.push_back({.threads = threads, .run = run});
  task_[at_.back()].step.back().opened = opened;
  open_.push_back(opened);
}

Index WorkRecord::add_task() {
  const auto added = static_cast<Index>(task_.size());
  const Index section = open_.back();
  Task& adds = task_[at_.back()];
  if (adds.section == section) {
    adds.step.back().added = added;
    adds.step.emplace_back();
  } else {
    section_[section].first.push_back(added);
  }
  task_.push_back({.section = section});
  return added;
}

void WorkRecord::begin_task(Index task) {
  task_[task].place = begun_++;
  task_[task].step.emplace_back();
  at_.push_back(task);
}

void WorkRecord::close_section() {
  open_.pop_back();
  task_[at_.back()].step.emplace_back();
}

double WorkRecord::work() const {
  double sum = 0;
  for (const Task& task : task_) {
    for (const Step& step : task.step) sum += step.seconds;
  }
  return sum;
}

double WorkRecord::span() const { return span_of(0); }

double WorkRecord::span_of(Index task) const {
  double own = 0;
  double others = 0;
  for (const Step& step : task_[task].step) {
    own += step.seconds;
    if (step.added != none) others = std::max(others, own + span_of(step.added));
    if (step.opened == none) continue;
    double longest = 0;
    for (const Index first : section_[step.opened].first) {
      longest = std::max(longest, span_of(first));
    }
    own += longest;
  }
  return std::max(own, others);
}

}  // namespace espalier::internal
