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
  threads_ = threads;
  if (WorkRecorder::current() != nullptr && threads > 1) return run_recorded();
  parallel_for(threads, threads, [&](Index thread) {
    try {
      work_as(thread);
    } catch (...) {
      stop();
      throw;
    }
  });
}

void GrowingTasks::run_recorded() {
  WorkRecorder& recorder = *WorkRecorder::current();
  recorder.open_section(threads_);
  for (Task& task : waiting_) task.recorded = recorder.add_task();
  recording_ = true;
  while (!waiting_.empty() && !stopped_) {
    const Task task = take();
    recorder.run_task(task.recorded, [&] { task.body(0); });
  }
  recording_ = false;
  recorder.close_section();
}

void GrowingTasks::work_as(Index thread) {
  Lock lock(mutex_);
  while (true) {
    changed_.wait(
        lock, [&] { return !loops_.empty() || !waiting_.empty() || unfinished_ == 0 || stopped_; });
    if (!loops_.empty()) {
      help(*loops_.back(), lock);
      continue;
    }
    if (waiting_.empty() || stopped_) return;
    {
      const Task task = take();
      lock.unlock();
      task.body(thread);
    }
    lock.lock();
    if (--unfinished_ == 0) changed_.notify_all();
  }
}

GrowingTasks::Task GrowingTasks::take() {
  std::pop_heap(waiting_.begin(), waiting_.end(), by_size);
  Task task = std::move(waiting_.back());
  waiting_.pop_back();
  return task;
}

void GrowingTasks::loop(Index count, const std::function<void(Index)>& body) {
  if (threads_ == 1 || count <= 1) return serial_loop(count, body);
  if (recording_) {
    return WorkRecorder::current()->run_section(count, std::min(count, threads_), true, body);
  }
  Loop loop{{count, body}};
  Lock lock(mutex_);
  loops_.push_back(&loop);
  lock.unlock();
  changed_.notify_all();
  loop.tasks.run();
  lock.lock();
  std::erase(loops_, &loop);
  loop_left_.wait(lock, [&] { return loop.helpers == 0; });
  loop.tasks.rethrow();
}

void GrowingTasks::help(Loop& loop, Lock& lock) {
  ++loop.helpers;
  lock.unlock();
  loop.tasks.run();
  lock.lock();
  std::erase(loops_, &loop);
  if (--loop.helpers == 0) loop_left_.notify_all();
}

void GrowingTasks::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace espalier::internal
