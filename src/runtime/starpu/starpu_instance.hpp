// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codelets/cuda/functions.hpp"
#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "perfmodels/cost_model.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "runtime/starpu/device_facts.hpp"
#include "runtime/starpu/mutex.hpp"
#include "schedulers/options.hpp"
#include "schedulers/traits.hpp"

namespace espalier::internal {

/// Returns the bytes of a memory that belong to the other ranks, if `ranks` ranks share its `total`
/// bytes in equal parts.
constexpr Count part_of_others(Count total, Index ranks) { return total - total / ranks; }

/// Returns the number of CPU workers that get a core each if `others` other threads, such as
/// drivers of CUDA devices, also need a core each. At least 1.
constexpr Index workers_besides_drivers(std::size_t others, std::size_t cores) {
  return cores > others ? static_cast<Index>(cores - others) : 1;
}

/// Reserves, during its lifetime, the parts of device memory that belong to other ranks. StarPU
/// counts these parts as in use. When the rest is full, StarPU evicts the data that it needs least.
/// StarPU must run in the constructor and in the destructor.
class SharedMemories {
 public:
  explicit SharedMemories(std::span<const SharedDevice> devices);
  ~SharedMemories();
  SharedMemories(const SharedMemories&) = delete;
  SharedMemories& operator=(const SharedMemories&) = delete;

 private:
  std::vector<std::pair<unsigned, std::size_t>> left_;  ///< memory node, reserved bytes
};

/// Kind of processor of a worker.
enum class WorkerType { cpu, coprocessor, cuda };

/// Starts and stops StarPU, and everything else that starts and stops together with its workers.
class StarpuLauncher {
 public:
  virtual ~StarpuLauncher() = default;
  /// Returns 0, or the error code of StarPU. Must not be called if StarPU already runs.
  virtual int start(starpu_conf& conf);
  virtual void stop();
  /// Called just before the workers wake up, and just before they go to sleep. Any thread may call
  /// these functions.
  virtual void resumed() {}
  virtual void paused() {}
};

/// StarPU during the lifetime of this object. It is a private instance or the instance of the
/// application. The destructor shuts down a private instance, but not the instance of the
/// application. A private instance is paused except between resume() and pause(), because idle
/// workers of StarPU spin and halve the speed of sequential code on the same machine.
class StarpuInstance {
 public:
  /// Starts StarPU with these CUDA devices. If `cores` is not empty, the workers are bound to these
  /// cores; each is StarPU's number of a hardware thread. Throws UnknownScheduler, UsageError if
  /// StarPU already runs, InputError if a given file of costs cannot be used, RuntimeFailure.
  explicit StarpuInstance(const RuntimeOptions& options, std::span<const unsigned> cores = {},
                          std::span<const SharedDevice> devices = {},
                          std::unique_ptr<StarpuLauncher> launcher = nullptr);
  /// Uses the StarPU that the application runs, and leaves it running. `guest` is stopped by the
  /// destructor. Throws UsageError if StarPU does not run.
  explicit StarpuInstance(std::unique_ptr<StarpuLauncher> guest = nullptr);
  ~StarpuInstance();
  StarpuInstance(const StarpuInstance&) = delete;
  StarpuInstance& operator=(const StarpuInstance&) = delete;

  /// Returns whether the application runs this StarPU.
  bool is_of_application() const { return !is_private_; }
  Index cpu_workers() const;
  /// Returns the number of workers in other processes, by StarPU's TCP/IP master-slave mode.
  Index coprocessor_workers() const;
  /// Returns the number of workers of CUDA devices. A device may have several.
  Index cuda_workers() const;
  WorkerType type_of(Index worker) const;
  Index cuda_devices() const;
  /// Workers that are not CPU workers, and their memories.
  struct Devices {
    Index workers = 0;
    Index memories = 0;
    /// Number of processors. Each runs one task in the time that a calibration measures: a CUDA
    /// device, whose workers share it, or a worker of a coprocessor.
    Index processors = 0;
    double seconds_a_byte = 0;  ///< seconds per byte on the slowest bus, measured by StarPU
  };
  Devices devices() const;
  /// Returns the number of memory nodes of the host: 1, unless the user has asked StarPU to
  /// distinguish NUMA nodes.
  Index host_memories() const;
  /// Returns the copies since the last call.
  DeviceTraffic take_device_traffic() const;
  /// Returns the number of all workers. Their ids are from 0 to this number less 1.
  Index workers() const;
  /// Returns the number of CPU workers and processors of devices that share the work of a plan.
  Index processors() const;
  /// Returns the hardware threads that the workers are bound to, as the system numbers them,
  /// ascending.
  std::vector<Index> cores() const;
  /// Name of the requested policy: from the options, from STARPU_SCHED, or the default.
  const std::string& requested_scheduler() const { return requested_; }
  std::string active_scheduler() const;
  /// Traits of the active policy.
  PolicyTraits policy_traits() const;
  /// Costs of the workers and devices of this instance, as read from files by the constructor. All
  /// parts of a factor use the same costs, even if another process changes the files meanwhile.
  const CostModel& costs() const { return costs_; }
  /// Options of the requested policy. Empty if the policy is not one of Espalier's.
  const PolicySettings& policy_settings() const { return settings_; }

  /// The workers run while resume() was called more often than pause(). Any thread may call both
  /// functions. If a pause() overtakes its resume(), the workers stay asleep.
  void resume() const;
  void pause() const;

 private:
  std::unique_ptr<StarpuLauncher> launcher_;
  bool is_private_;
  std::string requested_;
  PolicySettings settings_;
  CostModel costs_;
  std::optional<cuda::DeviceContexts> device_contexts_;
  std::optional<SharedMemories> shared_memories_;
  std::optional<DriverRest> driver_rest_;  ///< set only in a private instance with coprocessors
  mutable Mutex pausing_;                  ///< needed because StarPU counts pauses without a lock
  mutable Index resumed_ = 0;              ///< calls of resume() minus calls of pause()
};

}  // namespace espalier::internal
