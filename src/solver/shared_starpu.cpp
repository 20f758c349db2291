// SPDX-License-Identifier: BSD-3-Clause
#include "solver/shared_starpu.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

Index devices_of(const RuntimeOptions& options) {
  return std::min(options.cuda_devices, cuda::devices());
}

/// The StarPU that several users share. One lock protects the start of StarPU, the number of shares
/// and the end of StarPU. So StarPU cannot be started while it is being shut down.
class SharedStarpu {
 public:
  std::shared_ptr<StarpuInstance> share(const RuntimeOptions& options) {
    // The allocation comes first, so that the count stays correct if it fails.
    auto share = std::make_shared<Share>();
    const std::lock_guard lock(mutex_);
    if (instance_) {
      expect_same(options);
    } else {
      RuntimeOptions kept = options;
      instance_ = std::make_unique<StarpuInstance>(options);
      options_ = std::move(kept);
    }
    ++shares_;
    share->of = this;
    return {std::move(share), instance_.get()};
  }

 private:
  struct Share {
    SharedStarpu* of = nullptr;

    Share() = default;
    ~Share() {
      if (of) of->give_back();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
  };

  void give_back() {
    const std::lock_guard lock(mutex_);
    if (--shares_ == 0) instance_.reset();
  }

  void expect_same(const RuntimeOptions& wanted) const {
    const bool same_workers = wanted.workers == 0 || wanted.workers == options_.workers ||
                              wanted.workers == instance_->cpu_workers();
    const bool same_scheduler =
        wanted.scheduler.empty() || wanted.scheduler == instance_->requested_scheduler();
    const bool same_devices =
        wanted.cuda_devices == 0 || devices_of(wanted) == devices_of(options_);
    const bool same_costs = wanted.costs == CostSource{} || wanted.costs == options_.costs;
    if (same_workers && same_scheduler && same_devices && same_costs && sets_the_same(wanted)) {
      return;
    }
    throw UsageError(
        "StarPU runs already for other factors of this process, with " + what_runs() +
        "; leave out these options, give the same ones, or delete these factors first");
  }

  /// Returns whether all given options of the policy have the values of the running instance.
  bool sets_the_same(const RuntimeOptions& wanted) const {
    const PolicySettings asked =
        read_policy_settings(instance_->requested_scheduler(), wanted.scheduler_options);
    return std::ranges::all_of(wanted.scheduler_options, [&](const std::string& assignment) {
      const std::string key = assignment.substr(0, assignment.find('='));
      return asked.text(key) == instance_->policy_settings().text(key);
    });
  }

  std::string what_runs() const {
    std::string text = std::to_string(instance_->cpu_workers()) + " CPU workers, the scheduler " +
                       instance_->requested_scheduler() + " and ";
    text += std::to_string(devices_of(options_)) + " CUDA devices";
    for (const std::string& assignment : options_.scheduler_options) text += ", " + assignment;
    for (const std::string& costs : {options_.costs.host, options_.costs.devices}) {
      if (!costs.empty()) text += ", costs by " + costs;
    }
    return text;
  }

  std::mutex mutex_;
  std::unique_ptr<StarpuInstance> instance_;
  RuntimeOptions options_;  ///< options of the running instance
  Index shares_ = 0;
};

}  // namespace

std::shared_ptr<StarpuInstance> shared_starpu(const RuntimeOptions& options) {
  // Never destroyed, because static objects of applications may hold shares until the process ends.
  static SharedStarpu& shared = *new SharedStarpu;
  return shared.share(options);
}

}  // namespace espalier::internal
