// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <deque>
#include <vector>

#include "scenarios.hpp"

namespace other_program {

namespace {

constexpr long modulus = 65537;

void increment(void* buffers[], void* /*arguments*/) { ++number_in(buffers[0]); }

void count(void* /*buffers*/[], void* counter) { ++*static_cast<std::atomic<long>*>(counter); }

/// x := 3 x + i, whose result depends on the order.
void mix(void* buffers[], void* arguments) {
  long i = 0;
  starpu_codelet_unpack_args(arguments, &i);
  long& x = number_in(buffers[0]);
  x = (3 * x + i) % modulus;
}

void add(void* buffers[], void* /*arguments*/) { number_in(buffers[0]) += number_in(buffers[1]); }

void copy(void* buffers[], void* /*arguments*/) { number_in(buffers[0]) = number_in(buffers[1]); }

void zero(void* buffers[], void* /*arguments*/) { number_in(buffers[0]) = 0; }

/// Tasks without data and with many different priorities.
void independent() {
  constexpr long tasks = 5000;
  static starpu_codelet codelet = codelet_of(count, {});
  std::atomic<long> runs = 0;
  for (long i = 0; i < tasks; ++i) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &runs;
    task->priority = static_cast<int>(i * 7919 % 13) - 6;
    task->flops = i % 3 == 0 ? 0 : static_cast<double>(i);
    expect(starpu_task_submit(task) == 0, "a task is not taken");
  }
  starpu_task_wait_for_all();
  expect(runs == tasks, "tasks were lost or ran twice");
}

void on_data_of_their_own() {
  static starpu_codelet codelet = codelet_of(increment, {STARPU_RW});
  std::deque<Number> numbers(500);
  for (int round = 0; round < 4; ++round) {
    for (const Number& number : numbers) {
      starpu_task_insert(&codelet, STARPU_RW, number.handle(), 0);
    }
  }
  for (const Number& number : numbers) expect(number.value() == 4, "a task was lost or ran twice");
}

void chain() {
  constexpr long tasks = 10000;
  static starpu_codelet codelet = codelet_of(mix, {STARPU_RW});
  const Number number(1);
  long expected = 1;
  for (long i = 0; i < tasks; ++i) {
    starpu_task_insert(&codelet, STARPU_RW, number.handle(), STARPU_VALUE, &i, sizeof i, 0);
    expected = (3 * expected + i) % modulus;
  }
  expect(number.value() == expected, "the order of the chain was not kept");
}

/// Each task writes another piece of data than the task that it waits for. Under a policy with
/// owners, the chain moves from worker to worker.
void chain_over_pieces() {
  constexpr long tasks = 10000;
  static starpu_codelet codelet =
      codelet_of([](void* buffers[], void*) { number_in(buffers[0]) = number_in(buffers[1]) + 1; },
                 {STARPU_W, STARPU_R});
  std::deque<Number> pieces(64);
  const auto piece = [&](long i) { return pieces[i % std::ssize(pieces)].handle(); };
  for (long i = 0; i < tasks; ++i) {
    starpu_task_insert(&codelet, STARPU_W, piece(i + 1), STARPU_R, piece(i), 0);
  }
  expect(pieces[tasks % std::ssize(pieces)].value() == tasks,
         "the order of the chain was not kept");
}

void fork_join() {
  static starpu_codelet spread = codelet_of(copy, {STARPU_W, STARPU_R});
  static starpu_codelet gather = codelet_of(add, {STARPU_RW, STARPU_R});
  const Number root(1);
  std::deque<Number> leaves(32);
  long expected = 1;
  for (int round = 0; round < 5; ++round) {
    for (const Number& leaf : leaves) {
      starpu_task_insert(&spread, STARPU_W, leaf.handle(), STARPU_R, root.handle(), 0);
    }
    for (const Number& leaf : leaves) {
      starpu_task_insert(&gather, STARPU_RW, root.handle(), STARPU_R, leaf.handle(), 0);
    }
    expected += std::ssize(leaves) * expected;
  }
  expect(root.value() == expected, "a join did not wait for its fork");
}

/// A binary tree of dependencies by tags, which are declared before the tasks. Leaves come last.
void tags() {
  constexpr starpu_tag_t nodes = 255;
  static std::array<std::atomic<bool>, 2 * nodes + 2> done;
  static std::atomic<int> early;
  for (auto& flag : done) flag = false;
  early = 0;
  static starpu_codelet codelet = codelet_of(
      [](void**, void* arguments) {
        starpu_tag_t node = 0;
        starpu_codelet_unpack_args(arguments, &node);
        const bool leaf = 2 * node > nodes;
        if (!leaf && !(done[2 * node] && done[2 * node + 1])) ++early;
        done[node] = true;
      },
      {});
  for (starpu_tag_t node = 1; 2 * node < nodes; ++node) {
    starpu_tag_declare_deps(node, 2, 2 * node, 2 * node + 1);
  }
  for (starpu_tag_t node = 1; node <= nodes; ++node) {
    starpu_task_insert(&codelet, STARPU_TAG, node, STARPU_VALUE, &node, sizeof node, 0);
  }
  starpu_task_wait_for_all();
  expect(early == 0 && done[1], "a task did not wait for its tags");
  for (starpu_tag_t node = 1; node <= nodes; ++node) starpu_tag_remove(node);
}

void commute() {
  constexpr auto mode = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  static starpu_codelet codelet = codelet_of(add, {mode, STARPU_R});
  std::deque<Number> sums(5);
  const Number one(1);
  for (int i = 0; i < 2000; ++i) {
    starpu_task_insert(&codelet, mode, sums[i % sums.size()].handle(), STARPU_R, one.handle(), 0);
  }
  for (const Number& sum : sums) expect(sum.value() == 400, "two commuting tasks met");
}

void redux() {
  static starpu_codelet start = codelet_of(zero, {STARPU_W});
  static starpu_codelet reduce =
      codelet_of(add, {static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE), STARPU_R});
  static starpu_codelet codelet = codelet_of(add, {STARPU_REDUX, STARPU_R});
  const Number sum(17);
  const Number one(1);
  starpu_data_set_reduction_methods(sum.handle(), &reduce, &start);
  for (int i = 0; i < 1000; ++i) {
    starpu_task_insert(&codelet, STARPU_REDUX, sum.handle(), STARPU_R, one.handle(), 0);
  }
  expect(sum.value() == 1017, "a reduction is wrong");
}

/// The callback of every task runs on the task's worker and submits the next task.
void tasks_from_callbacks() {
  static std::atomic<long> left;
  static starpu_codelet codelet = codelet_of([](void**, void*) { --left; }, {});
  left = 1000;
  static void (*const submit_next)(void*) = [](void*) {
    if (left <= 0) return;
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->callback_func = submit_next;
    expect(starpu_task_submit(task) == 0, "a callback's task is not taken");
  };
  submit_next(nullptr);
  starpu_task_wait_for_all();
  expect(left == 0, "tasks of callbacks were lost");
}

constexpr std::array<Scenario, 9> scenarios{{{"independent tasks", independent},
                                             {"tasks on separate data", on_data_of_their_own},
                                             {"a chain", chain},
                                             {"a chain over pieces", chain_over_pieces},
                                             {"forks and joins", fork_join},
                                             {"tags", tags},
                                             {"commuting accesses", commute},
                                             {"a reduction", redux},
                                             {"tasks from callbacks", tasks_from_callbacks}}};

}  // namespace

std::span<const Scenario> order_scenarios() { return scenarios; }

}  // namespace other_program
