// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/starpu_models.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/dense.hpp"
#include "perfmodels/shape.hpp"

namespace espalier::internal {

namespace {

/// Returns the predicted time of a task in microseconds. Several workers that run it together share
/// it evenly.
double predicted_microseconds(starpu_task* task, starpu_perfmodel_arch* workers,
                              unsigned /*implementation*/) {
  const Shape& shape = *static_cast<const Shape*>(task->cl_arg);
  Index count = 0;
  for (int d = 0; d < workers->ndevices; ++d) count += workers->devices[d].ncores;
  const bool device = workers->devices[0].type != STARPU_CPU_WORKER;
  return shape.seconds_on(device) * 1e6 / count;
}

struct Models {
  std::array<std::string, task_kinds> symbol;
  std::array<starpu_perfmodel, task_kinds> model{};

  Models() {
    for (std::size_t kind = 0; kind < task_kinds; ++kind) {
      symbol[kind] = model_symbol_prefix() + std::string(task_kind_table[kind].name);
      model[kind].type = STARPU_PER_ARCH;
      model[kind].arch_cost_function = predicted_microseconds;
      model[kind].symbol = symbol[kind].c_str();
    }
  }
};

}  // namespace

starpu_perfmodel* performance_model(TaskKind kind) {
  static Models models;
  return &models.model[static_cast<std::size_t>(kind)];
}

namespace {

using Operations = double (*)(double x, double y, double z);

/// Minimum number of samples that StarPU needs to regard an entry as calibrated.
constexpr unsigned samples_reported = 10;

/// Returns the name of the BLAS for a file name: "openblas" for "OpenBLAS 0.3.21 ...".
std::string blas_of(const std::string& kernels) {
  const auto begin = kernels.find("; ");
  std::string name = begin == std::string::npos ? kernels : kernels.substr(begin + 2);
  name.resize(std::min(name.find(' '), name.size()));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

/// A model, and the codelet to which its samples are assigned.
struct StarpuHistories::Model {
  std::string symbol;
  starpu_perfmodel model{};
  starpu_codelet codelet{};

  static std::uint32_t footprint(starpu_task* task) {
    return *static_cast<const std::uint32_t*>(task->cl_arg);
  }

  explicit Model(std::string name) : symbol(std::move(name)) {
    forget_file();
    model.type = STARPU_HISTORY_BASED;
    model.symbol = symbol.c_str();
    model.footprint = footprint;
    starpu_codelet_init(&codelet);
    codelet.where = STARPU_CPU;
    codelet.model = &model;
    codelet.name = symbol.c_str();
    starpu_perfmodel_init(&model);
  }

  /// Removes the file of an earlier calibration, because StarPU would mix its samples with the new
  /// ones.
  void forget_file() const {
    std::array<char, 1024> path{};
    starpu_perfmodel_get_model_path(symbol.c_str(), path.data(), path.size());
    if (path.front() != '\0') std::remove(path.data());
  }

  void add(std::uint32_t footprint, double flops, double microseconds) {
    const int worker = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0);
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &footprint;
    task->flops = flops;
    starpu_perfmodel_update_history_n(&model, task, starpu_worker_get_perf_archtype(worker, 0), 0,
                                      0, microseconds, samples_reported);
    task->destroy = 0;
    starpu_task_destroy(task);
  }

  void add(const CostGrid& grid, Operations operations) {
    const auto& classes = grid.classes;
    for (int x = 0; x < classes[0]; ++x) {
      for (int y = 0; y < classes[1]; ++y) {
        for (int z = 0; z < classes[2]; ++z) {
          const double work = operations(1 << x, 1 << y, 1 << z);
          const auto footprint = static_cast<std::uint32_t>(x << 16 | y << 8 | z);
          add(footprint, work, work * grid.seconds[grid.point({x, y, z})] * 1e6);
        }
      }
    }
  }
};

StarpuHistories::StarpuHistories() = default;
StarpuHistories::~StarpuHistories() = default;

void StarpuHistories::write(const CostFile& file) {
  const auto write = [&](const char* kernel, const CostGrid& grid, Operations operations) {
    const std::string symbol = "espalier_" + std::string(kernel) + "_" + blas_of(file.kernels);
    Model& model = *model_.emplace_back(std::make_unique<Model>(symbol));
    model.add(grid, operations);
    starpu_save_history_based_model(&model.model);
  };
  const CostTable& table = file.table;
  write("potrf", table.potrf, [](double n, double, double) { return flops::potrf(n); });
  write("trsm", table.trsm, [](double m, double n, double) { return flops::trsm(m, n); });
  write("syrk", table.syrk, [](double n, double k, double) { return flops::syrk(n, k); });
  write("gemm", table.gemm, [](double m, double n, double k) { return flops::gemm(m, n, k); });
}

}  // namespace espalier::internal
