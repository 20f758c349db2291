// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Calls both libraries as programs do: by dlopen() and by name.
namespace caller {

/// One of the libraries.
class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) ADD_FAILURE() << dlerror();
  }
  void* symbol(const std::string& name) const {
    return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
  }
  template <class Function>
  Function* function(const std::string& name) const {
    void* const found = symbol(name);
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_;
};

inline const Library& panua() {
  static const Library library(ESPALIER_PARDISO_LIBRARY);
  return library;
}
inline const Library& mkl() {
  static const Library library(ESPALIER_MKL_LIBRARY);
  return library;
}

/// The upper triangle of a symmetric matrix by rows, counted from 0.
struct Upper {
  int n = 0;
  std::vector<int> begin{0};
  std::vector<int> column;
  std::vector<double> value;

  /// Makes an upper triangle of entries (i, j, value) with i <= j.
  Upper(int rows, std::vector<std::tuple<int, int, double>> entries) : n(rows) {
    std::ranges::sort(entries);
    std::size_t k = 0;
    for (int i = 0; i < n; ++i) {
      for (; k < entries.size() && std::get<0>(entries[k]) == i; ++k) {
        column.push_back(std::get<1>(entries[k]));
        value.push_back(std::get<2>(entries[k]));
      }
      begin.push_back(static_cast<int>(column.size()));
    }
  }

  std::vector<double> multiply(const double* x) const {
    std::vector<double> y(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      for (int k = begin[i]; k < begin[i + 1]; ++k) {
        y[i] += value[k] * x[column[k]];
        if (column[k] != i) y[column[k]] += value[k] * x[i];
      }
    }
    return y;
  }
};

/// Returns the Laplace matrix of an m-by-m grid plus `shift` times the identity.
inline Upper laplace(int m, double shift = 0) {
  std::vector<std::tuple<int, int, double>> entries;
  for (int i = 0; i < m * m; ++i) {
    entries.emplace_back(i, i, 4 + shift);
    if (i % m + 1 < m) entries.emplace_back(i, i + 1, -1);
    if (i + m < m * m) entries.emplace_back(i, i + m, -1);
  }
  return {m * m, entries};
}

/// Returns [H B; Bᵀ 0] with n positive and m negative eigenvalues. H is the identity plus a
/// tridiagonal matrix, and column k of B has two entries. The zeros on the diagonal are not stored
/// if `sparse` is true.
inline Upper saddle(int n, int m, bool sparse = false) {
  std::vector<std::tuple<int, int, double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 3);
    if (i + 1 < n) entries.emplace_back(i, i + 1, -1);
  }
  for (int k = 0; k < m; ++k) {
    entries.emplace_back(2 * k, n + k, 1);
    entries.emplace_back(2 * k + 1, n + k, 2);
    if (!sparse) entries.emplace_back(n + k, n + k, 0);
  }
  return {n + m, entries};
}

template <class Int>
using MklFunction = void(void*, const Int*, const Int*, const Int*, const Int*, const Int*,
                         const void*, const Int*, const Int*, Int*, const Int*, Int*, const Int*,
                         void*, void*, Int*);
using PanuaFunction = void(void*, const int*, const int*, const int*, const int*, const int*,
                           const double*, const int*, const int*, int*, const int*, int*,
                           const int*, double*, double*, int*, double*);

/// Interfaces of the solver.
enum class Door { panua, mkl, mkl_64 };

/// A handle with everything that belongs to it. Parameters are numbered from 1, as in the manuals.
class Caller {
 public:
  Caller(Door door, long mtype) : mtype(mtype), door_(door) { initialize(); }
  ~Caller() { EXPECT_EQ(call(-1), 0); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  long& parameter(int number) { return iparm_[static_cast<std::size_t>(number) - 1]; }

  /// Passes this matrix in the following calls, with rows and columns counted from `base`.
  void set_matrix(const Upper& matrix, int base = 1) {
    n = matrix.n;
    a = matrix.value;
    ia.assign(matrix.begin.begin(), matrix.begin.end());
    ja.assign(matrix.column.begin(), matrix.column.end());
    for (long& number : ia) number += base;
    for (long& number : ja) number += base;
    if (door_ != Door::panua) parameter(35) = base == 0 ? 1 : 0;
  }

  /// Calls the solver and returns its error code.
  int call(int phase) {
    return door_ == Door::mkl_64 ? call_with<std::int64_t>(phase) : call_with<int>(phase);
  }

  /// Runs the phases and returns the first error code that is not 0.
  int run(std::initializer_list<int> phases) {
    for (const int phase : phases) {
      if (const int error = call(phase); error != 0) return error;
    }
    return 0;
  }

  long maxfct = 1;
  long mnum = 1;
  long mtype;
  long n = 0;
  long nrhs = 1;
  long msglvl = 0;
  std::vector<double> a;
  std::vector<long> ia;
  std::vector<long> ja;
  std::vector<long> perm;
  std::vector<double> b;
  std::vector<double> x;
  std::array<void*, 64> pt{};
  std::array<double, 64> dparm{};

 private:
  void initialize() {
    pt.fill(this);  // pardisoinit() must empty the handle
    std::array<int, 64> numbers{};
    const auto type = static_cast<int>(mtype);
    if (door_ == Door::panua) {
      using Initialize = void(void*, const int*, const int*, int*, double*, int*);
      int error = 77;
      const int direct = 0;
      panua().function<Initialize>("pardisoinit")(pt.data(), &type, &direct, numbers.data(),
                                                  dparm.data(), &error);
      EXPECT_EQ(error, 0);
    } else {
      using Initialize = void(void*, const int*, int*);
      mkl().function<Initialize>("pardisoinit")(pt.data(), &type, numbers.data());
    }
    std::ranges::copy(numbers, iparm_.begin());
  }

  template <class Int>
  static std::vector<Int> as(const auto& numbers) {
    return std::vector<Int>(numbers.begin(), numbers.end());
  }

  template <class Int>
  int call_with(int phase) {
    const auto given = as<Int>(std::array{maxfct, mnum, mtype, long{phase}, n, nrhs, msglvl});
    const std::vector<Int> rows = as<Int>(ia);
    const std::vector<Int> columns = as<Int>(ja);
    std::vector<Int> order = as<Int>(perm);
    std::vector<Int> numbers = as<Int>(iparm_);
    Int error = 77;
    const auto pointer = [](auto& array) { return array.empty() ? nullptr : array.data(); };
    const auto arguments = [&](auto function, auto... rest) {
      function(pt.data(), &given[0], &given[1], &given[2], &given[3], &given[4], pointer(a),
               pointer(rows), pointer(columns), pointer(order), &given[5], numbers.data(),
               &given[6], pointer(b), pointer(x), &error, rest...);
    };
    if constexpr (sizeof(Int) == 8) {
      arguments(mkl().function<MklFunction<Int>>("pardiso_64"));
    } else if (door_ == Door::mkl) {
      arguments(mkl().function<MklFunction<Int>>("pardiso_"));
    } else {
      arguments(panua().function<PanuaFunction>("pardiso"), dparm.data());
    }
    std::ranges::copy(numbers, iparm_.begin());
    std::ranges::copy(order, perm.begin());
    return static_cast<int>(error);
  }

  Door door_;
  std::array<long, 64> iparm_{};
};

/// Returns `count` right-hand sides whose solutions have entries of magnitude up to 1.
inline std::vector<double> right_hand_sides(const Upper& matrix, int count) {
  std::vector<double> all;
  for (int r = 0; r < count; ++r) {
    std::vector<double> x(static_cast<std::size_t>(matrix.n));
    for (int i = 0; i < matrix.n; ++i) x[i] = std::cos(i + 1.0 + 10.0 * r);
    const std::vector<double> b = matrix.multiply(x.data());
    all.insert(all.end(), b.begin(), b.end());
  }
  return all;
}

/// Returns the largest error of solutions of right_hand_sides().
inline double largest_error(const Upper& matrix, const std::vector<double>& x) {
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto n = static_cast<std::size_t>(matrix.n);
    const double exact =
        std::cos(static_cast<double>(k % n) + 1.0 + 10.0 * static_cast<double>(k / n));
    const double error = std::abs(x[k] - exact);
    if (!(error <= largest)) largest = error;  // also if the error is NaN
  }
  return largest;
}

}  // namespace caller
