// SPDX-License-Identifier: BSD-3-Clause
// An application that uses StarPU itself: Espalier submits its tasks to the same instance.
#include <starpu.h>

#include <atomic>
#include <espalier/espalier.hpp>
#include <iostream>
#include <vector>

namespace {

void count_one(void** /*buffers*/, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

}  // namespace

int main() {
  if (starpu_init(nullptr) != 0) return 77;  // this machine has no worker
  std::atomic<int> own_tasks = 0;
  double error = 1;
  {
    const espalier::Matrix a = espalier::Matrix::load("laplace2d:100");
    const espalier::Runtime runtime = espalier::Runtime::inside_application();
    espalier::Factor factor(runtime, espalier::Analysis(a));
    std::vector<double> x = a.multiply(std::vector<double>(a.size(), 1.0));

    // All tasks are submitted at once. StarPU runs them in the right order, together with the tasks
    // of the application.
    factor.submit_factorize(a);
    factor.submit_solve(x, x);
    starpu_codelet counting;
    starpu_codelet_init(&counting);
    counting.cpu_funcs[0] = count_one;
    for (int i = 0; i < 10; ++i) {
      starpu_task_insert(&counting, STARPU_CL_ARGS_NFREE, &own_tasks, sizeof own_tasks, 0);
    }

    // Waits only for Espalier's tasks.
    if (!factor.wait().ok()) return 4;
    error = 0;
    for (const double value : x) error = std::max(error, std::abs(value - 1));
    starpu_task_wait_for_all();
  }
  std::cout << "largest error " << error << ", own tasks " << own_tasks << '\n';
  starpu_shutdown();
  return error < 1e-9 && own_tasks == 10 ? 0 : 1;
}
