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

/// Returns what the other ranks have of a memory of `total` bytes that they share: equal parts.
constexpr Count part_of_others(Count total, Index ranks) { return total - total / ranks; }

/// Returns how many CPU workers have a core each where other threads, such as those that drive CUDA
/// devices, need one each, too: one at least.
constexpr Index workers_beside(std::size_t others, std::size_t cores) {
  return cores > others ? static_cast<Index>(cores - others) : 1;
}

/// While it lives StarPU leaves to other ranks their parts of the memories of these devices: it
/// counts them as in use, and takes back what it needs least where its own part is full. StarPU
/// runs when it is made and when it ends.
class SharedMemories {
 public:
  explicit SharedMemories(std::span<const SharedDevice> devices);
  ~SharedMemories();
  SharedMemories(const SharedMemories&) = delete;
  SharedMemories& operator=(const SharedMemories&) = delete;

 private:
  std::vector<std::pair<unsigned, std::size_t>> left_;  ///< memory node, bytes
};

/// What a worker runs tasks on.
enum class WorkerType { cpu, coprocessor, cuda };

/// How StarPU begins and ends, and what else begins and ends with its workers.
class StarpuLauncher {
 public:
  virtual ~StarpuLauncher() = default;
  /// Returns 0, or StarPU's number of the error. Nobody calls it where StarPU runs already.
  virtual int start(starpu_conf& conf);
  virtual void stop();
  /// The workers are awake from now on, or are to sleep. Any thread may call them.
  virtual void resumed() {}
  virtual void paused() {}
};

/// StarPU for the time of this object: a private instance that is shut down at the end, or the one
/// that the application runs already, which is left as it is. A private instance is paused but for
/// the time from resume() to pause(): idle workers of StarPU spin and halve the speed of sequential
/// code beside them.
class StarpuInstance {
 public:
  /// Starts StarPU, on these cores where they are named, by StarPU's number of a hardware thread,
  /// and with these CUDA devices. Throws UnknownScheduler, UsageError when StarPU runs already,
  /// InputError if a file of costs that is named cannot be used, RuntimeFailure.
  explicit StarpuInstance(const RuntimeOptions& options, std::span<const unsigned> cores = {},
                          std::span<const SharedDevice> devices = {},
                          std::unique_ptr<StarpuLauncher> launcher = nullptr);
  /// Uses the running StarPU, which what begins and ends here leaves running. Throws UsageError
  /// when none runs.
  explicit StarpuInstance(std::unique_ptr<StarpuLauncher> guest = nullptr);
  ~StarpuInstance();
  StarpuInstance(const StarpuInstance&) = delete;
  StarpuInstance& operator=(const StarpuInstance&) = delete;

  Index cpu_workers() const;
  /// Counts the workers in other processes, by StarPU's TCP/IP master-slave mode.
  Index coprocessor_workers() const;
  /// Counts the workers of CUDA devices; a device may have several.
  Index cuda_workers() const;
  WorkerType type_of(Index worker) const;
  Index cuda_devices() const;
  /// Workers beside CPUs, and their memories.
  struct Devices {
    Index workers = 0;
    Index memories = 0;
    /// Each runs one task in the time that a calibration measures: a CUDA device, whose workers
    /// share it, or a worker of coprocessors.
    Index processors = 0;
    double seconds_a_byte = 0;  ///< on the slowest bus, by what StarPU measured
  };
  Devices devices() const;
  /// Counts the memories that data are copied between for CPU workers: one, but where the user asks
  /// StarPU to tell NUMA nodes apart.
  Index host_memories() const;
  /// Returns what was copied since the last call.
  DeviceTraffic take_device_traffic() const;
  /// Counts all workers: the ids of workers are below.
  Index workers() const;
  /// Counts CPU workers and the processors of devices: who share what is planned.
  Index processors() const;
  /// Returns the hardware threads that the workers are bound to, as the system numbers them,
  /// ascending.
  std::vector<Index> cores() const;
  /// The policy asked for: by the options, by STARPU_SCHED, or the default.
  const std::string& requested_scheduler() const { return requested_; }
  std::string active_scheduler() const;
  /// The traits of the active policy.
  PolicyTraits policy_traits() const;
  /// Costs of the workers and devices of this instance, as their files were when it was made.
  /// Because all parts of a factor use them, it does not matter what others write meanwhile.
  const CostModel& costs() const { return costs_; }
  /// The options of the policy asked for; none of a policy that is not Espalier's.
  const PolicySettings& policy_settings() const { return settings_; }

  /// The workers run while there were more calls of resume() than of pause(). Any thread may call
  /// them; the order does not matter: a pause that overtakes its resume leaves the workers asleep.
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
  std::optional<DriverRest> driver_rest_;  ///< only a private instance with coprocessors has it
  mutable Mutex pausing_;                  ///< StarPU counts pauses without a lock
  mutable Index resumed_ = 0;              ///< calls of resume() less those of pause()
};

}  // namespace espalier::internal
