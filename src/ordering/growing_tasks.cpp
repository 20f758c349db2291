// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/growing_tasks.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "base/work_recorder.hpp"

namespace espalier::internal {

namespace {

constexpr auto by_size = [](const auto& a, const auto& b) { return a.size < b.size; };

}  // namespace

void GrowingTasks::add(Count size, Body body) {
  const Index recorded = recording_ ? WorkRecorder::current()->add_task() : -1;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({size, std::move(body), recorded});
    std::push_heap(waiting_.begin(), waiting_.end(), by_size);
    ++unfinished_;
  }
  changed_.notify_one();
}

void GrowingTasks::run(Index threads) {
  if (WorkRecorder::current() != nullptr && threads > 1) return run_recorded(threads);
  parallel_for(threads, threads, [&](Index thread) {
    try {
      work_as(thread);
    } catch (...) {
      stop();
      throw;
    }
  });
}

void GrowingTasks::run_recorded(Index threads) {
  WorkRecorder& recorder = *WorkRecorder::current();
  recorder.open_section(threads);
  for (Task& task : waiting_) task.recorded = recorder.add_task();
  recording_ = true;
  while (std::optional<Task> task = take()) {
    recorder.run_task(task->recorded, [&] { task->body(0); });
    finish_one();
  }
  recording_ = false;
  recorder.close_section();
}

void GrowingTasks::work_as(Index thread) {
  while (std::optional<Task> task = take()) {
    task->body(thread);
    finish_one();
  }
}

std::optional<GrowingTasks::Task> GrowingTasks::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_.empty() || unfinished_ == 0 || stopped_; });
  if (waiting_.empty() || stopped_) return std::nullopt;
  std::pop_heap(waiting_.begin(), waiting_.end(), by_size);
  Task task = std::move(waiting_.back());
  waiting_.pop_back();
  return task;
}

void GrowingTasks::finish_one() {
  {
    const std::scoped_lock lock(mutex_);
    --unfinished_;
  }
  changed_.notify_all();
}

void GrowingTasks::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace espalier::internal
