// SPDX-License-Identifier: BSD-3-Clause
// An application whose tasks run on a coprocessor, and whose handles Espalier factors and solves
// with. The coprocessor is another process that runs this program. Prints what failed.
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <espalier/starpu.hpp>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "support/starpu_vector.hpp"

// The coprocessor finds it by its name.
extern "C" __attribute__((visibility("default"))) void handles_double(void* buffers[],
                                                                      void* /*arguments*/) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
  auto* const x = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  std::for_each_n(x, STARPU_VECTOR_GET_NX(buffers[0]), [](double& entry) { entry *= 2; });
}

namespace {

using espalier::internal::support::Vector;

void expect(bool condition, const char* text) {
  if (!condition) throw std::runtime_error(text);
}

starpu_codelet on_coprocessor() {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = handles_double;
  codelet.cpu_funcs_name[0] = "handles_double";
  codelet.where = STARPU_TCPIP_MS;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  return codelet;
}

void double_entries(const Vector& vector) {
  static starpu_codelet codelet = on_coprocessor();
  expect(starpu_task_insert(&codelet, STARPU_RW, vector.handle(), 0) == 0,
         "no worker takes a task");
}

bool is_on_host(const Vector& vector) {
  int valid = 0;
  starpu_data_query_status2(vector.handle(), STARPU_MAIN_RAM, nullptr, &valid, nullptr, nullptr);
  return valid != 0;
}

/// Solves 2 A x = 2 b in the first step and 4 A x = 4 b in the second one, for A x = b with x = 1.
/// Then solves 4 A y = 2 in place, and doubles y. Only the coprocessor has valid copies of all
/// handles when Espalier's tasks begin.
void run(const char* name) {
  const espalier::Matrix a = espalier::Matrix::load(name);
  const espalier::Runtime runtime = espalier::Runtime::inside_application();
  espalier::Factor factor(runtime, espalier::Analysis(a));
  const Vector values({a.values().begin(), a.values().end()});
  const Vector b(a.multiply(std::vector<double>(a.size(), 1.0)));
  const Vector x(std::vector<double>(a.size()));
  for (const Vector* const vector : {&values, &b, &x}) double_entries(*vector);
  starpu_task_wait_for_all();
  for (const Vector* const vector : {&values, &b, &x}) {
    expect(!is_on_host(*vector), "the host has the newest copy");
  }
  for (int step = 0; step < 2; ++step) {
    espalier::submit_factorize(factor, values.handle());
    espalier::submit_solve(factor, b.handle(), x.handle());
    for (const Vector* const vector : {&values, &b, &x}) double_entries(*vector);
  }
  expect(factor.wait().ok(), "the factorization failed");
  for (const double entry : x.wait()) {
    expect(std::abs(entry - 2) < 1e-10, "x, which the coprocessor doubled, is wrong");
  }
  espalier::submit_solve(factor, x.handle(), x.handle());
  double_entries(x);
  expect(factor.wait().ok(), "a solve in place failed");
  const std::vector<double> found = a.multiply(x.wait());
  for (const double entry : found) expect(std::abs(entry - 1) < 1e-10, "a solve in place is wrong");
}

}  // namespace

int main() {
  if (starpu_init(nullptr) != 0) return 77;
  int result = 0;
  try {
    if (starpu_worker_get_count_by_type(STARPU_TCPIP_MS_WORKER) == 0) {
      result = 77;
    } else {
      for (const char* const name : {"laplace2d:7", "laplace2d:60"}) run(name);
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    result = 1;
  }
  starpu_shutdown();
  return result;
}
