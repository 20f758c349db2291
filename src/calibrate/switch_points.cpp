// SPDX-License-Identifier: BSD-3-Clause

#include <numeric>
#include <span>

#include "calibrate/probe_series.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::internal {

namespace {

/// Minimum saving of another switch point, as a fraction of the time.
constexpr double worth_switching = 0.03;
constexpr Index largest_order = size_of(width_classes - 1);
/// Typical size of a block in large supernodes.
constexpr Index block_rows = 512;
constexpr Index block_columns = 256;

/// Adds each order whose algorithm depends on the switch point.
void add_triangles(Series& series, ProbeMemory& memory) {
  for (Index n = 2 * SwitchPoints::triangles.front(); n <= largest_order; n *= 2) {
    series.add(guess(flops::potrf(n)), potrf_of(memory, n));
    series.add(guess(flops::trsm(block_rows, n)), trsm_of(memory, block_rows, n));
  }
}

void add_updates(Series& series, ProbeMemory& memory) {
  for (Index k = SwitchPoints::updates.front(); k <= largest_order; k *= 2) {
    series.add(guess(flops::gemm(block_rows, block_columns, k)),
               gemm_of(memory, block_rows, block_columns, k, 1));
  }
}

/// Chooses one switch point after the other.
class SwitchSearch {
 public:
  SwitchSearch(const StarpuInstance& starpu, ProbeMemory& memory, Index samples)
      : starpu_(starpu), memory_(memory), samples_(samples) {}

  const SwitchPoints& best() const { return best_; }

  /// Chooses the value for which the kernels of the series take the least total time.
  void choose(Index SwitchPoints::*point, std::span<const Index> values,
              void (*add)(Series&, ProbeMemory&)) {
    const Index before = best_.*point;
    double least = (1 - worth_switching) * seconds_with(best_, add);
    for (const Index value : values) {
      if (value == before) continue;
      SwitchPoints other = best_;
      other.*point = value;
      const double seconds = seconds_with(other, add);
      if (seconds >= least) continue;
      least = seconds;
      best_ = other;
    }
  }

 private:
  double seconds_with(const SwitchPoints& points, void (*add)(Series&, ProbeMemory&)) {
    memory_.context.kernels = &cpu::kernels_with(points);
    Series series(starpu_, memory_, samples_);
    add(series, memory_);
    const std::vector<double> seconds = series.seconds();
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
  }

  const StarpuInstance& starpu_;
  ProbeMemory& memory_;
  Index samples_;
  SwitchPoints best_;
};

}  // namespace

SwitchPoints KernelProbes::switch_points() {
  SwitchSearch search(starpu_, *memory_, samples_);
  search.choose(&SwitchPoints::whole_triangle, SwitchPoints::triangles, add_triangles);
  search.choose(&SwitchPoints::blas_update, SwitchPoints::updates, add_updates);
  memory_->context.kernels = &cpu::kernels_with(search.best());
  return search.best();
}

}  // namespace espalier::internal
