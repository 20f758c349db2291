// SPDX-License-Identifier: BSD-3-Clause
#include "base/work_recorder.hpp"

#include <ctime>
#include <utility>

namespace espalier::internal {

namespace {

thread_local WorkRecorder* recorder_of_thread = nullptr;

}  // namespace

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

WorkRecorder::WorkRecorder(std::function<void(const WorkRecord&)> take, double (*clock)())
    : take_(std::move(take)), clock_(clock), last_(clock()) {
  recorder_of_thread = this;
}

WorkRecorder::~WorkRecorder() { recorder_of_thread = nullptr; }

WorkRecorder* WorkRecorder::current() { return recorder_of_thread; }

void WorkRecorder::note() {
  const double now = clock_();
  record_.compute(now - last_);
  last_ = now;
}

void WorkRecorder::settle() {
  note();
  take_(std::exchange(record_, {}));
  skip();
}

void WorkRecorder::open_section(Index threads) {
  note();
  record_.open_section(threads);
}

void WorkRecorder::run_section(Index tasks, Index threads, bool run,
                               const std::function<void(Index)>& body) {
  note();
  record_.open_section(threads, run);
  const Index first = record_.add_task();
  for (Index task = 1; task < tasks; ++task) record_.add_task();
  for (Index task = 0; task < tasks; ++task) {
    run_task(first + task, [&] { body(task); });
  }
  close_section();
}

Index WorkRecorder::add_task() {
  note();
  return record_.add_task();
}

void WorkRecorder::run_task(Index task, const std::function<void()>& body) {
  skip();
  record_.begin_task(task);
  body();
  note();
  record_.end_task();
}

void WorkRecorder::close_section() {
  skip();
  record_.close_section();
}

}  // namespace espalier::internal
