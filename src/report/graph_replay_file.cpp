// SPDX-License-Identifier: BSD-3-Clause
// Files for starpu_replay: the tasks, and the performance models that give their times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "report/graph_files.hpp"

namespace espalier::internal {

namespace {

/// Name of the model of all tasks. StarPU takes a name with a dot for the whole name of the file,
/// so the models serve every machine.
constexpr const char* model_name = "espalier.graph";

/// Version of the files of StarPU 1.4 (_STARPU_PERFMODEL_VERSION), which names their folder.
constexpr int model_version = 45;

/// Minimum number of samples for which StarPU trusts an entry.
constexpr int trusted_samples = 10;

/// Seconds of a task on a core and on a CUDA device; 0: not run there.
using Times = std::array<double, 2>;

constexpr std::size_t cuda = 0;  ///< position among the device_architectures

/// Distinct times of tasks. StarPU looks up the time of a task by a number, its footprint.
class Footprints {
 public:
  explicit Footprints(const DescribedGraph& graph) {
    for (const DescribedTask& task : graph.task) {
      const Times times{task.shape.seconds, task.device_seconds[cuda]};
      number_.push_back(number_of_.try_emplace(times, number_of_.size() + 1).first->second);
    }
  }
  std::size_t of(Index task) const { return number_[task]; }
  const std::map<Times, std::size_t>& all() const { return number_of_; }

 private:
  std::map<Times, std::size_t> number_of_;
  std::vector<std::size_t> number_;
};

/// Returns StarPU's name of an access mode. The format has no mode for additions in any order.
const char* replayed(AccessMode mode) {
  switch (mode) {
    case AccessMode::read: return "R";
    case AccessMode::write: return "W";
    case AccessMode::read_write:
    case AccessMode::add: break;
  }
  return "RW";
}

/// Returns StarPU's time in microseconds. StarPU takes 0 for an unknown time.
double positive_microseconds(double seconds) { return std::max(1e6 * seconds, 1e-6); }

/// Appends the values that value(access) returns, one per access of the task.
template <class Value>
std::string line_of(const char* field, const DescribedGraph& graph, const DescribedTask& task,
                    Value value) {
  std::string line = field;
  for (const Access& access : graph.accesses(task)) line += fmt::format(" {}", value(access));
  return line + "\n";
}

std::string record_of(const DescribedGraph& graph, Index t, std::size_t footprint) {
  const DescribedTask& task = graph.task[t];
  std::string text = fmt::format(
      "Name: {}\nModel: {}\nJobId: {}\nSubmitOrder: {}\nTag: {:x}\nWorkerId: 0\n"
      "Footprint: {:x}\nGFlop: {}\nPriority: {}\nParameters: {}\n",
      name_of(task.shape.kind), model_name, t + 1, t + 1, t + 1, footprint, task.shape.flops / 1e9,
      std::lround(positive_microseconds(task.shape.path)), task.access_end - task.access_begin);
  if (task.access_end == task.access_begin) return text + "\n";
  text += line_of("Handles:", graph, task,
                  [](const Access& access) { return fmt::format("{:x}", access.data + 1); });
  text += line_of("Modes:", graph, task, [](const Access& a) { return replayed(a.mode); });
  text += line_of("Sizes:", graph, task,
                  [&](const Access& access) { return graph.data[access.data].bytes; });
  return text + "\n";
}

/// Writes the entries of one architecture, whose times are at this position. `type` is StarPU's
/// number of the architecture.
void write_architecture(const Footprints& footprints, std::size_t position, int type,
                        OutputFile& file) {
  std::size_t entries = 0;
  for (const auto& [times, number] : footprints.all())
    entries += position == 0 || times[position] > 0;
  file.text(fmt::format("1\n{}\n0\n1\n1\n{}\n0\t0\t0\t0\tnan\tnan\t0\t0\t0\nnan\tnan\tnan\n0\n",
                        type, entries));
  for (const auto& [times, number] : footprints.all()) {
    if (position > 0 && times[position] <= 0) continue;
    const double mean = positive_microseconds(times[position]);
    file.text(fmt::format("{:08x}\t0\t0\t{:.17e}\t0\t{:e}\t{:e}\t{}\n", number, mean,
                          mean * trusted_samples, mean * mean * trusted_samples, trusted_samples));
  }
}

bool has_cuda_times(const DescribedGraph& graph) {
  for (const DescribedTask& task : graph.task) {
    if (task.device_seconds[cuda] > 0) return true;
  }
  return false;
}

}  // namespace

void write_rec(const DescribedGraph& graph, OutputFile& file) {
  const Footprints footprints(graph);
  for (Index t = 0; t < graph.size(); ++t) file.text(record_of(graph, t, footprints.of(t)));
}

void add_models(const DescribedGraph& graph, const std::string& folder, Outputs& outputs) {
  const Footprints footprints(graph);
  OutputFile& file =
      outputs.add(fmt::format("{}/codelets/{}/{}", folder, model_version, model_name),
                  OutputFile::Folders::made);
  const bool devices = has_cuda_times(graph);
  file.text(fmt::format("{}\n{}\n", model_version, devices ? 2 : 1));
  write_architecture(footprints, 0, 0, file);
  if (devices) write_architecture(footprints, 1, 1, file);
}

}  // namespace espalier::internal
