// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <iostream>
#include <vector>

#include "scenarios.hpp"

// Coprocessors find it by its name.
extern "C" __attribute__((visibility("default"))) void other_program_add_one(void* buffers[],
                                                                             void* /*arguments*/) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
  auto* const x = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  for (std::size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) x[i] += 1;
}

namespace other_program {

namespace {

constexpr int vectors = 12;
constexpr int rounds = 5;
constexpr std::size_t small = 1000;    ///< entries
constexpr std::size_t large = 600000;  ///< entries, more than symPACK's threshold of GEMM

bool is_device(starpu_worker_archtype type) { return type != STARPU_CPU_WORKER; }

template <bool On>
double microseconds(starpu_task* /*task*/, starpu_perfmodel_arch* workers, unsigned /*which*/) {
  return is_device(workers->devices[0].type) == On ? 10 : 1e6;
}

/// Returns a model that predicts 10 us on devices and a second on CPUs, or the reverse.
template <bool On>
starpu_perfmodel* sooner_on_devices() {
  static starpu_perfmodel model = [] {
    starpu_perfmodel made{};
    made.type = STARPU_PER_ARCH;
    made.symbol = On ? "other_program_sooner_on_devices" : "other_program_sooner_on_cpus";
    made.arch_cost_function = microseconds<On>;
    return made;
  }();
  return &model;
}

starpu_codelet codelet_for(unsigned where, starpu_perfmodel* model = nullptr) {
  starpu_codelet codelet = codelet_of(other_program_add_one, {STARPU_RW});
  codelet.cpu_funcs_name[0] = "other_program_add_one";
  codelet.where = where;
  codelet.model = model;
  return codelet;
}

/// Counts of tasks by the place where they ran.
struct Places {
  std::atomic<int> cpus = 0;
  std::atomic<int> devices = 0;

  static void note(void* places) {
    auto& here = *static_cast<Places*>(places);
    ++(is_device(starpu_worker_get_type(starpu_worker_get_id_check())) ? here.devices : here.cpus);
  }
};

/// Tasks that each add 1 to a vector with this number of entries.
struct Case {
  const char* name;
  std::size_t entries;
  starpu_codelet codelet;
};

void run(Case& tasks) {
  Places places;
  std::vector<std::vector<double>> x(vectors, std::vector<double>(tasks.entries));
  std::vector<starpu_data_handle_t> handle(vectors);
  for (int i = 0; i < vectors; ++i) {
    starpu_vector_data_register(&handle[i], STARPU_MAIN_RAM,
                                reinterpret_cast<std::uintptr_t>(x[i].data()), tasks.entries,
                                sizeof(double));
  }
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < vectors; ++i) {
      starpu_task_insert(&tasks.codelet, STARPU_RW, handle[i], STARPU_CALLBACK_WITH_ARG_NFREE,
                         Places::note, &places, 0);
    }
  }
  for (const starpu_data_handle_t h : handle) starpu_data_unregister(h);
  for (const auto& vector : x) {
    expect(vector == std::vector<double>(tasks.entries, rounds), "a task was lost or ran twice");
  }
  starpu_task_wait_for_all();
  std::cout << tasks.name << ": " << places.cpus << " on CPUs, " << places.devices << " on devices"
            << std::endl;
}

}  // namespace

void tasks_on_devices() {
  constexpr unsigned anywhere = STARPU_CPU | STARPU_TCPIP_MS;
  static std::array<Case, 6> cases{
      {{"large", large, codelet_for(anywhere)},
       {"small", small, codelet_for(anywhere)},
       {"sooner on devices", small, codelet_for(anywhere, sooner_on_devices<true>())},
       {"sooner on CPUs", small, codelet_for(anywhere, sooner_on_devices<false>())},
       {"devices alone", small, codelet_for(STARPU_TCPIP_MS)},
       {"CPUs alone", large, codelet_for(STARPU_CPU)}}};
  for (Case& tasks : cases) run(tasks);
}

}  // namespace other_program
