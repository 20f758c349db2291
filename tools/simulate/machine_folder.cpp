// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/machine_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Cores take their time by sleeping, so that their speed is not used.
constexpr const char* core_speed = "1Gf";

/// Returns one rank's zone: the hosts on which StarPU looks for its workers, by their names.
std::string zone_of(Index rank, Index workers) {
  const std::string name = fmt::format("StarPU-MPI{}", rank);
  std::string zone = fmt::format("<zone id=\"{}\" routing=\"None\">\n", name);
  for (const char* const host : {"MAIN", "RAM"}) {
    zone += fmt::format("<host id=\"{}-{}\" speed=\"1f\"/>\n", name, host);
  }
  for (Index k = 0; k < workers; ++k) {
    zone += fmt::format("<host id=\"{}-CPU{}\" speed=\"{}\"/>\n", name, k, core_speed);
  }
  return zone + "</zone>\n";
}

/// Every node has a link of its own, both ways, to a switch that is never full.
std::string platform_of(const MachineFile& machine, Index nodes, Index workers) {
  std::string text = fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "<zone id=\"world\" routing=\"None\">\n"
      "<cluster id=\"nodes\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"{}\" "
      "bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"100GBps\" "
      "loopback_lat=\"100ns\"/>\n",
      nodes - 1, core_speed, 1 / machine.network.byte, machine.network.latency / 2);
  for (Index rank = 0; rank < nodes; ++rank) text += zone_of(rank, workers);
  return text + "</zone>\n</platform>\n";
}

/// Returns what StarPU reads of its memories: a matrix of numbers from each to each, of which one
/// is there.
std::string one_memory() {
  constexpr int columns = 8;
  std::string text = "# to NUMA 0\t\n";
  for (int row = 0; row < columns; ++row) {
    for (int column = 0; column < columns; ++column) {
      text += row + column == 0 ? "0.0" : "nan";
      text += column + 1 < columns ? '\t' : '\n';
    }
  }
  return text;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) {
    throw RuntimeFailure(path.string() +
                         ": cannot be written, which a simulation needs; set "
                         "TMPDIR to a folder with room");
  }
}

}  // namespace

MachineFolder::MachineFolder(const MachineFile& machine, Index nodes, Index workers) {
  std::string name = (fs::temp_directory_path() / "espalier-simulation-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw RuntimeFailure(name + ": cannot be made; set TMPDIR to a folder of yours");
  }
  folder_ = name;
  const fs::path bus = sampling() / "bus";
  fs::create_directories(bus);
  write(platform(), platform_of(machine, nodes, workers));
  std::string hosts;
  for (Index rank = 0; rank < nodes; ++rank) hosts += fmt::format("node-{}\n", rank);
  write(hostfile(), hosts);
  write(this->machine(), to_json(machine));
  const std::string kinds_without_memory = "0\n0\n0\n0\n0\n0\n0\n";
  write(bus / (std::string(host) + ".config"),
        fmt::format("{} # CPUs\n1 # memories\n{}", workers, kinds_without_memory));
  write(bus / (std::string(host) + ".latency"), one_memory());
  write(bus / (std::string(host) + ".bandwidth"), one_memory());
}

void MachineFolder::remove() const {
  std::error_code error;
  fs::remove_all(folder_, error);
}

}  // namespace espalier::internal
