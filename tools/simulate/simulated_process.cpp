// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_process.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/caught_error.hpp"
#include "espalier/error.hpp"
#include "launch/child.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libespalier_simulated.so";

/// Returns the path of the simulator library: named by ESPALIER_SIMULATOR, installed, or built with
/// this program.
std::string find_library() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> places{folder / "../lib/espalier" / library_name,
                               folder / "../simgrid" / library_name};
  if (const char* const named = std::getenv("ESPALIER_SIMULATOR")) places = {named};
  for (const fs::path& place : places) {
    if (fs::exists(place)) return fs::canonical(place);
  }
  throw UsageError(
      "the simulator is not built; run tools/setup.sh --simgrid, cmake --preset simgrid and cmake "
      "--build --preset simgrid, or set ESPALIER_SIMULATOR to its library");
}

/// Returns the line of the output that gives the reason of the end, or else the last line.
std::string reason_in(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("[abort]") != std::string::npos || line.find("Oops") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
  }
  return last;
}

/// Throws the error of the simulated program, read from its output.
[[noreturn]] void fail(int code, const fs::path& output) {
  const std::string text = content_of(output);
  const std::string said = failure_in(text);
  constexpr int killed = 128 + SIGKILL;
  if (said.empty() && code == killed) {
    throw MemoryError(
        "the simulation was killed, probably because memory was full; simulate fewer nodes at a "
        "time, or a smaller problem");
  }
  if (said.empty()) {
    throw RuntimeFailure(
        fmt::format("the simulation ended with code {}: {}", code, reason_in(text)));
  }
  throw_error({static_cast<ErrorCode>(code), "simulated: " + said});
}

/// Settings of SimGrid.
///
/// - The network has no corrections for TCP or SMPI. They would multiply the latency of long
///   messages and of copies to devices by 12.
/// - Real computations take no virtual time.
/// - Each rank has a copy of the program's variables.
/// - No message is detached from its sender. SimGrid 3.32 searches for each detached message among
///   all earlier messages of both ends.
constexpr std::array settings{"--cfg=smpi/privatization:dlopen",
                              "--cfg=smpi/simulate-computation:no",
                              "--cfg=contexts/stack-size:8192",
                              "--cfg=network/TCP-gamma:-1",
                              "--cfg=network/latency-factor:1",
                              "--cfg=network/bandwidth-factor:1",
                              "--cfg=smpi/lat-factor:0:1",
                              "--cfg=smpi/bw-factor:0:1",
                              "--cfg=network/crosstraffic:0",
                              "--cfg=network/weight-S:0.0",
                              "--cfg=smpi/send-is-detached-thresh:0",
                              "--log=root.thres:critical"};

/// Returns the variables that name the files of the folder for StarPU and Espalier.
std::vector<std::string> names_in(const MachineFolder& folder) {
  return {fmt::format("STARPU_HOSTNAME={}", MachineFolder::host),
          fmt::format("STARPU_PERF_MODEL_DIR={}", folder.sampling().string()),
          fmt::format("ESPALIER_SIMULATED_MACHINE={}", folder.machine().string())};
}

}  // namespace

std::vector<std::string> variables_of(const MachineFile& machine) {
  std::vector<std::string> variables{"STARPU_SIMGRID_CUDA_MALLOC_COST=0",
                                     "STARPU_SIMGRID_CUDA_QUEUE_COST=0"};
  if (!machine.devices.empty() && !machine.devices.front().costs.overlaps) {
    variables.emplace_back("STARPU_CUDA_PIPELINE=1");
    variables.emplace_back("STARPU_DISABLE_ASYNCHRONOUS_COPY=1");
  }
  return variables;
}

SimulatedProcess::SimulatedProcess() : library_(find_library()) {}

std::string SimulatedProcess::run(const MachineFolder& folder, Index nodes,
                                  const std::vector<std::string>& words,
                                  const std::vector<std::string>& variables) const {
  const fs::path result = folder.file("report.json");
  std::vector<std::string> line{"smpirun",         "-platform", folder.platform(),    "-hostfile",
                                folder.hostfile(), "-np",       std::to_string(nodes)};
  line.insert(line.end(), settings.begin(), settings.end());
  line.push_back(library_);
  line.insert(line.end(), words.begin(), words.end());
  line.insert(line.end(), {"--report", result});
  std::vector<std::string> changes = names_in(folder);
  changes.insert(changes.end(), variables.begin(), variables.end());
  const fs::path output = folder.file("output");
  const int code = run_unless_interrupted({std::move(line),
                                           {changes, Environment::Starpu::left_out},
                                           output,
                                           "run tools/setup.sh --simgrid"},
                                          [&] { folder.remove(); });
  if (code != 0 || !fs::exists(result)) fail(code, output);
  return content_of(result);
}

}  // namespace espalier::internal
