// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

// A StarPU program that does not know Espalier. It runs under any policy, which STARPU_SCHED and
// STARPU_SCHED_LIB select, and checks its results.
namespace other_program {

/// Throws std::runtime_error with the text unless the condition holds.
void expect(bool condition, const std::string& text);

using Function = void (*)(void* buffers[], void* arguments);

/// Returns a codelet for CPU workers. It must outlive its tasks.
starpu_codelet codelet_of(Function function, std::initializer_list<starpu_data_access_mode> modes);

/// A number that tasks work on. It is registered while the object lives.
class Number {
 public:
  explicit Number(long value = 0);
  ~Number();
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  starpu_data_handle_t handle() const { return handle_; }
  /// Returns the value after all tasks on it have ended.
  long value() const;

 private:
  long value_;
  starpu_data_handle_t handle_ = nullptr;
};

inline long& number_in(void* buffer) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
  return *reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffer));
}

/// A test that runs with a started StarPU.
struct Scenario {
  const char* name;
  void (*run)();
};

std::span<const Scenario> order_scenarios();     ///< dependencies
std::span<const Scenario> worker_scenarios();    ///< choice of workers
std::span<const Scenario> parallel_scenarios();  ///< tasks for several workers at once
std::span<const Scenario> algebra_scenarios();   ///< a factorization

/// Prints, for several kinds of tasks, the numbers of tasks on CPUs and on coprocessors.
void tasks_on_devices();

}  // namespace other_program
