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

/// Costs of initialising a panel from A; see CostTable.
struct FillSeconds {
  double entry;
  double taken;
  double line;
};

/// Measures the costs of the kernels inside StarPU's tasks, with all CPU workers busy. For this,
/// the object runs the tasks of the factorization on generated panels. Every sample takes other
/// operands from an array larger than the caches, but a source serves several consecutive updates,
/// as in a factorization.
class KernelProbes {
 public:
  /// Takes `samples` samples of each size. Allocates 80 MiB per worker, and 32 MiB for all workers
  /// together.
  KernelProbes(const StarpuInstance& starpu, Index samples);
  ~KernelProbes();
  KernelProbes(const KernelProbes&) = delete;
  KernelProbes& operator=(const KernelProbes&) = delete;

  /// Returns the switch points for which large triangles and updates take the least time. Keeps the
  /// defaults of SwitchPoints if others save less than the noise of the machine. Later measurements
  /// use the result.
  SwitchPoints switch_points();

  CostGrid potrf();
  CostGrid trsm();
  CostGrid syrk(Target target);
  CostGrid gemm(Target target);
  CostGrid gemm_alone();  ///< F(m, n, k) of HALO, into consecutive rows and columns
  CostGrid scatter();     ///< B(b_x, b_y) of HALO, by tasks R; seconds per entry
  FillSeconds fill() const;
  double read() const;  ///< seconds per entry of L that is streamed from memory
  double task() const;  ///< seconds of a worker for a task without work

  /// Returns the kernels whose repeated timings still differed by more than most_spread after more
  /// rounds.
  const std::vector<UnsteadyKernel>& unsteady() const { return unsteady_; }

 private:
  const StarpuInstance& starpu_;
  Index samples_;
  std::unique_ptr<ProbeMemory> memory_;
  std::vector<UnsteadyKernel> unsteady_;
};

/// Returns the mean of the samples within three scaled median deviations of the median (Rousseeuw
/// and Croux, J. Am. Stat. Assoc. 88, 1993). Reorders the samples. There must be at least one.
double robust_mean(std::vector<double>& samples);

struct DeviceBench;

/// Measures the costs of the first device with tasks that write a generated shadow there, under the
/// policy halo. The device measures the seconds of its kernels, the host all other costs.
class DeviceProbes {
 public:
  /// Takes `samples` samples of each size of each kernel. Allocates 230 MiB.
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
