// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

// A StarPU program that knows nothing of Espalier: it runs under any policy, chosen by
// STARPU_SCHED and STARPU_SCHED_LIB, and checks its own results.
namespace foreign {

/// Throws std::runtime_error with the text unless the condition holds.
void expect(bool condition, const std::string& text);

using Function = void (*)(void* buffers[], void* arguments);

/// A codelet for CPU workers; it has to outlive its tasks.
starpu_codelet codelet_of(Function function, std::initializer_list<starpu_data_access_mode> modes);

/// A number that tasks work on, registered for the time of the object.
class Number {
 public:
  explicit Number(long value = 0);
  ~Number();
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  starpu_data_handle_t handle() const { return handle_; }
  /// Returns the value once all tasks on it have ended.
  long value() const;

 private:
  long value_;
  starpu_data_handle_t handle_ = nullptr;
};

inline long& number_in(void* buffer) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
  return *reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffer));
}

/// StarPU runs while a scenario does.
struct Scenario {
  const char* name;
  void (*run)();
};

std::span<const Scenario> order_scenarios();     ///< what must wait for what
std::span<const Scenario> worker_scenarios();    ///< who may run what, and when
std::span<const Scenario> parallel_scenarios();  ///< tasks for several workers at once
std::span<const Scenario> algebra_scenarios();   ///< a factorization

/// Prints for several kinds of tasks how many of them CPUs ran, and how many coprocessors.
void tasks_on_devices();

}  // namespace foreign
