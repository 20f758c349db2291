// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "context.hpp"
#include "scenarios.hpp"

namespace other_program {

namespace {

/// Stores the id of the worker that runs the task, or -1.
void note_worker(void* buffers[], void* /*arguments*/) {
  number_in(buffers[0]) = starpu_worker_get_id();
}

void increment(void* buffers[], void* /*arguments*/) { ++number_in(buffers[0]); }

void nothing() {}

/// Some tasks are bound to a worker and bypass the scheduler. Other tasks depend on these, and
/// these depend on other tasks.
void on_a_specific_worker() {
  static starpu_codelet note = codelet_of(note_worker, {STARPU_W});
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  const auto workers = static_cast<int>(starpu_worker_get_count());
  std::deque<Number> numbers(300);
  for (int i = 0; i < std::ssize(numbers); ++i) {
    const starpu_data_handle_t handle = numbers[i].handle();
    starpu_task_insert(&codelet, STARPU_RW, handle, 0);
    starpu_task_insert(&note, STARPU_W, handle, STARPU_EXECUTE_ON_WORKER, i % workers, 0);
    starpu_task_insert(&codelet, STARPU_RW, handle, 0);
  }
  for (int i = 0; i < std::ssize(numbers); ++i) {
    expect(numbers[i].value() == i % workers + 1, "a task ran on another worker than its own");
  }
}

/// Tasks that only one worker can execute, among others.
void only_some_can_execute() {
  static starpu_codelet anywhere = codelet_of(increment, {STARPU_RW});
  static starpu_codelet last_only = codelet_of(note_worker, {STARPU_W});
  last_only.can_execute = [](unsigned worker, starpu_task*, unsigned) {
    return worker + 1 == starpu_worker_get_count() ? 1 : 0;
  };
  std::deque<Number> numbers(300);
  for (const Number& number : numbers) {
    starpu_task_insert(&anywhere, STARPU_RW, number.handle(), 0);
    starpu_task_insert(&last_only, STARPU_W, number.handle(), 0);
    starpu_task_insert(&anywhere, STARPU_RW, number.handle(), 0);
  }
  for (const Number& number : numbers) {
    expect(number.value() == static_cast<long>(starpu_worker_get_count()),
           "a task ran on a worker that cannot execute it");
  }
}

void paused() {
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  std::deque<Number> numbers(50);
  static std::atomic<int> runs;
  static starpu_codelet counted = codelet_of([](void**, void*) { ++runs; }, {});
  for (int round = 0; round < 5; ++round) {
    runs = 0;
    starpu_pause();
    for (const Number& number : numbers)
      starpu_task_insert(&codelet, STARPU_RW, number.handle(), 0);
    for (int i = 0; i < 20; ++i) starpu_task_insert(&counted, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    // A worker between two tasks may have taken another one before the pause.
    expect(runs <= static_cast<int>(starpu_worker_get_count()), "workers did not pause");
    starpu_resume();
    starpu_task_wait_for_all();
    expect(runs == 20, "tasks of a pause were lost");
  }
  for (const Number& number : numbers) expect(number.value() == 5, "tasks of a pause were lost");
}

bool contains(const std::vector<int>& workers, long worker) {
  for (const int other : workers) {
    if (other == worker) return true;
  }
  return false;
}

/// Two contexts in addition to the first one, with half of the workers each. A single worker is in
/// both.
void two_contexts() {
  static starpu_codelet note = codelet_of(note_worker, {STARPU_W});
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  const auto [left, right] = halves(all_workers());
  std::deque<Number> numbers(400);
  {
    const SchedulingContext first(left);
    const SchedulingContext second(right);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const unsigned context = i % 2 == 0 ? first.id() : second.id();
      starpu_task_insert(&note, STARPU_W, numbers[i].handle(), STARPU_SCHED_CTX, context, 0);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      expect(contains(i % 2 == 0 ? left : right, numbers[i].value()),
             "a task ran outside of its context");
    }
    for (int round = 0; round < 10; ++round) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const unsigned context = (i + round) % 2 == 0 ? first.id() : second.id();
        starpu_task_insert(&codelet, STARPU_RW, numbers[i].handle(), STARPU_SCHED_CTX, context, 0);
      }
    }
    starpu_task_wait_for_all();
  }
  std::vector<long> before;
  before.reserve(numbers.size());
  for (const Number& number : numbers) before.push_back(number.value());
  for (const Number& number : numbers) starpu_task_insert(&codelet, STARPU_RW, number.handle(), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    expect(numbers[i].value() == before[i] + 1, "the first context lost its workers");
  }
}

/// Workers leave a context and return while it has tasks.
void workers_come_and_go() {
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  const std::vector<int> all = all_workers();
  if (all.size() == 1) return;
  std::vector<int> leaving(all.begin() + 1, all.end());
  std::deque<Number> numbers(200);
  {
    const SchedulingContext context(all);
    for (int round = 0; round < 7; ++round) {
      for (const Number& number : numbers) {
        starpu_task_insert(&codelet, STARPU_RW, number.handle(), STARPU_SCHED_CTX, context.id(), 0);
      }
      const auto change =
          round % 2 == 0 ? starpu_sched_ctx_remove_workers : starpu_sched_ctx_add_workers;
      change(leaving.data(), static_cast<int>(leaving.size()), context.id());
    }
    starpu_task_wait_for_all();
  }
  for (const Number& number : numbers) expect(number.value() == 7, "a task was lost or ran twice");
}

constexpr std::array<Scenario, 6> scenarios{{{"nothing submitted", nothing},
                                             {"tasks on a specific worker", on_a_specific_worker},
                                             {"tasks for some workers only", only_some_can_execute},
                                             {"pause and resume", paused},
                                             {"two contexts", two_contexts},
                                             {"workers come and go", workers_come_and_go}}};

}  // namespace

std::span<const Scenario> worker_scenarios() { return scenarios; }

}  // namespace other_program
