// SPDX-License-Identifier: BSD-3-Clause
// A heat equation as one graph of StarPU tasks. The argument is the number of steps (20). In each
// step, tasks of the application assemble the matrix, Espalier's tasks factor and solve, and a task
// of the application computes the energy.
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <espalier/starpu.hpp>
#include <iostream>
#include <vector>

namespace {

constexpr int parts = 4;

double* vector(void* buffer) { return reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffer)); }

/// Sets a part of A to the identity plus `heat` times the Laplacian.
void assemble(void* buffers[], void* arguments) {
  const double* laplacian = nullptr;
  const double* identity = nullptr;
  double heat = 0;
  starpu_codelet_unpack_args(arguments, &laplacian, &identity, &heat);
  for (unsigned k = 0; k < STARPU_VECTOR_GET_NX(buffers[0]); ++k) {
    vector(buffers[0])[k] = identity[k] + heat * laplacian[k];
  }
}

/// Stores the energy u·u of a step.
void measure(void* buffers[], void* arguments) {
  int step = 0;
  starpu_codelet_unpack_args(arguments, &step);
  double& energy = vector(buffers[1])[step] = 0;
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) {
    energy += vector(buffers[0])[i] * vector(buffers[0])[i];
  }
}

starpu_codelet codelet_of(starpu_cpu_func_t function, const char* name, int buffers) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.name = name;
  codelet.nbuffers = buffers;
  codelet.modes[0] = buffers == 1 ? STARPU_W : STARPU_R;
  codelet.modes[1] = STARPU_RW;
  return codelet;
}

starpu_data_handle_t handle_of(std::vector<double>& entries) {
  starpu_data_handle_t handle = nullptr;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                              reinterpret_cast<std::uintptr_t>(entries.data()),
                              static_cast<std::uint32_t>(entries.size()), sizeof entries[0]);
  return handle;
}

/// Runs the time loop and returns the energy of each step. `waits`: after each submission.
std::vector<double> run(espalier::Factor& factor, const espalier::Matrix& laplacian, int steps,
                        bool waits) {
  static starpu_codelet assembling = codelet_of(assemble, "application: assembly", 1);
  static starpu_codelet measuring = codelet_of(measure, "application: energy", 2);
  std::vector<double> identity(laplacian.entries());
  for (int j = 0; j < laplacian.size(); ++j) identity[laplacian.column_begin()[j]] = 1;
  std::vector<double> memory_of_a(identity.size());
  std::vector<double> memory_of_u(laplacian.size(), 1.0);
  std::vector<double> energies(steps);
  starpu_data_handle_t a = handle_of(memory_of_a);
  starpu_data_handle_t u = handle_of(memory_of_u);
  starpu_data_handle_t energy = handle_of(energies);
  starpu_data_handle_t part[parts];
  starpu_data_filter filter{};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = parts;
  starpu_data_partition_plan(a, &filter, part);
  for (int step = 0; step < steps; ++step) {
    const double heat = 0.1 * (1 + std::sin(0.3 * step));
    std::size_t first = 0;
    for (starpu_data_handle_t own : part) {
      const double* const of_laplacian = laplacian.values().data() + first;
      const double* const of_identity = identity.data() + first;
      starpu_task_insert(&assembling, STARPU_W, own, STARPU_VALUE, &of_laplacian,
                         sizeof of_laplacian, STARPU_VALUE, &of_identity, sizeof of_identity,
                         STARPU_VALUE, &heat, sizeof heat, 0);
      first += starpu_vector_get_nx(own);
    }
    espalier::submit_factorize(factor, a);
    espalier::submit_solve(factor, u, u);
    starpu_task_insert(&measuring, STARPU_R, u, STARPU_RW, energy, STARPU_VALUE, &step, sizeof step,
                       0);
    if (waits) starpu_task_wait_for_all();
  }
  const bool ok = factor.wait().ok();  // the only wait if `waits` is false
  starpu_data_partition_clean(a, parts, part);
  for (starpu_data_handle_t handle : {a, u, energy}) starpu_data_unregister(handle);
  return ok ? energies : std::vector<double>{};
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  if (starpu_init(nullptr) != 0) return 77;  // this machine has no worker
  double error = 0;
  {
    const espalier::Matrix laplacian = espalier::Matrix::load("laplace2d:100");
    const espalier::Runtime runtime = espalier::Runtime::inside_application();
    espalier::Factor factor(runtime, espalier::Analysis(laplacian));
    const std::vector<double> energies = run(factor, laplacian, steps, false);
    const std::vector<double> expected = run(factor, laplacian, steps, true);
    if (energies.empty() || expected.empty()) return 4;
    for (int i = 0; i < steps; ++i)
      error = std::max(error, std::abs(energies[i] / expected[i] - 1));
    std::cout << "energy " << energies.front() << " after the first step, " << energies.back()
              << " after the last one; relative difference to a loop with waits " << error << '\n';
  }
  starpu_shutdown();
  return error < 1e-12 ? 0 : 1;
}
