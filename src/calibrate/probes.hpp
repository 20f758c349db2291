// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "base/cost_table.hpp"
#include "calibrate/rounds.hpp"
#include "mapping/kernel_cost.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

struct ProbeMemory;

/// What initialising a panel from A costs; see CostTable.
struct FillSeconds {
  double entry;
  double taken;
  double line;
};

/// Measures what the kernels cost inside of StarPU's tasks, with all CPU workers at it, by running
/// the tasks of the factorization on made-up panels. Every sample takes other operands from an
/// array larger than the caches, but a source serves some updates in a row, as in a factorization.
class KernelProbes {
 public:
  /// Takes so many samples for each size. Allocates 64 MiB a worker.
  KernelProbes(const StarpuInstance& starpu, Index samples);
  ~KernelProbes();
  KernelProbes(const KernelProbes&) = delete;
  KernelProbes& operator=(const KernelProbes&) = delete;

  /// Returns the switch points with which wide triangles and updates take the least time, those of
  /// SwitchPoints where others save less than the machine's noise. All that is measured after it
  /// is measured with them.
  SwitchPoints switch_points();

  CostGrid potrf();
  CostGrid trsm();
  CostGrid syrk(Target target);
  CostGrid gemm(Target target);
  CostGrid gemm_alone();  ///< F(m, n, k) of HALO, into consecutive rows and columns
  CostGrid scatter();     ///< B(b_x, b_y) of HALO, by tasks R; seconds for an entry
  FillSeconds fill() const;
  double read() const;  ///< seconds for an entry of L that is streamed from memory
  double task() const;  ///< seconds of a worker for a task that does nothing

  /// Returns those of them so far whose repeats differed by more than most_spread, also when they
  /// were taken again.
  const std::vector<UnsteadyKernel>& unsteady() const { return unsteady_; }

 private:
  const StarpuInstance& starpu_;
  Index samples_;
  std::unique_ptr<ProbeMemory> memory_;
  std::vector<UnsteadyKernel> unsteady_;
};

/// The mean of the samples within three scaled median deviations of the median (Rousseeuw and
/// Croux, J. Am. Stat. Assoc. 88, 1993). Reorders them; there is at least one.
double robust_mean(std::vector<double>& samples);

struct DeviceBench;

/// Measures what the first device costs by tasks that write a made-up shadow there, under the
/// policy halo: the seconds that the device says its kernels took, and what the host sees on top.
class DeviceProbes {
 public:
  /// Takes so many samples for each size of each kernel. Allocates 230 MiB.
  DeviceProbes(const StarpuInstance& starpu, Index samples);
  ~DeviceProbes();
  DeviceProbes(const DeviceProbes&) = delete;
  DeviceProbes& operator=(const DeviceProbes&) = delete;

  DeviceTable measure() const;

 private:
  std::unique_ptr<DeviceBench> bench_;
  Index samples_;
};

}  // namespace espalier::internal
