// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/devices.hpp"

#include <string>
#include <utility>
#include <vector>

#include "codelets/cuda/functions.hpp"
#include "codelets/payload/task_payload.hpp"
#include "espalier/error.hpp"
#include "perfmodels/device_file.hpp"
#include "plan/default_tuning.hpp"
#include "runtime/starpu/memory.hpp"
#include "schedulers/fixed_places.hpp"

namespace espalier::internal {

std::string architecture_of(const StarpuInstance& starpu) {
  if (starpu.cuda_workers() > 0) return "cuda";
  if (starpu.coprocessor_workers() == 0) return "";
  return coprocessor_architecture(threads_of_coprocessor_worker());
}

namespace {

/// Returns how the policy divides updates between host and devices, or nothing if it does not.
std::optional<OffloadOptions> division_of(const StarpuInstance& starpu) {
  const StarpuInstance::Devices devices = starpu.devices();
  if (devices.memories == 0 || starpu.policy_traits().devices != DeviceUse::planned) {
    return std::nullopt;
  }
  const PlannedDivision planned = planned_division(starpu.policy_settings());
  OffloadOptions options;
  options.division = planned.rule;
  options.device_bytes = planned.device_bytes;
  options.host_workers = starpu.cpu_workers();
  options.device_workers = devices.workers;
  options.device_processors = devices.processors;
  options.devices = devices.memories;
  options.joined_updates = most_targets;
  options.joined_places = most_places_of_payload;
  const DeviceChoice& choice = starpu.costs().devices;
  options.costs = choice.table;
  options.source = choice.source;
  return options;
}

/// Returns the devices to which the policy gives any task that they are predicted to finish
/// earlier.
std::optional<AnyTaskDevices> any_task_devices(const StarpuInstance& starpu) {
  const StarpuInstance::Devices devices = starpu.devices();
  const PolicyTraits traits = starpu.policy_traits();
  if (devices.workers == 0 || !prefers_devices(traits)) return std::nullopt;
  const DeviceChoice& choice = starpu.costs().devices;
  if (!choice.table->measured()) return std::nullopt;
  return AnyTaskDevices{devices.processors, choice.table, traits.devices_may_be_idle};
}

}  // namespace

DeviceModel device_model(const StarpuInstance& starpu, bool deterministic) {
  const bool present = starpu.devices().workers > 0;
  if (deterministic) return {present};
  return {present, division_of(starpu), any_task_devices(starpu)};
}

double seconds_a_byte_to_devices(const StarpuInstance& starpu) {
  const DeviceChoice& choice = starpu.costs().devices;
  return choice.table->measured() ? choice.table->to.byte : starpu.devices().seconds_a_byte;
}

double transfer_seconds(const StarpuInstance& starpu, const DeviceTraffic& traffic) {
  if (traffic.copies_to_devices + traffic.copies_to_host == 0) return 0;
  const DeviceChoice& choice = starpu.costs().devices;
  const auto seconds = [](const DeviceTable::Link& link, Count bytes, Count copies) {
    return link.seconds(static_cast<double>(bytes), static_cast<double>(copies));
  };
  return seconds(choice.table->to, traffic.to_devices, traffic.copies_to_devices) +
         seconds(choice.table->back, traffic.to_host, traffic.copies_to_host);
}

void expect_on_devices(const TaskList& list, const StarpuInstance& starpu,
                       std::span<Message> messages) {
  const FixedPlaces places(starpu.policy_traits(), starpu.policy_settings());
  if (!places.any() || starpu.devices().memories == 0) return;
  constexpr Index nobody = -1;
  std::vector<Index> reader(list.data.size(), nobody);
  auto task = static_cast<Index>(list.task.size());
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    while (task > message->before) {
      --task;
      for (const Access& access : list.accesses(list.task[task])) reader[access.data] = task;
    }
    const Index first = reader[message->data];
    if (message->kind != Message::Kind::receive || first == nobody) continue;
    message->for_device = places.arrives_on_device(list.data[message->data].bytes()) &&
                          !list.payloads->of(first).empty() &&
                          places.on_device(list.task[first].shape);
  }
}

void expect_same_rounding(const StarpuInstance& starpu, bool deterministic) {
  if (!deterministic) return;
  const bool is_wide = starpu.coprocessor_workers() > 0 && threads_of_coprocessor_worker() > 1;
  if (starpu.cuda_workers() == 0 && !is_wide) return;
  throw UsageError(
      "a deterministic factorization cannot use " +
      std::string(is_wide ? "coprocessors of one worker with several threads" : "CUDA devices") +
      ", because these round differently; leave out the devices or the option deterministic");
}

void expect_calibrated(const StarpuInstance& starpu) {
  if (starpu.devices().workers == 0) return;
  if (starpu.policy_traits().devices != DeviceUse::threshold) return;
  if (!thresholds_need_costs(starpu.policy_settings())) return;
  const DeviceChoice& choice = starpu.costs().devices;
  if (choice.table->measured()) return;
  if (!choice.warning.empty()) throw InputError(choice.warning);  // the user asked for this file
  throw UsageError(
      "thresholds=calibrated needs measured costs of devices; measure them with espalier "
      "calibrate --workers 1 " +
      options_that_calibrate(starpu.cuda_workers() > 0, threads_of_coprocessor_worker()) +
      " 1, or use thresholds=paper");
}

void expect_devices_did_well(DeviceBudget& budget) {
  cuda::expect_no_failure();
  if (!budget.exceeded.exchange(false)) return;
  throw MemoryError(
      "the data of a task did not fit into the memory that a device may use together with the data "
      "of other tasks; allow the device more memory (device_memory), end other programs that use "
      "the device, raise the thresholds of the policy fanout, or let the CPUs run such tasks "
      "(on_device_full=cpu)");
}

Tuning default_tuning_by(const CostModel& costs, bool has_cuda, const PolicyTraits& policy) {
  KernelCost host;
  host.measured = costs.host.table;
  const DeviceTable* const device = has_cuda ? costs.devices.table.get() : nullptr;
  return default_tuning(device, host, policy.widest_panel);
}

}  // namespace espalier::internal
