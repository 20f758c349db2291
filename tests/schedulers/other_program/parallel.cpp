// SPDX-License-Identifier: BSD-3-Clause
// Tasks for several workers, long enough that policies may give them several.
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <thread>
#include <vector>

#include "context.hpp"
#include "scenarios.hpp"

namespace other_program {

namespace {

constexpr int elements = 1000;

void add_share(int* x, int rank, int workers) {
  for (int i = rank; i < elements; i += workers) ++x[i];
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
int* vector_in(void* buffer) { return reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffer)); }

/// Every worker of the task calls it.
void by_each(void* buffers[], void* /*arguments*/) {
  add_share(vector_in(buffers[0]), starpu_combined_worker_get_rank(),
            starpu_combined_worker_get_size());
}

/// One worker calls it, and it makes threads for the others.
void by_threads(void* buffers[], void* /*arguments*/) {
  int* const x = vector_in(buffers[0]);
  const int workers = starpu_combined_worker_get_size();
  std::vector<std::jthread> threads;
  for (int rank = 1; rank < workers; ++rank) threads.emplace_back(add_share, x, rank, workers);
  add_share(x, 0, workers);
}

starpu_codelet parallel_codelet(Function function, starpu_codelet_type type) {
  starpu_codelet codelet = codelet_of(function, {STARPU_RW});
  codelet.type = type;
  codelet.max_parallelism = INT_MAX;
  return codelet;
}

starpu_codelet& spmd() {
  static starpu_codelet codelet = parallel_codelet(by_each, STARPU_SPMD);
  return codelet;
}

starpu_codelet& fork_join() {
  static starpu_codelet codelet = parallel_codelet(by_threads, STARPU_FORKJOIN);
  return codelet;
}

/// Each task adds 1 to all elements.
class Vector {
 public:
  Vector() : x_(elements, 0) {
    starpu_vector_data_register(&handle_, STARPU_MAIN_RAM,
                                reinterpret_cast<std::uintptr_t>(x_.data()), elements, sizeof(int));
  }
  ~Vector() {
    if (handle_ != nullptr) starpu_data_unregister(handle_);
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  void submit(unsigned context, int tasks) {
    for (int i = 0; i < tasks; ++i) {
      starpu_task_insert(i % 2 == 0 ? &spmd() : &fork_join(), STARPU_RW, handle_, STARPU_FLOPS,
                         i % 5 == 0 ? 0.0 : 1e9, STARPU_SCHED_CTX, context, 0);
    }
    expected_ += tasks;
  }

  void expect_all() {
    starpu_data_unregister(handle_);
    handle_ = nullptr;
    expect(x_ == std::vector<int>(elements, expected_),
           "a share of a parallel task is missing or was done twice");
  }

 private:
  std::vector<int> x_;
  int expected_ = 0;
  starpu_data_handle_t handle_ = nullptr;
};

void alone() {
  Vector vector;
  vector.submit(first_context, 50);
  vector.expect_all();
}

/// Parallel tasks run at the same time as each other and as tasks of one worker.
void side_by_side() {
  static std::atomic<int> runs;
  runs = 0;
  static starpu_codelet counted = codelet_of([](void**, void*) { ++runs; }, {});
  std::array<Vector, 4> vectors;
  for (int round = 0; round < 10; ++round) {
    for (Vector& vector : vectors) vector.submit(first_context, 3);
    for (int i = 0; i < 30; ++i) starpu_task_insert(&counted, 0);
  }
  for (Vector& vector : vectors) vector.expect_all();
  starpu_task_wait_for_all();
  expect(runs == 300, "a task beside parallel ones was lost");
}

/// One worker of a parallel task is busy for some milliseconds, so that the others sleep before it
/// arrives.
void with_a_late_worker() {
  static starpu_codelet late = codelet_of(
      [](void**, void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, {});
  Vector vector;
  for (int round = 0; round < 10; ++round) {
    starpu_task_insert(&late, 0);
    vector.submit(first_context, 4);
  }
  vector.expect_all();
  starpu_task_wait_for_all();
}

void paused_while_they_run() {
  std::array<Vector, 2> vectors;
  for (int round = 0; round < 10; ++round) {
    for (Vector& vector : vectors) vector.submit(first_context, 6);
    starpu_pause();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    starpu_resume();
  }
  for (Vector& vector : vectors) vector.expect_all();
}

void in_two_contexts() {
  const auto [left, right] = halves(all_workers());
  std::array<Vector, 2> vectors;
  {
    const SchedulingContext first(left);
    const SchedulingContext second(right);
    for (int round = 0; round < 20; ++round) {
      vectors[round % 2].submit(first.id(), 2);
      vectors[1 - round % 2].submit(second.id(), 2);
    }
    starpu_task_wait_for_all();
  }
  for (Vector& vector : vectors) vector.submit(first_context, 10);
  for (Vector& vector : vectors) vector.expect_all();
}

void while_workers_come_and_go() {
  const std::vector<int> all = all_workers();
  if (all.size() == 1) return;
  std::vector<int> leaving(all.begin() + 1, all.end());
  std::array<Vector, 2> vectors;
  {
    const SchedulingContext context(all);
    for (int round = 0; round < 9; ++round) {
      for (Vector& vector : vectors) vector.submit(context.id(), 5);
      const auto change =
          round % 2 == 0 ? starpu_sched_ctx_remove_workers : starpu_sched_ctx_add_workers;
      change(leaving.data(), static_cast<int>(leaving.size()), context.id());
    }
    starpu_task_wait_for_all();
  }
  for (Vector& vector : vectors) vector.expect_all();
}

constexpr std::array<Scenario, 6> scenarios{
    {{"parallel tasks", alone},
     {"parallel tasks side by side", side_by_side},
     {"parallel tasks with a late worker", with_a_late_worker},
     {"parallel tasks paused", paused_while_they_run},
     {"parallel tasks in two contexts", in_two_contexts},
     {"parallel tasks while workers come and go", while_workers_come_and_go}}};

}  // namespace

std::span<const Scenario> parallel_scenarios() { return scenarios; }

}  // namespace other_program
