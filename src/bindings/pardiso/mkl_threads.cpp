// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "bindings/pardiso/run.hpp"
#include "bindings/pardiso/workers.hpp"
#include "espalier/export.hpp"

/// The functions of MKL for threads. Their threads are the workers of StarPU, which starts at the
/// first factorization: numbers that are set later count for the next start. The functions with
/// small letters take pointers, as Fortran does; those with capital letters take values, as C does.

using namespace espalier::internal;  // NOLINT: the functions below are in the global namespace

namespace {

/// Parts of MKL with separate numbers of threads. This library has only the last one.
enum Domain { all_domains = 0, pardiso_domain = 4 };

constexpr int success = 1;
constexpr int failure = 0;

/// Whether MKL may use fewer threads than it was allowed. Kept only for mkl_get_dynamic(), because
/// StarPU never changes the number of its workers.
std::atomic<int> dynamic{1};

int set_domain_threads(int threads, int domain) {
  WantedWorkers wanted = wanted_workers();
  switch (domain) {
    case all_domains: wanted.everywhere = threads; break;
    case pardiso_domain: wanted.for_pardiso = threads; break;
    default: return failure;
  }
  want_workers(wanted);
  return success;
}

}  // namespace

extern "C" {

ESPALIER_EXPORT void MKL_Set_Num_Threads(int threads) {
  guarded(false, [&] { set_domain_threads(threads, all_domains); });
}
ESPALIER_EXPORT void mkl_set_num_threads(const int* threads) {
  guarded(false, [&] { set_domain_threads(expect_given(threads, "threads"), all_domains); });
}

/// Returns the number that the calling thread had set before; 0 means none.
ESPALIER_EXPORT int MKL_Set_Num_Threads_Local(int threads) {
  return want_workers_in_this_thread(threads);
}
ESPALIER_EXPORT int mkl_set_num_threads_local(const int* threads) {
  return want_workers_in_this_thread(threads == nullptr ? 0 : *threads);
}

/// Returns 1, or 0 if the domain is another part of MKL, which this library does not have.
ESPALIER_EXPORT int MKL_Domain_Set_Num_Threads(int threads, int domain) {
  int result = failure;
  guarded(false, [&] { result = set_domain_threads(threads, domain); });
  return result;
}
ESPALIER_EXPORT int mkl_domain_set_num_threads(const int* threads, const int* domain) {
  if (threads == nullptr || domain == nullptr) return failure;
  return MKL_Domain_Set_Num_Threads(*threads, *domain);
}

/// Returns the number of workers of the running StarPU, or the number that it would start with.
ESPALIER_EXPORT int MKL_Get_Max_Threads(void) {
  int workers = 1;
  guarded(false, [&] { workers = expected_workers(); });
  return workers;
}
ESPALIER_EXPORT int MKL_Domain_Get_Max_Threads(int domain) {
  return domain == all_domains || domain == pardiso_domain ? MKL_Get_Max_Threads() : 1;
}
ESPALIER_EXPORT int mkl_domain_get_max_threads(const int* domain) {
  return MKL_Domain_Get_Max_Threads(domain == nullptr ? all_domains : *domain);
}

ESPALIER_EXPORT void MKL_Set_Dynamic(int on) { dynamic = on; }
ESPALIER_EXPORT void mkl_set_dynamic(const int* on) {
  if (on != nullptr) dynamic = *on;
}
ESPALIER_EXPORT int MKL_Get_Dynamic(void) { return dynamic; }

/// Returns 0, the layer with integers of 32 bits, or -1 if the caller asks for integers of 64 bits:
/// these are in pardiso_64() only.
ESPALIER_EXPORT int MKL_Set_Interface_Layer(int layer) {
  constexpr int wide_integers = 1;
  return (layer & wide_integers) == 0 ? 0 : -1;
}

/// Returns the layer. The sequential layer, 1, makes StarPU start with one worker; the other layers
/// name libraries for threads, and StarPU has its own threads.
ESPALIER_EXPORT int MKL_Set_Threading_Layer(int layer) {
  constexpr int sequential = 1;
  if (layer == sequential) MKL_Set_Num_Threads(1);
  return layer;
}

ESPALIER_EXPORT decltype(MKL_Get_Max_Threads) mkl_get_max_threads
    __attribute__((alias("MKL_Get_Max_Threads")));
ESPALIER_EXPORT decltype(MKL_Get_Dynamic) mkl_get_dynamic __attribute__((alias("MKL_Get_Dynamic")));
}
