// SPDX-License-Identifier: BSD-3-Clause
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <vector>

#include "cuda/stand_in_case.hpp"

/// Checks of the stand-in for calls of cuBLAS and cuSOLVER.
namespace espalier::internal {
namespace {

constexpr double one = 1;

class StandInLibraries : public support::StandInCase {
 protected:
  static cublasHandle_t blas() {
    cublasHandle_t handle = nullptr;
    cublasCreate(&handle);
    cublasSetStream(handle, stream());
    return handle;
  }
  static void finish() {
    wait();
    std::_Exit(0);
  }

  /// C (m x 2) := C + A (m x 3) Bᵀ.
  static void multiply(const double* a, int lda, const double* b, double* c, int ldc, int m = 4) {
    cublasDgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_T, m, 2, 3, &one, a, lda, b, 2, &one, c, ldc);
    finish();
  }
};

TEST_F(StandInLibraries, TakeMatricesOfTheDevice) {
  double here[6]{};
  EXPECT_EXIT(multiply(on_device(12), 4, on_device(6), on_device(8), 4), testing::ExitedWithCode(0),
              "");
  EXPECT_MISUSE(multiply(on_device(12), 4, here, on_device(8), 4),
                "cublasDgemm on device 0: B \\(2 x 3, leading dimension 2\\) is not in the memory");
  EXPECT_MISUSE(multiply(on_device(12), 4, pinned(6), on_device(8), 4),
                "B .* is not in the memory");
}

TEST_F(StandInLibraries, TakeMatricesAsLargeAsTheySay) {
  EXPECT_MISUSE(multiply(on_device(11), 4, on_device(6), on_device(8), 4),
                "A at .* only 88 are left");
  EXPECT_MISUSE(multiply(on_device(12), 4, on_device(6), on_device(8), 5),
                "C at .* only 64 are left");
  EXPECT_MISUSE(multiply(on_device(12), 3, on_device(6), on_device(8), 4),
                "A .* has impossible sizes");
  EXPECT_MISUSE(multiply(on_device(12), 4, on_device(6), on_device(8), 4, -1),
                "a size is negative: -1");
}

TEST_F(StandInLibraries, DoNotWriteWhatTheyRead) {
  EXPECT_MISUSE(
      {
        double* const all = on_device(64);
        multiply(all, 8, on_device(6), all + 11, 8);
      },
      "C .*, which is written, overlaps A");
  EXPECT_EXIT(
      {
        double* const panel = on_device(64);
        multiply(panel, 8, on_device(6), panel + 4, 8);  // the rows below
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(StandInLibraries, ReadTrianglesApartFromWhatTheyWrite) {
  const auto square = [](const double* a, double* c) {
    cublasDsyrk(blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 3, 2, &one, a, 8, &one, c, 8);
    finish();
  };
  const auto solve = [](const double* l, double* x) {
    cublasDtrsm(blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                CUBLAS_DIAG_NON_UNIT, 5, 3, &one, l, 8, x, 8);
    finish();
  };
  EXPECT_EXIT(square(on_device(16), on_device(24)), testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(square(on_device(10), on_device(24)), "cublasDsyrk on device 0: A at .* only 80");
  EXPECT_MISUSE(
      {
        double* const panel = on_device(24);
        square(panel, panel);
      },
      "cublasDsyrk .*overlaps A");
  EXPECT_EXIT(
      {
        double* const panel = on_device(24);
        solve(panel, panel + 3);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(
      {
        double* const panel = on_device(24);
        solve(panel, panel + 2);
      },
      "cublasDtrsm .*B .*which is written, overlaps A");
  EXPECT_MISUSE(solve(on_device(18), on_device(24)), "A at .* only 144 are left");
}

/// Two products of a 2 x 2 matrix with a transpose, in two groups.
class Grouped {
 public:
  double* c[2];

  Grouped() : c{matrix(), matrix()} {}
  static double* matrix() {
    double* memory = nullptr;
    cudaMalloc(&memory, 4 * sizeof(double));
    return memory;
  }
  template <class Address>
  static Address* there(const std::vector<Address>& list) {
    Address* memory = nullptr;
    cudaMalloc(&memory, list.size() * sizeof(Address));
    cudaMemcpy(memory, list.data(), list.size() * sizeof(Address), cudaMemcpyHostToDevice);
    return memory;
  }
  void multiply(cublasHandle_t handle, const double* const* a, std::vector<int> sizes = {1, 1}) {
    const double* const* b = there<const double*>({matrix(), matrix()});
    const cublasOperation_t no[] = {CUBLAS_OP_N, CUBLAS_OP_N};
    const int two[] = {2, 2};
    const double ones[] = {1, 1};
    cublasDgemmGroupedBatched(handle, no, no, two, two, two, ones, a, two, b, two, ones,
                              there<double*>({c[0], c[1]}), two, 2, sizes.data());
  }
};

TEST_F(StandInLibraries, MultiplyGroupsOfMatricesApart) {
  const auto run = [](auto change) {
    Grouped group;
    const double* const* a = Grouped::there<const double*>({Grouped::matrix(), Grouped::matrix()});
    change(group, a);
    group.multiply(blas(), a);
    finish();
  };
  const auto nothing = [](Grouped& /*group*/, const double* const*& /*a*/) {};
  EXPECT_EXIT(run(nothing), testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(run([](Grouped& group, auto& /*a*/) { group.c[1] = group.c[0]; }),
                "cublasDgemmGroupedBatched .*C .*, which is written, overlaps C");
  EXPECT_MISUSE(run([](Grouped& group, auto& /*a*/) { group.c[1] += 1; }),
                "C at .* only 24 are left");
  EXPECT_MISUSE(
      {
        const double* here = nullptr;
        run([&](Grouped& /*group*/, auto& a) { a = &here; });
      },
      "the list of A is not in the memory of a device");
  EXPECT_MISUSE(
      run([](Grouped& /*group*/, auto& a) { a = Grouped::there<const double*>({on_device(4)}); }),
      "the list of A at .* has 16 bytes, but only 8");
  EXPECT_MISUSE(Grouped().multiply(blas(), Grouped::there<const double*>({on_device(4)}), {1, 0}),
                "group 1 has no product");
}

TEST_F(StandInLibraries, FactorWithAWorkspaceThatIsTheirs) {
  const auto factor = [](double* a, double* workspace, int entries) {
    cusolverDnHandle_t handle = nullptr;
    cusolverDnCreate(&handle);
    cusolverDnSetStream(handle, stream());
    cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, a, 4, workspace, entries,
                     on_device<int>(1));
    wait();
  };
  int entries = 0;
  cusolverDnDpotrf_bufferSize(nullptr, CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, &entries);
  EXPECT_MISUSE(factor(on_device(16), on_device(100), entries - 1),
                "the workspace has .* are needed");
  EXPECT_MISUSE(factor(on_device(16), on_device(10), entries),
                "the workspace at .* only 80 are left");
  EXPECT_MISUSE(
      {
        double* const both = on_device(16 + 100);
        factor(both, both + 15, entries);
      },
      "the workspace .*overlaps A");
  double* const workspace = on_device(100);
  cudaMemset(workspace, 0, 100 * sizeof(double));
  factor(on_device(16), workspace, entries);
  std::vector<double> left(static_cast<std::size_t>(entries));
  cudaMemcpy(left.data(), workspace, left.size() * sizeof(double), cudaMemcpyDeviceToHost);
  for (const double entry : left) EXPECT_TRUE(std::isnan(entry));
}

}  // namespace
}  // namespace espalier::internal
