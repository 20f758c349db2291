// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "codelets/payload/task_payload.hpp"
#include "espalier/error.hpp"
#include "perfmodels/host_load.hpp"
#include "plan/makespan.hpp"
#include "report/graph_reader.hpp"
#include "runtime/factor_memory.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Arguments of a task of a file. A simulation never calls run().
struct ReplayedTask : Arguments {
  void run(TaskData /*data*/, Worker& /*worker*/) const {}
  bool is_for_accelerators(const Shape& shape) const { return shape.device_seconds > 0; }
  /// As those of a DiagonalTask, because they limit the width of D on devices.
  Index results(const Shape& shape) const { return shape.kind == TaskKind::diagonal ? shape.n : 0; }
};

/// Takes the times on devices of this architecture from the file, or removes them if there are no
/// devices.
void choose_devices(DescribedGraph& graph, const std::string& architecture) {
  const MachineFile::Devices* const devices = simulated_devices();
  const auto at = std::ranges::find(device_architectures, architecture);
  if (devices == nullptr || at == device_architectures.end()) return;
  const auto a = static_cast<std::size_t>(at - device_architectures.begin());
  for (DescribedTask& task : graph.task) {
    task.shape.device_seconds = task.shape.device_kernels = task.device_seconds[a];
    task.shape.device_costs = &devices->costs;
  }
}

/// Returns the number of entries of a piece of data, at least 1.
Count entries_of(const DescribedData& data) {
  return std::max<Count>(1, (data.bytes + scalar.bytes - 1) / scalar.bytes);
}

/// The tasks of a graph for StarPU. Their data have addresses, but no memory.
class ReplayTasks {
 public:
  ReplayTasks(const DescribedGraph& graph, FactorContext& context) : arguments_{{&context}} {
    Count entries = 0;
    for (const DescribedData& data : graph.data) entries += entries_of(data);
    memory_ = Buffer(entries);
    double* values = memory_.data();
    for (const DescribedData& data : graph.data) {
      list_.data.push_back(view_of_group(values, entries_of(data)));
      values += entries_of(data);
    }
    for (const DescribedTask& task : graph.task) {
      list_.append(task.shape, arguments_, graph.accesses(task), task.shape.path);
    }
    for (BoundTask& task : list_.task) task.shape.queued = &task.queued;
  }
  ReplayTasks(const ReplayTasks&) = delete;
  ReplayTasks& operator=(const ReplayTasks&) = delete;

  void allow_devices() {
    payloads_.emplace(list_);
    list_.payloads = &*payloads_;
  }
  const TaskList& list() const { return list_; }

 private:
  ReplayedTask arguments_;
  Buffer memory_;
  TaskList list_;
  std::optional<TaskPayloads> payloads_;
};

/// Lets a library of policies (STARPU_SCHED_LIB) use the functions of StarPU in this module.
/// SimGrid has loaded the module without offering its functions to other libraries.
void offer_functions() {
  Dl_info module{};
  if (dladdr(reinterpret_cast<const void*>(&offer_functions), &module) == 0 ||
      dlopen(module.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == nullptr) {
    throw RuntimeFailure(
        "a library of policies cannot use StarPU inside the simulator; unset "
        "STARPU_SCHED_LIB");
  }
}

/// Sums over the tasks of a run, in seconds.
struct BusyTime {
  double workers = 0;
  double devices = 0;
};

BusyTime busy_time(const TaskList& list) {
  BusyTime busy;
  for (const BoundTask& task : list.task) {
    const double seconds = (task.record.end - task.record.begin) * task.record.slices;
    (task.record.on_device ? busy.devices : busy.workers) += seconds;
  }
  return busy;
}

double bound_of(const DescribedGraph& graph, const TaskList& list, const StarpuInstance& starpu) {
  std::vector<Index> shares;
  for (const BoundTask& task : list.task) shares.push_back(task.record.slices);
  const Index workers = starpu.cpu_workers();
  return least_makespan(graph, shares, {workers, starpu.cuda_devices(), least_host_load(workers)});
}

}  // namespace

std::string replay(const ReplaySettings& settings) {
  DescribedGraph graph = read_graph(settings.graph);
  choose_devices(graph, settings.architecture);
  if (std::getenv("STARPU_SCHED_LIB") != nullptr) offer_functions();
  const StarpuInstance starpu(settings.runtime);
  const PanelStructure no_panels;
  FactorContext context;
  context.structure = &no_panels;
  context.workspace = workspaces(no_panels, starpu.workers());
  ReplayTasks tasks(graph, context);
  if (simulated_devices() != nullptr) tasks.allow_devices();
  const Handles handles(tasks.list().data);
  TaskRunner runner(starpu);
  context.clock.restart();
  runner.start(tasks.list(), handles.all());
  runner.wait();
  const double makespan = context.clock.seconds();
  const BusyTime busy = busy_time(tasks.list());
  return nlohmann::ordered_json{{"scheduler", starpu.active_scheduler()},
                                {"makespan_seconds", makespan},
                                {"bound_seconds", bound_of(graph, tasks.list(), starpu)},
                                {"busy_seconds", busy.workers},
                                {"device_busy_seconds", busy.devices}}
      .dump();
}

}  // namespace espalier::internal
