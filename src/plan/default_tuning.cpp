// SPDX-License-Identifier: BSD-3-Clause
#include "plan/default_tuning.hpp"

#include <algorithm>

#include "base/dense.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

namespace {

constexpr Index front = tuned_constants.front;

/// Predicted seconds of tasks on a device, from its kernels and its history. If the device's POTRF
/// or TRSM was not measured, D or F uses the host's kernel times, as in DeviceSeconds.
class FrontSeconds {
 public:
  FrontSeconds(const DeviceTable& table, const KernelCost& host)
      : table_(table),
        kernels_(kernels_on(table, host)),
        diagonal_(table.potrf.seconds.empty() ? host : kernels_),
        factor_(table.trsm.seconds.empty() ? host : kernels_) {}

  /// Returns the seconds of all D, F and U of a dense matrix of `front` columns, cut into panels of
  /// this width.
  double in_panels_of(Index width) const {
    double seconds = 0;
    for (Index end = width; end <= front; end += width) {
      seconds += task(TaskKind::diagonal, diagonal_.potrf(width), flops::potrf(width));
      const Index below = 2 * front - end;
      seconds += task(TaskKind::factor, factor_.trsm(below, width), flops::trsm(below, width));
      for (Index rows = below; rows > 0; rows -= width) {
        seconds += task(TaskKind::update, kernels_.update(rows, width, width),
                        flops::trapezoid(rows, width, width));
      }
    }
    return seconds;
  }

 private:
  double task(TaskKind kind, double kernels, double flops) const {
    constexpr double entries = 1.5 * front * front;
    return table_.task + kernels * table_.history.factor({kind, flops, kernels, entries});
  }

  const DeviceTable& table_;
  KernelCost kernels_;
  KernelCost diagonal_;
  KernelCost factor_;
};

}  // namespace

Tuning default_tuning(const DeviceTable* devices, const KernelCost& host, Index widest_panel) {
  constexpr Index wide = tuned_constants.wide_panel;
  Tuning tuning;
  if (devices == nullptr || widest_panel == 0) return tuning;
  tuning.panel_width = std::min(wide, widest_panel);
  if (!devices->measured() || widest_panel <= wide) return tuning;
  const FrontSeconds seconds(*devices, host);
  if (seconds.in_panels_of(widest_panel) < seconds.in_panels_of(wide)) {
    tuning.panel_width = widest_panel;
  }
  return tuning;
}

}  // namespace espalier::internal
