// SPDX-License-Identifier: BSD-3-Clause
// Factors and solves with cuDSS, for comparison. check.sh compiles this program if the library is
// installed. The matrix is a Matrix Market file with the lower triangle, and b = A·(1,…,1).
// Usage: cudss FILE FACTORIZATIONS
// Prints JSON: the seconds of each phase, and the largest error of x.
#include <cuda_runtime.h>
#include <cudss.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void expect(bool success, const char* what) {
  if (!success) throw std::runtime_error(what);
}
void expect(cudaError_t status) { expect(status == cudaSuccess, cudaGetErrorString(status)); }
void expect(cudssStatus_t status) { expect(status == CUDSS_STATUS_SUCCESS, "cuDSS failed"); }

/// The columns of a lower triangle, which are the rows of the upper one.
struct Triangle {
  int n = 0;
  std::vector<int> begin{0};
  std::vector<int> row;
  std::vector<double> value;

  std::vector<double> row_sums() const {
    std::vector<double> sums(static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j) {
      for (int k = begin[j]; k < begin[j + 1]; ++k) {
        sums[row[k]] += value[k];
        if (row[k] != j) sums[j] += value[k];
      }
    }
    return sums;
  }
};

/// Reads a file of `espalier generate`, whose entries have ascending columns.
Triangle read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line) && line.starts_with('%')) {
  }
  Triangle a;
  long entries = 0;
  std::istringstream sizes(line);
  expect(static_cast<bool>(sizes >> a.n >> a.n >> entries), "there are no sizes in the file");
  int i = 0;
  int j = 0;
  double value = 0;
  for (long k = 0; k < entries; ++k) {
    expect(static_cast<bool>(file >> i >> j >> value) && j >= static_cast<int>(a.begin.size()),
           "an entry is missing, or columns do not ascend");
    while (static_cast<int>(a.begin.size()) < j) a.begin.push_back(static_cast<int>(k));
    a.row.push_back(i - 1);
    a.value.push_back(value);
  }
  while (static_cast<int>(a.begin.size()) <= a.n) a.begin.push_back(static_cast<int>(entries));
  return a;
}

template <class T>
T* on_device(const std::vector<T>& here) {
  void* there = nullptr;
  expect(cudaMalloc(&there, here.size() * sizeof(T)));
  expect(cudaMemcpy(there, here.data(), here.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(there);
}

/// A solver, which is never released: the process ends directly after it, and that frees all device
/// memory.
class Solver {
 public:
  explicit Solver(const Triangle& a) : n_(a.n), x_(on_device(a.row_sums())) {
    double* const b = on_device(a.row_sums());
    expect(cudssCreate(&handle_));
    expect(cudssConfigCreate(&config_));
    expect(cudssDataCreate(handle_, &data_));
    expect(cudssMatrixCreateCsr(&a_, n_, n_, static_cast<std::int64_t>(a.value.size()),
                                on_device(a.begin), nullptr, on_device(a.row), on_device(a.value),
                                CUDA_R_32I, CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD,
                                CUDSS_MVIEW_UPPER, CUDSS_BASE_ZERO));
    expect(cudssMatrixCreateDn(&left_, n_, 1, n_, x_, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
    expect(cudssMatrixCreateDn(&right_, n_, 1, n_, b, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
  }

  double seconds(int phase) {
    const auto begin = std::chrono::steady_clock::now();
    expect(cudssExecute(handle_, phase, config_, data_, a_, left_, right_));
    expect(cudaDeviceSynchronize());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double largest_error() const {
    std::vector<double> x(static_cast<std::size_t>(n_));
    expect(cudaMemcpy(x.data(), x_, x.size() * sizeof x[0], cudaMemcpyDeviceToHost));
    double largest = 0;
    for (const double entry : x) largest = std::max(largest, std::fabs(entry - 1));
    return largest;
  }

 private:
  int n_;
  double* x_;
  cudssHandle_t handle_ = nullptr;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t a_ = nullptr;
  cudssMatrix_t left_ = nullptr;
  cudssMatrix_t right_ = nullptr;
};

void run(const std::string& path, int factorizations) {
  Solver solver(read(path));
  const double analysis = solver.seconds(CUDSS_PHASE_ANALYSIS);
  const double first = solver.seconds(CUDSS_PHASE_FACTORIZATION);
  double best = first;
  for (int k = 1; k < factorizations; ++k) {
    best = std::min(best, solver.seconds(CUDSS_PHASE_REFACTORIZATION));
  }
  const double solve = solver.seconds(CUDSS_PHASE_SOLVE);
  std::printf(
      "{\"analysis_s\": %.6f, \"first_s\": %.6f, \"factor_s\": %.6f, \"solve_s\": %.6f, "
      "\"error\": %.3e}\n",
      analysis, first, best, solve, solver.largest_error());
}

}  // namespace

int main(int count, char** words) {
  try {
    expect(count == 3, "usage: cudss FILE FACTORIZATIONS");
    run(words[1], std::atoi(words[2]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cudss: %s\n", error.what());
    return 1;
  }
}
