// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <thread>

#include "caller.hpp"

namespace caller {
namespace {

using Initialize = void(void*, const int*, const int*, int*, double*, int*);
using CheckMatrix = void(const int*, const int*, const double*, const int*, const int*, int*);
using CheckVectors = void(const int*, const int*, const double*, int*);
using PrintStatistics = void(const int*, const int*, const double*, const int*, const int*,
                             const int*, const double*, int*);
using GetSchur = int(void*, const int*, const int*, const int*, double*, int*, int*);

TEST(Names, AreThoseOfPanua) {
  for (const char* name : {"pardiso", "pardisoinit", "pardiso_chkmatrix", "pardiso_chkvec",
                           "pardiso_printstats", "pardiso_get_schur"}) {
    const std::string fortran = std::string(name) + "_";
    EXPECT_NE(panua().symbol(name), nullptr) << name;
    EXPECT_EQ(panua().symbol(fortran), panua().symbol(name)) << name;
  }
  EXPECT_NE(panua().symbol("pardiso_ipopt_newinterface"), nullptr);
  EXPECT_NE(panua().symbol("pardiso_exist_parallel"), nullptr);
}

TEST(Names, AreThoseOfMkl) {
  for (const char* name : {"pardiso", "pardisoinit", "pardiso_64"}) {
    const std::string fortran = std::string(name) + "_";
    EXPECT_NE(mkl().symbol(name), nullptr) << name;
    EXPECT_EQ(mkl().symbol(fortran), mkl().symbol(name)) << name;
  }
  EXPECT_EQ(mkl().symbol("pardiso_ipopt_newinterface"), nullptr);
}

TEST(Initialization, GivesDefaultsAndEmptiesTheHandle) {
  for (const int type : {2, -2}) {
    std::array<void*, 64> pt{};
    pt.fill(&pt);
    std::array<int, 64> numbers{};
    std::array<double, 64> dparm{};
    dparm.fill(7);
    int error = 77;
    const int direct = 0;
    panua().function<Initialize>("pardisoinit_")(pt.data(), &type, &direct, numbers.data(),
                                                 dparm.data(), &error);
    EXPECT_EQ(error, 0);
    EXPECT_EQ(std::ranges::count(pt, nullptr), 64);
    EXPECT_EQ(std::ranges::count(dparm, 0.0), 64);
    EXPECT_EQ(numbers[0], 1);
    EXPECT_EQ(numbers[7], 2);
    EXPECT_GE(numbers[2], 1);  // processors
    EXPECT_EQ(numbers[20], type == 2 ? 0 : 1);
  }
}

TEST(Initialization, RefusesTheIterativeSolver) {
  std::array<void*, 64> pt{};
  std::array<int, 64> numbers{};
  std::array<double, 64> dparm{};
  int error = 77;
  const int type = -2;
  const int iterative = 1;
  panua().function<Initialize>("pardisoinit")(pt.data(), &type, &iterative, numbers.data(),
                                              dparm.data(), &error);
  EXPECT_EQ(error, -1);
}

/// The matrix of a caller of Panua's PARDISO.
struct Given {
  int type = 2;
  int n = 3;
  int nrhs = 2;
  std::vector<double> a{4, -1, 5, 6};
  std::vector<int> ia{1, 3, 4, 5};
  std::vector<int> ja{1, 3, 2, 3};
  std::vector<double> b{1, 2, 3, 4, 5, -60};

  int check_matrix() const {
    int error = 77;
    panua().function<CheckMatrix>("pardiso_chkmatrix_")(&type, &n, a.data(), ia.data(), ja.data(),
                                                        &error);
    return error;
  }
  int check_vectors() const {
    int error = 77;
    panua().function<CheckVectors>("pardiso_chkvec_")(&n, &nrhs, b.data(), &error);
    return error;
  }
};

TEST(Checks, AcceptAMatrixAndVectors) {
  const Given given;
  EXPECT_EQ(given.check_matrix(), 0);
  EXPECT_EQ(given.check_vectors(), 0);
}

TEST(Checks, RefuseWrongInput) {
  Given given;
  given.a[2] = NAN;
  EXPECT_EQ(given.check_matrix(), -1);
  given = {};
  given.ja[2] = 1;
  EXPECT_EQ(given.check_matrix(), -1);
  given = {};
  given.type = 11;
  EXPECT_EQ(given.check_matrix(), -1);
  given = {};
  given.b[5] = INFINITY;
  EXPECT_EQ(given.check_vectors(), -1);
}

TEST(Checks, PrintFacts) {
  const Given given;
  int error = 77;
  testing::internal::CaptureStdout();
  panua().function<PrintStatistics>("pardiso_printstats_")(&given.type, &given.n, given.a.data(),
                                                           given.ia.data(), given.ja.data(),
                                                           &given.nrhs, given.b.data(), &error);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(error, 0);
  for (const char* part : {"rows                           3", "triangle  4",
                           "1.000e+00 to 6.000e+00", "4.000e+00 to 6.000e+00", "6.000e+01"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Checks, ReturnAnErrorForSchurComplements) {
  std::array<void*, 64> pt{};
  const int one = 1;
  EXPECT_EQ(panua().function<GetSchur>("pardiso_get_schur")(pt.data(), &one, &one, &one, nullptr,
                                                            nullptr, nullptr),
            -1);
}

/// Functions of MKL for threads.
struct Threads {
  void set(int number) { mkl().function<void(int)>("MKL_Set_Num_Threads")(number); }
  int set_here(int number) {
    return mkl().function<int(const int*)>("mkl_set_num_threads_local")(&number);
  }
  int set_domain(int number, int domain) {
    return mkl().function<int(const int*, const int*)>("mkl_domain_set_num_threads")(&number,
                                                                                     &domain);
  }
  int most() { return mkl().function<int()>("mkl_get_max_threads")(); }
  int most_in(int domain) {
    return mkl().function<int(const int*)>("mkl_domain_get_max_threads")(&domain);
  }
  ~Threads() {
    set(0);
    set_here(0);
    set_domain(0, 4);
  }
};

TEST(Threads, AreThoseThatStarpuWillStartWith) {
  Threads threads;
  threads.set(1);
  EXPECT_EQ(threads.most(), 1);
  EXPECT_EQ(threads.most_in(4), 1);
  EXPECT_EQ(threads.set_domain(2, 4), 1);
  EXPECT_EQ(threads.most(), std::min(2, static_cast<int>(std::thread::hardware_concurrency())));
  EXPECT_EQ(threads.set_domain(3, 1), 0);  // the BLAS is not part of the library
  EXPECT_EQ(threads.set_here(1), 0);
  EXPECT_EQ(threads.most(), 1);
  EXPECT_EQ(threads.set_here(0), 1);
  const int lower = 1;
  mkl().function<void(const int*)>("mkl_set_num_threads")(&lower);
  EXPECT_EQ(threads.set_domain(0, 4), 1);
  EXPECT_EQ(threads.most(), 1);
}

TEST(Threads, AreTheWorkersOfTheRunningStarpu) {
  Threads threads;
  Caller caller(Door::mkl, 2);
  caller.set_matrix(laplace(4));
  ASSERT_EQ(caller.call(12), 0);
  const int running = threads.most();
  threads.set(running == 1 ? 2 : 1);
  EXPECT_EQ(threads.most(), running);
}

TEST(Threads, FollowTheEnvironment) {
  Threads threads;
  setenv("OMP_NUM_THREADS", "1,2", 1);
  EXPECT_EQ(threads.most(), 1);
  setenv("STARPU_NCPU", "2", 1);
  EXPECT_EQ(threads.most(), 2);
  unsetenv("OMP_NUM_THREADS");
  unsetenv("STARPU_NCPU");
}

TEST(Layers, AreIntegersOf32Bits) {
  const auto set_layer = mkl().function<int(int)>("MKL_Set_Interface_Layer");
  EXPECT_EQ(set_layer(0), 0);
  EXPECT_EQ(set_layer(1), -1);
  Threads threads;
  EXPECT_EQ(mkl().function<int(int)>("MKL_Set_Threading_Layer")(1), 1);
  EXPECT_EQ(threads.most(), 1);
  const int off = 0;
  mkl().function<void(const int*)>("mkl_set_dynamic")(&off);
  EXPECT_EQ(mkl().function<int()>("mkl_get_dynamic")(), 0);
}

}  // namespace
}  // namespace caller
