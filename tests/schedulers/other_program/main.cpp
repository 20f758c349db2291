// SPDX-License-Identifier: BSD-3-Clause
// Without arguments, runs all scenarios, each with a new StarPU. The exit code is the number of
// failed scenarios. If one hangs, a signal ends the program.
//
// With the argument "devices", runs tasks for CPUs and coprocessors once, because coprocessors end
// with their StarPU.
#include <exception>
#include <iostream>
#include <stdexcept>

#include "scenarios.hpp"
#include "schedulers/watchdog.hpp"

namespace other_program {

void expect(bool condition, const std::string& text) {
  if (!condition) throw std::runtime_error(text);
}

starpu_codelet codelet_of(Function function, std::initializer_list<starpu_data_access_mode> modes) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.where = STARPU_CPU;
  for (const starpu_data_access_mode mode : modes) codelet.modes[codelet.nbuffers++] = mode;
  return codelet;
}

Number::Number(long value) : value_(value) {
  starpu_variable_data_register(&handle_, STARPU_MAIN_RAM,
                                reinterpret_cast<std::uintptr_t>(&value_), sizeof value_);
}

Number::~Number() { starpu_data_unregister(handle_); }

long Number::value() const {
  starpu_data_acquire(handle_, STARPU_R);
  const long now = value_;
  starpu_data_release(handle_);
  return now;
}

namespace {

bool succeeds(const Scenario& scenario) {
  const espalier::internal::support::Watchdog watchdog;
  std::cout << scenario.name << std::endl;
  if (starpu_init(nullptr) != 0) {
    std::cerr << scenario.name << ": StarPU does not start\n";
    return false;
  }
  bool success = true;
  try {
    scenario.run();
    starpu_task_wait_for_all();
  } catch (const std::exception& failure) {
    std::cerr << scenario.name << ": " << failure.what() << "\n";
    success = false;
  }
  starpu_shutdown();
  return success;
}

int failures() {
  int failures = 0;
  for (const auto scenarios :
       {order_scenarios(), worker_scenarios(), parallel_scenarios(), algebra_scenarios()}) {
    for (const Scenario& scenario : scenarios) failures += succeeds(scenario) ? 0 : 1;
  }
  return failures;
}

}  // namespace

}  // namespace other_program

int main(int argc, char**) {
  constexpr other_program::Scenario devices{"tasks on devices", other_program::tasks_on_devices};
  return argc == 1 ? other_program::failures()
                   : static_cast<int>(!other_program::succeeds(devices));
}
