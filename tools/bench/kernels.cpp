// SPDX-License-Identifier: BSD-3-Clause
// Prints rates of the dense kernels by shape, for every instruction set of this processor, beside
// the BLAS.
#include "codelets/kernels.hpp"

#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/dense.hpp"
#include "base/memory.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/simd/instruction_sets.hpp"
#include "codelets/cpu/simd/kernels.hpp"

extern "C" {
[[gnu::weak]] void dpotrf_(const char*, const int*, double*, const int*, int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace espalier::internal::bench {
namespace {

struct Settings {
  std::vector<std::string> shapes;
  std::vector<std::string> sets;
  Index run = 0;
  Index gap = 5;
  bool cold = false;
  int samples = 9;
  double milliseconds = 2;
  std::string json;
};

/// One kernel with its dimensions: potrf:K, trsm:MxK, gemm:MxNxK or syrk:MxNxK.
struct Shape {
  std::string kernel;
  Index m = 0, n = 0, k = 0;

  double flops() const {
    if (kernel == "potrf") return flops::potrf(k);
    if (kernel == "trsm") return flops::trsm(m, k);
    return kernel == "syrk" ? flops::trapezoid(m, n, k) : flops::gemm(m, n, k);
  }
};

Shape parsed(const std::string& text) {
  const auto colon = text.find(':');
  Shape shape{text.substr(0, colon)};
  const std::string sizes = colon == std::string::npos ? "" : text.substr(colon + 1);
  int count = 0;
  int end = 0;
  if (shape.kernel == "potrf") {
    count = std::sscanf(sizes.c_str(), "%d%n", &shape.k, &end) == 1 ? end : -1;
  } else if (shape.kernel == "trsm") {
    count = std::sscanf(sizes.c_str(), "%dx%d%n", &shape.m, &shape.k, &end) == 2 ? end : -1;
  } else if (shape.kernel == "gemm" || shape.kernel == "syrk") {
    const int read = std::sscanf(sizes.c_str(), "%dx%dx%d%n", &shape.m, &shape.n, &shape.k, &end);
    count = read == 3 ? end : -1;
  }
  const bool sound = count == static_cast<int>(sizes.size()) && count > 0 && shape.k > 0 &&
                     shape.m >= 0 && shape.n >= 0 && (shape.kernel != "syrk" || shape.m >= shape.n);
  if (!sound) {
    throw CLI::ValidationError(text, "is not potrf:K, trsm:MxK, gemm:MxNxK or syrk:MxNxK (M >= N)");
  }
  return shape;
}

using Trsm = void (*)(ConstMatrixView, MatrixView, std::span<double>) noexcept;
using Potrf = PivotReport (*)(MatrixView) noexcept;
using Update = void (*)(const UpdateArguments&) noexcept;

/// Kernels of one instruction set, or of the BLAS: one column of the table.
struct Contestant {
  std::string name;
  Potrf potrf;
  Trsm trsm;
  Update update;
};

template <const simd::SmallKernels& set>
Contestant instruction_set() {
  return {set.instruction_set, set.potrf, set.trsm, set.update};
}

PivotReport blas_potrf(MatrixView a) noexcept {
  const int ld = static_cast<int>(a.ld);
  int info = 0;
  dpotrf_("L", &a.columns, a.data, &ld, &info);
  return {info > 0 ? info - 1 : -1};
}

void blas_trsm(ConstMatrixView l, MatrixView b, std::span<double>) noexcept {
  const int ldl = static_cast<int>(l.ld);
  const int ldb = static_cast<int>(b.ld);
  const double one = 1;
  dtrsm_("R", "L", "T", "N", &b.rows, &b.columns, &one, l.data, &ldl, b.data, &ldb);
}

/// C := beta C + alpha A Bᵀ; with `lower`, SYRK for the square on top.
void blas_product(ConstMatrixView a, ConstMatrixView b, bool lower, double alpha, double beta,
                  MatrixView c) noexcept {
  const int lda = static_cast<int>(a.ld);
  const int ldb = static_cast<int>(b.ld);
  const int ldc = static_cast<int>(c.ld);
  const Index top = lower ? b.rows : 0;
  const Index below = a.rows - top;
  if (top > 0) dsyrk_("L", "N", &top, &a.columns, &alpha, a.data, &lda, &beta, c.data, &ldc);
  if (below > 0) {
    dgemm_("N", "T", &below, &b.rows, &a.columns, &alpha, a.data + top, &lda, b.data, &ldb, &beta,
           c.data + top, &ldc);
  }
}

/// Updates in place if there are no maps. Otherwise computes a product in the buffer and scatters
/// it.
void blas_update(const UpdateArguments& given) noexcept {
  const auto& [a, b, lower, target, buffer, sign] = given;
  if (target.row == nullptr) {
    blas_product(a, b, lower, -1, 1, {target.data, a.rows, b.rows, target.ld});
    return;
  }
  const MatrixView product{buffer.data(), a.rows, b.rows, a.rows};
  blas_product(a, b, lower, 1, 0, product);
  for (Index j = 0; j < product.columns; ++j) {
    double* const to = target.data + j * target.ld;
    const double* const from = product.column(j);
    for (Index i = lower ? j : 0; i < product.rows; ++i) to[target.row[i]] -= from[i];
  }
}

std::vector<Contestant> contestants(const std::vector<std::string>& wanted) {
  std::vector<Contestant> all{instruction_set<simd::portable_kernels>()};
#ifdef __x86_64__
  if (simd::has_avx2()) all.push_back(instruction_set<simd::avx2_kernels>());
  if (simd::has_avx512()) all.push_back(instruction_set<simd::avx512_kernels>());
#endif
  all.push_back({"BLAS", dpotrf_ != nullptr ? blas_potrf : nullptr, blas_trsm, blas_update});
  if (wanted.empty()) return all;
  std::erase_if(all, [&](const Contestant& c) {
    return std::find(wanted.begin(), wanted.end(), c.name) == wanted.end();
  });
  return all;
}

double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Copies of the operands of one shape. The factor of the identity is the identity and leaves B
/// unchanged, so that kernels that work in place can be repeated.
class Operands {
 public:
  Operands(const Shape& shape, const Settings& settings)
      : shape_(shape),
        ld_(std::max({shape.m, shape.n, shape.k}) + 3),
        buffer_(std::max<Count>(update_buffer_entries, Count{shape.m} * shape.n)),
        row_(shape.m),
        mapped_(settings.run > 0 && shape.m > 0) {
    for (Index i = 0; i < shape.m; ++i) {
      row_[i] = settings.run > 0 ? i + i / settings.run * settings.gap : i;
    }
    memory_ = Buffer(settings.cold ? std::max(cold_entries, place()) : place());
    std::fill_n(memory_.data(), memory_.size(), 1e-3);
    for (Count at = 0; at + place() <= memory_.size(); at += place()) {
      ++places_;
      const MatrixView l{memory_.data() + at, shape.k, shape.k, ld_};
      for (Index j = 0; j < shape.k; ++j) {
        for (Index i = 0; i < shape.k; ++i) l(i, j) = i == j ? 1 : 0;
      }
    }
  }

  void run(const Contestant& c) {
    double* const begin = memory_.data() + at_ * place();
    at_ = (at_ + 1) % places_;
    const MatrixView l{begin, shape_.k, shape_.k, ld_};
    const MatrixView a{begin + ld_ * shape_.k, shape_.m, shape_.k, ld_};
    if (shape_.kernel == "potrf") {
      c.potrf(l);
    } else if (shape_.kernel == "trsm") {
      c.trsm(l, a, buffer_.span());
    } else {
      const bool lower = shape_.kernel == "syrk";
      const ConstMatrixView b =
          lower ? a.row_range(0, shape_.n) : MatrixView{begin, shape_.n, shape_.k, ld_};
      const ScatterTarget target{begin + 2 * ld_ * shape_.k, target_ld(),
                                 mapped_ ? row_.data() : nullptr, nullptr};
      c.update({a, b, lower, target, buffer_.span()});
    }
  }

 private:
  static constexpr Count cold_entries = Count{1} << 25;

  Count target_ld() const { return mapped_ ? row_.back() + 4 : ld_; }
  Count place() const { return ld_ * 2 * shape_.k + target_ld() * shape_.n; }

  Shape shape_;
  Count ld_;
  Buffer memory_;
  Buffer buffer_;
  std::vector<Index> row_;
  bool mapped_;
  Count places_ = 0;
  Count at_ = 0;
};

/// Returns the Gflop/s of the fastest sample; 0 for the factorization of a BLAS without LAPACK.
double rate(const Contestant& c, const Shape& shape, const Settings& settings) {
  if (shape.kernel == "potrf" && c.potrf == nullptr) return 0;
  Operands operands(shape, settings);
  double best = 0;
  Count repeats = 1;
  for (int sample = -1; sample < settings.samples;) {
    const double start = thread_seconds();
    for (Count r = 0; r < repeats; ++r) operands.run(c);
    const double seconds = thread_seconds() - start;
    if (sample < 0 && seconds * 1e3 < settings.milliseconds) {
      repeats *= 2;
      continue;
    }
    ++sample;
    best = std::max(best, shape.flops() * static_cast<double>(repeats) / seconds * 1e-9);
  }
  return best;
}

std::vector<std::string> default_shapes() {
  std::vector<std::string> shapes;
  for (const Index k : {4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    shapes.push_back(fmt::format("potrf:{}", k));
  }
  for (const Index k : {4, 8, 16, 32, 64, 128, 256, 512}) {
    for (const Index m : {24, 200, 1000}) shapes.push_back(fmt::format("trsm:{}x{}", m, k));
  }
  for (const char* kernel : {"gemm", "syrk"}) {
    for (const Index k : {4, 8, 16, 32, 64, 128, 256, 512}) {
      for (const auto& [m, n] : {std::pair{30, 9}, {100, 30}, {300, 100}, {1000, 250}}) {
        shapes.push_back(fmt::format("{}:{}x{}x{}", kernel, m, n, k));
      }
    }
  }
  return shapes;
}

void compare(const Settings& settings) {
  const SingleThreadedBlas single_threaded;
  const std::vector<Contestant> all = contestants(settings.sets);
  std::vector<Shape> shapes;
  for (const auto& text : settings.shapes.empty() ? default_shapes() : settings.shapes) {
    shapes.push_back(parsed(text));
  }
  fmt::print("Gflop/s on one core, {} operands, {}\n", settings.cold ? "cold" : "warm",
             settings.run > 0 ? fmt::format("targets in runs of {} rows", settings.run)
                              : std::string("contiguous targets"));
  fmt::print("{:<8}{:>6}{:>6}{:>6}", "kernel", "m", "n", "k");
  for (const Contestant& c : all) fmt::print("{:>10}", c.name);
  fmt::print("\n");
  auto json = nlohmann::json::array();
  for (const Shape& shape : shapes) {
    fmt::print("{:<8}{:>6}{:>6}{:>6}", shape.kernel, shape.m, shape.n, shape.k);
    nlohmann::json entry{{"kernel", shape.kernel}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
    for (const Contestant& c : all) {
      const double gflops = rate(c, shape, settings);
      entry["gflops"][c.name] = gflops;
      fmt::print("{:>10.1f}", gflops);
      std::fflush(stdout);
    }
    fmt::print("\n");
    json.push_back(entry);
  }
  if (!settings.json.empty()) std::ofstream(settings.json) << json.dump(1) << '\n';
}

}  // namespace
}  // namespace espalier::internal::bench

// NOLINTNEXTLINE(bugprone-exception-escape): an exception ends the program with its message
int main(int count, char** arguments) {
  using espalier::internal::bench::Settings;
  Settings settings;
  CLI::App app("Rates of the dense kernels by shape, beside the BLAS with one thread");
  app.add_option("shapes", settings.shapes,
                 "potrf:K, trsm:MxK, gemm:MxNxK or syrk:MxNxK; default: shapes of real supernodes");
  app.add_option("--set", settings.sets, "columns to print: portable, AVX2, AVX-512, BLAS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--run", settings.run, "scatter into runs of this number of rows; 0: contiguous")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--cold", settings.cold, "use 256 MiB of operands in turn");
  app.add_option("--samples", settings.samples, "number of samples; the fastest one counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--milliseconds", settings.milliseconds, "minimum length of a sample")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", settings.json, "write the rates to a file");
  app.callback([&] { espalier::internal::bench::compare(settings); });
  CLI11_PARSE(app, count, arguments);
}
