// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/output_file.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

namespace {

/// Returns the time of a task divided by its time with the number of busy workers of the history.
using TaskLoad = std::function<double(const TaskRun& run)>;

/// Adds the measured times of tasks, on devices or on CPUs, relative to the predicted times of
/// their kernels.
void learn(TaskHistory& history, std::span<const TaskRun> runs, Count entries, bool on_devices,
           const TaskLoad& load) {
  for (const TaskRun& run : runs) {
    if (run.on_device != on_devices) continue;
    history.add({kind_named(run.kind), run.flops, run.kernel_seconds, static_cast<double>(entries)},
                (run.end - run.begin) / (run.kernel_seconds * load(run)));
  }
}

double same_load(const TaskRun& /*run*/) { return 1; }

/// Returns the load for `workers` workers from this machine's description. Returns an empty
/// function if the machine does not have a description for the calibration's number of workers.
/// Throws InputError if the description is damaged.
TaskLoad load_of(const CostFile& known, Index workers) {
  if (known.workers == workers) return same_load;
  const OwnFile<MachineFile> machine = this_machines_description();
  if (!machine.warning.empty()) throw InputError(machine.warning);
  if (!machine.content || machine.content->cores != known.workers) return {};
  return [machine = *machine.content, &known, workers](const TaskRun& run) {
    const bool moves = streams(known.table, run.flops, run.end - run.begin);
    return machine.time_at(workers, moves);
  };
}

/// Adapts the costs of a link to measured copies: applies the square root of the median ratio of
/// measured to predicted time. Ignores fewer than five copies.
void learn(DeviceTable::Link& link, std::span<const CopyRun> copies, bool to_devices) {
  constexpr std::size_t enough = 5;
  constexpr double implausible = 8;
  std::vector<double> ratios;
  for (const CopyRun& copy : copies) {
    const double predicted = link.seconds(static_cast<double>(copy.bytes));
    const bool there = copy.from == 0 && copy.to > 0;
    const bool back = copy.from > 0 && copy.to == 0;
    if ((to_devices ? there : back) && predicted > 0) {
      ratios.push_back((copy.end - copy.begin) / predicted);
    }
  }
  if (ratios.size() < enough) return;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  const double change = std::sqrt(std::clamp(*middle, 1 / implausible, implausible));
  link = {link.latency * change, link.byte * change};
}

void replace(const std::string& file, const std::string& text) {
  OutputFile out(file);
  out.text(text);
  out.commit();
}

}  // namespace

void refine_calibration(const std::string& file, const Schedule& warm, Count entries,
                        Index workers) {
  CostFile known = read_cost_file(file);
  const TaskLoad load = load_of(known, workers);
  if (!load) return;
  learn(known.table.history, warm.tasks, entries, false, load);
  replace(file, to_json(known));
}

void refine_device_calibration(const std::string& file, const Schedule& warm, Count entries) {
  DeviceFile known = read_device_file(file);
  learn(known.table.history, warm.tasks, entries, true, same_load);
  if (!known.table.overlaps) {
    learn(known.table.to, warm.copies, true);
    learn(known.table.back, warm.copies, false);
  }
  replace(file, to_json(known));
}

}  // namespace espalier::internal
