// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <string_view>
#include <vector>

#include "codelets/cpu/simd/instruction_sets.hpp"

extern "C" {
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
// A routine of LAPACK, which some libraries do not have.
[[gnu::weak]] void dpotrf_(const char*, const int*, double*, const int*, int*);
}

namespace espalier::internal::blas {

namespace {

constexpr double one = 1;
constexpr double minus_one = -1;

const char* letter(Op op) { return op == Op::none ? "N" : "T"; }

/// Returns the leading dimension. BLAS requires at least 1, also for an empty matrix.
template <class T>
int leading(const BasicMatrixView<T>& a) {
  return a.ld > 0 ? static_cast<int>(a.ld) : 1;
}

}  // namespace

bool has_potrf() { return dpotrf_ != nullptr; }

PivotReport potrf(MatrixView a) noexcept {
  const int lda = leading(a);
  int info = 0;
  dpotrf_("L", &a.columns, a.data, &lda, &info);
  if (info > 0) return {info - 1};
  for (Index j = 0; j < a.columns; ++j) {  // some libraries do not notice NaN
    if (!(a(j, j) > 0)) return {j};
  }
  return {};
}

void trsm(Op op, ConstMatrixView l, MatrixView b) noexcept {
  const int ldl = leading(l);
  const int ldb = leading(b);
  dtrsm_("R", "L", letter(op), "N", &b.rows, &b.columns, &one, l.data, &ldl, b.data, &ldb);
}

void syrk(ConstMatrixView a, MatrixView c) noexcept {
  const int lda = leading(a);
  const int ldc = leading(c);
  dsyrk_("L", "N", &a.rows, &a.columns, &minus_one, a.data, &lda, &one, c.data, &ldc);
}

void gemm(Op op, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept {
  const int lda = leading(a);
  const int ldb = leading(b);
  const int ldc = leading(c);
  dgemm_("N", letter(op), &c.rows, &c.columns, &a.columns, &minus_one, a.data, &lda, b.data, &ldb,
         &one, c.data, &ldc);
}

}  // namespace espalier::internal::blas

// Functions of some libraries beyond the Fortran interface. A function is null if the linked
// library does not have it.
extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] void openblas_set_num_threads(int threads);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] void* blas_memory_alloc(int unused);
[[gnu::weak]] void blas_memory_free(void* buffer);
[[gnu::weak]] int MKL_Get_Max_Threads(void);
[[gnu::weak]] void MKL_Set_Num_Threads(int threads);
[[gnu::weak]] void MKL_Get_Version_String(char* text, int length);
// BLIS and AOCL. The width of their integers depends on their build, so only the lower half is
// valid.
[[gnu::weak]] std::int64_t bli_thread_get_num_threads(void);
[[gnu::weak]] void bli_thread_set_num_threads(std::int64_t threads);
[[gnu::weak]] const char* bli_info_get_version_str(void);
}

namespace espalier::internal {

namespace {

struct Users {
  std::mutex mutex;
  int count = 0;
  int threads_before = 1;
};

Users& users() {
  static Users object;
  return object;
}

/// Returns the number of threads that the library uses, or 1 if it does not report it.
int blas_threads() {
  if (openblas_get_num_threads != nullptr) return openblas_get_num_threads();
  if (MKL_Get_Max_Threads != nullptr) return MKL_Get_Max_Threads();
  if (bli_thread_get_num_threads != nullptr) return static_cast<int>(bli_thread_get_num_threads());
  return 1;
}

void set_blas_threads(int threads) {
  if (openblas_set_num_threads != nullptr) return openblas_set_num_threads(threads);
  if (MKL_Set_Num_Threads != nullptr) return MKL_Set_Num_Threads(threads);
  if (bli_thread_set_num_threads != nullptr) bli_thread_set_num_threads(threads);
}

/// Returns the name of the library's file, such as "libblas.so.3.11.0".
std::string library_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&dgemm_), &info) == 0) return "unknown";
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : file.filename().string();
}

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (all.count++ > 0) return;
  all.threads_before = blas_threads();
  if (all.threads_before != 1) set_blas_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (--all.count == 0 && all.threads_before != 1) set_blas_threads(all.threads_before);
}

namespace {

/// Returns the number of buffers for which OpenBLAS has slots: two per thread that it was built
/// for. OpenBLAS prints a warning when it must add slots.
Index places_for_blas_buffers() {
  constexpr std::string_view key = "MAX_THREADS=";
  const std::string_view config = openblas_get_config != nullptr ? openblas_get_config() : "";
  const std::size_t at = config.find(key);
  Index threads = 1;
  if (at != std::string_view::npos) {
    const std::string_view number = config.substr(at + key.size());
    std::from_chars(number.data(), number.data() + number.size(), threads);
  }
  return 2 * threads;
}

}  // namespace

void take_blas_buffers(Index threads) {
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  threads = std::min(threads, places_for_blas_buffers());
  std::vector<void*> taken(static_cast<std::size_t>(threads));
  for (void*& buffer : taken) buffer = blas_memory_alloc(0);
  for (void* const buffer : taken) blas_memory_free(buffer);  // kept for the next call
}

namespace {

/// Returns the processor for which OpenBLAS chose its kernels, or an empty text for other
/// libraries.
std::string_view blas_core() {
  return openblas_get_corename != nullptr ? openblas_get_corename() : "";
}

/// Returns the name and the version without the options of the build: "OpenBLAS 0.3.21
/// (Cooperlake)".
std::string openblas_description() {
  std::istringstream config(openblas_get_config());
  std::string name;
  std::string version;
  config >> name >> version;
  return fmt::format("{} {} ({})", name, version, blas_core());
}

}  // namespace

std::string blas_description() {
  if (openblas_get_config != nullptr) return openblas_description();
  if (MKL_Get_Version_String != nullptr) {
    std::array<char, 200> text{};
    MKL_Get_Version_String(text.data(), static_cast<int>(text.size()) - 1);
    return text.data();
  }
  if (bli_info_get_version_str != nullptr) return std::string("BLIS ") + bli_info_get_version_str();
  return library_file();
}

std::string better_blas_core() {
#ifdef __x86_64__
  // Processors that OpenBLAS falls back to if it does not know the real one.
  constexpr std::array<std::string_view, 6> slow{"Prescott", "Core2",     "Nehalem",
                                                 "Atom",     "Barcelona", "Sandybridge"};
  if (!simd::has_avx2() || std::find(slow.begin(), slow.end(), blas_core()) == slow.end()) {
    return "";
  }
  const bool wide = simd::has_avx512() && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? "SkylakeX" : "Haswell";
#else
  return "";
#endif
}

std::string blas_advice() {
  const std::string better = better_blas_core();
  if (better.empty()) return "";
  return "OpenBLAS takes this processor for an older one (" + std::string(blas_core()) +
         ") and is slow; set " + blas_core_variable + "=" + better;
}

}  // namespace espalier::internal
