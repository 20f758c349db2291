// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <deque>
#include <thread>
#include <vector>

#include "scenarios.hpp"

namespace foreign {

namespace {

/// Where a task ran: the worker with this id, or -1.
void note_worker(void* buffers[], void* /*arguments*/) {
  number_in(buffers[0]) = starpu_worker_get_id();
}

void increment(void* buffers[], void* /*arguments*/) { ++number_in(buffers[0]); }

std::vector<int> all_workers() {
  std::vector<int> workers(starpu_worker_get_count());
  starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, workers.data(),
                                static_cast<unsigned>(workers.size()));
  return workers;
}

void nothing() {}

/// Some tasks pass by the scheduler; others wait for them, and they for others.
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

/// Tasks that one worker alone can execute, among others.
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

/// A codelet for several workers at once: each does its share of the elements.
void data_parallel() {
  static constexpr int elements = 1000;
  static starpu_codelet codelet = codelet_of(
      [](void* buffers[], void*) {
        auto* const x = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
        const int workers = starpu_combined_worker_get_size();
        const int rank = starpu_combined_worker_get_rank();
        for (int i = rank; i < elements; i += workers) ++x[i];
      },
      {STARPU_RW});
  codelet.type = STARPU_SPMD;
  codelet.max_parallelism = INT_MAX;
  std::vector<int> x(elements, 0);
  starpu_data_handle_t handle = nullptr;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(x.data()),
                              elements, sizeof(int));
  for (int round = 0; round < 50; ++round) starpu_task_insert(&codelet, STARPU_RW, handle, 0);
  starpu_data_unregister(handle);
  expect(x == std::vector<int>(elements, 50),
         "a share of a parallel task is missing or was done twice");
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
    // A worker that was between two tasks may have taken one more.
    expect(runs <= static_cast<int>(starpu_worker_get_count()), "workers did not pause");
    starpu_resume();
    starpu_task_wait_for_all();
    expect(runs == 20, "tasks of a pause were lost");
  }
  for (const Number& number : numbers) expect(number.value() == 5, "tasks of a pause were lost");
}

/// A context of some workers, with the policy of the program.
class SchedulingContext {
 public:
  explicit SchedulingContext(std::vector<int> workers)
      : id_(starpu_sched_ctx_create(workers.data(), static_cast<int>(workers.size()), "part",
                                    STARPU_SCHED_CTX_POLICY_NAME, std::getenv("STARPU_SCHED"), 0)) {
    expect(id_ != STARPU_NMAX_SCHED_CTXS, "no context was made");
    starpu_sched_ctx_set_inheritor(id_, 0);
  }
  ~SchedulingContext() { starpu_sched_ctx_delete(id_); }
  SchedulingContext(const SchedulingContext&) = delete;
  SchedulingContext& operator=(const SchedulingContext&) = delete;
  unsigned id() const { return id_; }

 private:
  unsigned id_;
};

bool contains(const std::vector<int>& workers, long worker) {
  for (const int other : workers) {
    if (other == worker) return true;
  }
  return false;
}

/// Two contexts beside the first one, on halves of the workers, on all where there is but one.
void two_contexts() {
  static starpu_codelet note = codelet_of(note_worker, {STARPU_W});
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  const std::vector<int> all = all_workers();
  const auto middle = all.begin() + static_cast<long>((all.size() + 1) / 2);
  const std::array halves{std::vector<int>(all.begin(), middle),
                          all.size() == 1 ? all : std::vector<int>(middle, all.end())};
  std::deque<Number> numbers(400);
  {
    const SchedulingContext first(halves[0]);
    const SchedulingContext second(halves[1]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const unsigned context = i % 2 == 0 ? first.id() : second.id();
      starpu_task_insert(&note, STARPU_W, numbers[i].handle(), STARPU_SCHED_CTX, context, 0);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      expect(contains(halves[i % 2], numbers[i].value()), "a task ran outside of its context");
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

/// Workers leave a context and come back while it has tasks.
void workers_come_and_go() {
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  const std::vector<int> all = all_workers();
  if (all.size() == 1) return;
  std::vector<int> leaving(all.begin() + 1, all.end());
  std::deque<Number> numbers(200);
  {
    const SchedulingContext context(all);
    for (int round = 0; round < 6; ++round) {
      for (const Number& number : numbers) {
        starpu_task_insert(&codelet, STARPU_RW, number.handle(), STARPU_SCHED_CTX, context.id(), 0);
      }
      const auto change =
          round % 2 == 0 ? starpu_sched_ctx_remove_workers : starpu_sched_ctx_add_workers;
      change(leaving.data(), static_cast<int>(leaving.size()), context.id());
    }
    starpu_task_wait_for_all();
  }
  for (const Number& number : numbers) expect(number.value() == 6, "a task was lost or ran twice");
}

constexpr std::array<Scenario, 7> scenarios{{{"nothing submitted", nothing},
                                             {"tasks on a specific worker", on_a_specific_worker},
                                             {"tasks for some workers only", only_some_can_execute},
                                             {"tasks for several workers at once", data_parallel},
                                             {"pause and resume", paused},
                                             {"two contexts", two_contexts},
                                             {"workers come and go", workers_come_and_go}}};

}  // namespace

std::span<const Scenario> worker_scenarios() { return scenarios; }

}  // namespace foreign
