// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/starpu_instance.hpp"

#include <starpu.h>
#include <starpu_scheduler.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "runtime/starpu/c_locale.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "runtime/starpu/devices.hpp"
#include "runtime/starpu/notice_filter.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

/// Returns the memory node of the CUDA device with this number, or nothing if no worker uses it.
std::optional<unsigned> memory_node_of(unsigned number) {
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    const auto id = static_cast<int>(worker);
    if (starpu_worker_get_type(id) != STARPU_CUDA_WORKER) continue;
    if (starpu_worker_get_devid(id) == static_cast<int>(number)) {
      return starpu_worker_get_memory_node(worker);
    }
  }
  return std::nullopt;
}

}  // namespace

SharedMemories::SharedMemories(std::span<const SharedDevice> devices) {
  for (const SharedDevice& device : devices) {
    const std::optional<unsigned> node = memory_node_of(device.number);
    if (!node) continue;
    const Count total = starpu_memory_get_total(*node);
    if (total <= 0) continue;
    const auto bytes = static_cast<std::size_t>(part_of_others(total, device.ranks));
    if (starpu_memory_allocate(*node, bytes, STARPU_MEMORY_OVERFLOW) == 0) {
      left_.emplace_back(*node, bytes);
    }
  }
}

SharedMemories::~SharedMemories() {
  for (const auto& [node, bytes] : left_) starpu_memory_deallocate(node, bytes);
}

namespace {

/// Binds worker i to core i. If there are more workers than cores, it starts again with the first
/// core.
void place_workers(starpu_conf& conf, std::span<const unsigned> cores) {
  conf.use_explicit_workers_bindid = 1;
  for (std::size_t i = 0; i < STARPU_NMAXWORKERS; ++i) {
    conf.workers_bindid[i] = cores[i % cores.size()];
  }
}

/// During its lifetime, StarPU's table of policies lists the given policy. Without this, StarPU
/// would print a warning: it looks up the name in STARPU_SCHED even if it is given a policy, and
/// warns if its table does not list the name.
class ListedPolicy {
 public:
  explicit ListedPolicy(starpu_sched_policy* policy)
      : entry_(*starpu_sched_get_predefined_policies()), replaced_(std::exchange(entry_, policy)) {}
  ~ListedPolicy() { entry_ = replaced_; }
  ListedPolicy(const ListedPolicy&) = delete;
  ListedPolicy& operator=(const ListedPolicy&) = delete;

 private:
  starpu_sched_policy*& entry_;
  starpu_sched_policy* replaced_;
};

/// Returns the number of CPU workers: the option, else STARPU_NCPU, else the number of named cores
/// that are not needed to drive devices (at least 1). Returns 0 if no cores are named: StarPU then
/// uses all cores that it does not need to drive devices.
Index resolve_workers(Index option, std::size_t cores, std::size_t devices) {
  if (option > 0) return option;
  if (const char* const environment = std::getenv("STARPU_NCPU")) {
    return static_cast<Index>(std::strtol(environment, nullptr, 10));
  }
  return cores == 0 ? 0 : workers_besides_drivers(devices, cores);
}

/// Does not query the driver if no device is wanted, because the query is slow.
Index count_of_devices(const RuntimeOptions& options) {
  return options.cuda_devices == 0 ? 0 : std::min(options.cuda_devices, cuda::devices());
}

/// Returns the device numbers in STARPU_WORKERS_CUDAID, read as StarPU reads them, or nothing if
/// the variable is not set. For StarPU this variable precedes all other settings.
std::optional<std::vector<unsigned>> listed_devices() {
  const char* text = std::getenv("STARPU_WORKERS_CUDAID");
  if (text == nullptr) return std::nullopt;
  std::vector<unsigned> numbers;
  for (char* end = nullptr;; text = end) {
    const long number = std::strtol(text, &end, 10);
    if (end == text) break;
    numbers.push_back(static_cast<unsigned>(number));
  }
  if (numbers.empty()) throw UsageError("STARPU_WORKERS_CUDAID lists no device; unset it");
  return numbers;
}

/// Returns the numbers of the devices that StarPU will use: the list of STARPU_WORKERS_CUDAID, else
/// the named devices, else the first ones.
std::vector<unsigned> devices_to_use(const RuntimeOptions& options,
                                     std::span<const SharedDevice> named) {
  const auto count = static_cast<std::size_t>(count_of_devices(options));
  if (auto listed = listed_devices()) {
    listed->resize(std::min(listed->size(), count));
    return *listed;
  }
  std::vector<unsigned> numbers(named.empty() ? count : named.size());
  if (named.empty()) {
    std::iota(numbers.begin(), numbers.end(), 0U);
  } else {
    std::ranges::transform(named, numbers.begin(), &SharedDevice::number);
  }
  return numbers;
}

/// Throws an error if a device cannot be used, because StarPU itself would end the process.
void expect_usable(std::span<const unsigned> devices) {
  for (const unsigned device : devices) {
    if (static_cast<Index>(device) >= 0 && static_cast<Index>(device) < cuda::devices()) continue;
    throw UsageError("STARPU_WORKERS_CUDAID lists CUDA device " +
                     std::to_string(static_cast<Index>(device)) + ", but there are " +
                     std::to_string(cuda::devices()) + " on this machine, counted from 0");
  }
  cuda::expect_usable(devices);
  for (const unsigned device : devices) {
    if (device < STARPU_MAXCUDADEVS) continue;
    throw RuntimeFailure("this StarPU knows CUDA devices 0 to " +
                         std::to_string(STARPU_MAXCUDADEVS - 1) + ", but device " +
                         std::to_string(device) +
                         " was chosen; use fewer, choose others by CUDA_VISIBLE_DEVICES, or "
                         "build StarPU with a larger --enable-maxcudadev");
  }
}

/// Throws UsageError if StarPU cannot start this number of workers. StarPU itself would start
/// fewer, without an error.
void expect_possible(Index workers) {
  if (workers <= STARPU_MAXCPUS) return;
  throw UsageError("this StarPU can start at most " + std::to_string(STARPU_MAXCPUS) +
                   " CPU workers, but " + std::to_string(workers) +
                   " were requested; use fewer (the option workers, or STARPU_NCPU), or build "
                   "StarPU with a larger --enable-maxcpus");
}

int start(StarpuLauncher& launcher, const std::string& scheduler, const RuntimeOptions& options,
          std::span<const unsigned> cores, std::span<const SharedDevice> devices) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.precedence_over_environment_variables = 1;
  if (const OwnPolicy* const own = own_policy(scheduler)) {
    conf.sched_policy = const_cast<starpu_sched_policy*>(&own->starpu);
  }
  const char* const named = conf.sched_policy_name;  // set by STARPU_SCHED
  std::optional<ListedPolicy> listed;
  if (conf.sched_policy != nullptr && named != nullptr && named == scheduler) {
    listed.emplace(conf.sched_policy);
  }
  if (conf.sched_policy == nullptr) conf.sched_policy_name = scheduler.c_str();
  const Index workers = resolve_workers(options.workers, cores.size(),
                                        static_cast<std::size_t>(count_of_devices(options)));
  expect_possible(workers);
  if (workers > 0) conf.ncpus = workers;
  if (!cores.empty()) place_workers(conf, cores);
  conf.ncuda = count_of_devices(options);
  if (!devices.empty()) {
    conf.use_explicit_workers_cuda_gpuid = 1;
    std::ranges::transform(devices, conf.workers_cuda_gpuid, &SharedDevice::number);
  }
  conf.nopencl = 0;
  if (!copies_may_cross(workers)) conf.disable_asynchronous_tcpip_ms_copy = 1;
  // StarPU's files of measurements have numbers with a decimal point.
  const CLocale point;
  const NoticeFilter quiet;
  return launcher.start(conf);
}

void stop(StarpuLauncher& launcher) {
  const CLocale point;  // as in start()
  launcher.stop();
}

}  // namespace

int StarpuLauncher::start(starpu_conf& conf) { return starpu_init(&conf); }

void StarpuLauncher::stop() { starpu_shutdown(); }

StarpuInstance::StarpuInstance(const RuntimeOptions& options, std::span<const unsigned> cores,
                               std::span<const SharedDevice> devices,
                               std::unique_ptr<StarpuLauncher> launcher)
    : launcher_(launcher ? std::move(launcher) : std::make_unique<StarpuLauncher>()),
      is_private_(true),
      requested_(resolve_scheduler(options.scheduler)) {
  if (starpu_is_initialized()) {
    throw UsageError(
        "StarPU runs already; if the application runs it, use Runtime::inside_application(), or "
        "Ranks::inside_application() for several ranks; if several users of Espalier need it, use "
        "Runtime::shared()");
  }
  if (options.cuda_devices > 0) expect_usable(devices_to_use(options, devices));
  expect_known_scheduler(requested_, count_of_devices(options) > 0 || devices_expected());
  settings_ = read_policy_settings(requested_, options.scheduler_options);
  use_policy_settings(requested_, settings_);
  costs_.host = read_host_costs(options.costs);
  const int result = start(*launcher_, requested_, options, cores, devices);
  if (result == -ENODEV) {
    throw RuntimeFailure("StarPU found no worker; set STARPU_NCPU to 1 or more, or unset it");
  }
  if (result != 0) {
    throw RuntimeFailure("StarPU did not start (error " + std::to_string(result) +
                         "); check STARPU_NCPU and the other STARPU_ variables");
  }
  try {
    verify_scheduler(requested_, active_scheduler());
    device_contexts_.emplace();
    shared_memories_.emplace(devices);
    if (coprocessor_workers() > 0) driver_rest_.emplace();
    costs_.devices = read_device_costs(architecture_of(*this), options.costs);
  } catch (...) {
    stop(*launcher_);
    throw;
  }
  starpu_pause();
}

StarpuInstance::StarpuInstance(std::unique_ptr<StarpuLauncher> guest)
    : launcher_(std::move(guest)), is_private_(false) {
  if (!starpu_is_initialized()) {
    throw UsageError("StarPU does not run; call starpu_init first, or let Espalier start it");
  }
  requested_ = active_scheduler();
  settings_ = read_policy_settings(requested_);
  costs_ = {read_host_costs(), read_device_costs(architecture_of(*this))};
  device_contexts_.emplace();
}

StarpuInstance::~StarpuInstance() {
  if (is_private_) starpu_resume();
  driver_rest_.reset();
  shared_memories_.reset();
  device_contexts_.reset();
  if (launcher_) stop(*launcher_);
}

Index StarpuInstance::cpu_workers() const {
  return static_cast<Index>(starpu_cpu_worker_get_count());
}

StarpuInstance::Devices StarpuInstance::devices() const {
  constexpr std::size_t sample = std::size_t{1} << 20;  // bytes, so that latency is small
  Devices devices;
  std::set<unsigned> memories;
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    if (starpu_worker_get_type(static_cast<int>(worker)) == STARPU_CPU_WORKER) continue;
    ++devices.workers;
    const unsigned memory = starpu_worker_get_memory_node(worker);
    memories.insert(memory);
    const double microseconds = starpu_transfer_predict(STARPU_MAIN_RAM, memory, sample);
    if (!std::isfinite(microseconds)) continue;
    devices.seconds_a_byte =
        std::max(devices.seconds_a_byte, 1e-6 * microseconds / static_cast<double>(sample));
  }
  devices.memories = static_cast<Index>(memories.size());
  devices.processors = coprocessor_workers() + cuda_devices();
  return devices;
}

Index StarpuInstance::cuda_devices() const {
  std::set<unsigned> memories;
  for (Index worker = 0; worker < workers(); ++worker) {
    if (type_of(worker) == WorkerType::cuda) memories.insert(starpu_worker_get_memory_node(worker));
  }
  return static_cast<Index>(memories.size());
}

Index StarpuInstance::processors() const {
  return cpu_workers() + coprocessor_workers() + cuda_devices();
}

DeviceTraffic StarpuInstance::take_device_traffic() const {
  DeviceTraffic traffic;
  for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
    starpu_profiling_bus_info info{};
    starpu_bus_get_profiling_info(bus, &info);
    const bool from_host = starpu_node_get_kind(starpu_bus_get_src(bus)) == STARPU_CPU_RAM;
    const bool to_host = starpu_node_get_kind(starpu_bus_get_dst(bus)) == STARPU_CPU_RAM;
    if (from_host && !to_host) {
      traffic.to_devices += info.transferred_bytes;
      traffic.copies_to_devices += info.transfer_count;
    } else if (to_host && !from_host) {
      traffic.to_host += info.transferred_bytes;
      traffic.copies_to_host += info.transfer_count;
    }
  }
  return traffic;
}

Index StarpuInstance::workers() const { return static_cast<Index>(starpu_worker_get_count()); }

Index StarpuInstance::host_memories() const {
  return static_cast<Index>(starpu_memory_nodes_get_numa_count());
}

std::string StarpuInstance::active_scheduler() const {
  const starpu_sched_policy* const policy = starpu_sched_get_sched_policy();
  return policy && policy->policy_name ? policy->policy_name : "";
}

PolicyTraits StarpuInstance::policy_traits() const {
  const starpu_sched_policy* const policy = starpu_sched_get_sched_policy();
  if (policy == nullptr || policy->policy_name == nullptr) return {};
  const char* const description = policy->policy_description;
  return traits_of_policy(policy->policy_name, description != nullptr ? description : "");
}

void StarpuInstance::resume() const {
  if (!launcher_) return;
  const std::lock_guard lock(pausing_);
  if (++resumed_ == 1) launcher_->resumed();
  if (is_private_) starpu_resume();
}

void StarpuInstance::pause() const {
  if (!launcher_) return;
  const std::lock_guard lock(pausing_);
  if (--resumed_ == 0) launcher_->paused();
  if (is_private_) starpu_pause();
}

}  // namespace espalier::internal
