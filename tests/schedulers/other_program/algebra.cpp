// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "scenarios.hpp"

namespace other_program {

namespace {

constexpr int tile = 16;  ///< rows and columns of a tile
constexpr int tiles = 9;  ///< tiles per row and column
constexpr int order = tile * tiles;
constexpr std::size_t tile_entries = std::size_t{tile} * tile;
constexpr std::size_t all_tiles = std::size_t{tiles} * tiles;

// NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
double* tile_in(void* buffer) { return reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)); }

double& at(double* a, int i, int j) { return a[i + j * tile]; }

void potrf(void* buffers[], void* /*arguments*/) {
  double* const a = tile_in(buffers[0]);
  for (int j = 0; j < tile; ++j) {
    at(a, j, j) = std::sqrt(at(a, j, j));
    for (int i = j + 1; i < tile; ++i) at(a, i, j) /= at(a, j, j);
    for (int k = j + 1; k < tile; ++k) {
      for (int i = k; i < tile; ++i) at(a, i, k) -= at(a, i, j) * at(a, k, j);
    }
  }
}

/// X := X Lᵀ⁻¹
void trsm(void* buffers[], void* /*arguments*/) {
  double* const x = tile_in(buffers[0]);
  double* const l = tile_in(buffers[1]);
  for (int j = 0; j < tile; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = 0; i < tile; ++i) at(x, i, j) -= at(x, i, k) * at(l, j, k);
    }
    for (int i = 0; i < tile; ++i) at(x, i, j) /= at(l, j, j);
  }
}

/// C -= A Bᵀ
void gemm(void* buffers[], void* /*arguments*/) {
  double* const c = tile_in(buffers[0]);
  double* const a = tile_in(buffers[1]);
  double* const b = tile_in(buffers[2]);
  for (int j = 0; j < tile; ++j) {
    for (int k = 0; k < tile; ++k) {
      for (int i = 0; i < tile; ++i) at(c, i, j) -= at(a, i, k) * at(b, j, k);
    }
  }
}

/// Returns an entry of a symmetric matrix with a dominant diagonal.
double entry(int i, int j) { return i == j ? order + 1.0 : std::cos(i * j); }

/// The lower triangle of a matrix in tiles, each with a handle.
class TiledMatrix {
 public:
  TiledMatrix() : value_(all_tiles * tile_entries) {
    for (int i = 0; i < order; ++i) {
      for (int j = 0; j < order; ++j)
        at(tile_of(i / tile, j / tile), i % tile, j % tile) = entry(i, j);
    }
    for (int i = 0; i < tiles; ++i) {
      for (int j = 0; j <= i; ++j) {
        starpu_matrix_data_register(&handle(i, j), STARPU_MAIN_RAM,
                                    reinterpret_cast<std::uintptr_t>(tile_of(i, j)), tile, tile,
                                    tile, sizeof(double));
      }
    }
  }
  ~TiledMatrix() {
    for (const starpu_data_handle_t handle : handle_) {
      if (handle != nullptr) starpu_data_unregister(handle);
    }
  }
  TiledMatrix(const TiledMatrix&) = delete;
  TiledMatrix& operator=(const TiledMatrix&) = delete;

  starpu_data_handle_t& handle(int i, int j) { return handle_[i + j * tiles]; }

  void set_coordinates() {
    for (int i = 0; i < tiles; ++i) {
      for (int j = 0; j <= i; ++j) starpu_data_set_coordinates(handle(i, j), 2, i, j);
    }
  }

  /// Returns the largest entry of |A - L Lᵀ|.
  double residual() {
    double largest = 0;
    for (int i = 0; i < order; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k <= j; ++k) sum += value(i, k) * value(j, k);
        largest = std::fmax(largest, std::fabs(sum - entry(i, j)));
      }
    }
    return largest;
  }

 private:
  double* tile_of(int i, int j) { return value_.data() + (i + j * tiles) * tile_entries; }
  double value(int i, int j) { return at(tile_of(i / tile, j / tile), i % tile, j % tile); }

  std::vector<double> value_;
  std::array<starpu_data_handle_t, all_tiles> handle_{};
};

struct Codelets {
  starpu_codelet potrf = codelet_of(other_program::potrf, {STARPU_RW});
  starpu_codelet trsm = codelet_of(other_program::trsm, {STARPU_RW, STARPU_R});
  starpu_codelet gemm = codelet_of(other_program::gemm, {STARPU_RW, STARPU_R, STARPU_R});
};

void factorize(TiledMatrix& a, Codelets& codelets) {
  for (int k = 0; k < tiles; ++k) {
    const int urgency = tiles - k;
    starpu_task_insert(&codelets.potrf, STARPU_RW, a.handle(k, k), STARPU_PRIORITY, 3 * urgency,
                       STARPU_FLOPS, tile * tile * tile / 3.0, 0);
    for (int i = k + 1; i < tiles; ++i) {
      starpu_task_insert(&codelets.trsm, STARPU_RW, a.handle(i, k), STARPU_R, a.handle(k, k),
                         STARPU_PRIORITY, 2 * urgency, STARPU_FLOPS, 1.0 * tile * tile * tile, 0);
    }
    for (int j = k + 1; j < tiles; ++j) {
      for (int i = j; i < tiles; ++i) {
        starpu_task_insert(&codelets.gemm, STARPU_RW, a.handle(i, j), STARPU_R, a.handle(i, k),
                           STARPU_R, a.handle(j, k), STARPU_PRIORITY, urgency, STARPU_FLOPS,
                           2.0 * tile * tile * tile, 0);
      }
    }
  }
  starpu_task_wait_for_all();
}

void expect_factor(TiledMatrix& a) { expect(a.residual() < 1e-11 * order, "the factor is wrong"); }

void cholesky_of_unknown_tasks() {
  static Codelets codelets;
  TiledMatrix a;
  factorize(a, codelets);
  expect_factor(a);
}

/// Tiles with coordinates, tasks with a performance model.
void cholesky_of_known_tasks() {
  static Codelets codelets;
  static starpu_perfmodel model = [] {
    starpu_perfmodel made{};
    made.type = STARPU_COMMON;
    made.symbol = "other_program_cholesky";
    made.cost_function = [](starpu_task* task, unsigned) { return task->flops * 1e-3; };
    return made;
  }();
  for (starpu_codelet* const codelet : {&codelets.potrf, &codelets.trsm, &codelets.gemm}) {
    codelet->model = &model;
  }
  TiledMatrix a;
  a.set_coordinates();
  factorize(a, codelets);
  expect_factor(a);
}

constexpr std::array<Scenario, 2> scenarios{
    {{"a Cholesky factorization of unknown tasks", cholesky_of_unknown_tasks},
     {"a Cholesky factorization of known tasks", cholesky_of_known_tasks}}};

}  // namespace

std::span<const Scenario> algebra_scenarios() { return scenarios; }

}  // namespace other_program
