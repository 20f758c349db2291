// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/machine_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// The value has no effect, because simulated tasks sleep for their predicted time.
constexpr const char* core_speed = "1Gf";

/// The XML of a rank. SimGrid requires this order: hosts, then links, then routes.
struct Zone {
  std::string name;
  std::string hosts;
  std::string links;
  std::string routes;

  void add_link(const std::string& link, const DeviceTable::Link& way) {
    links += fmt::format("<link id=\"{}-{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n", name, link,
                         1 / way.byte, way.latency);
  }
  void add_route(const std::string& from, const std::string& to,
                 std::initializer_list<std::string> over) {
    routes +=
        fmt::format("<route src=\"{0}-{1}\" dst=\"{0}-{2}\" symmetrical=\"NO\">", name, from, to);
    for (const std::string& link : over) {
      routes += fmt::format("<link_ctn id=\"{}-{}\"/>", name, link);
    }
    routes += "</route>\n";
  }
};

/// Adds links from this device to every other device. If these links are not faster than the link
/// to the host, copies between devices also use the links to and from the host. Simultaneous copies
/// of both kinds then slow each other down.
void add_peers(Zone& zone, const MachineFile::Devices& devices, Index d) {
  DeviceTable::Link way = *devices.peer;
  const bool shares_bus = way.byte >= devices.costs.back.byte;
  if (shares_bus) {
    way.latency =
        std::max(0.0, way.latency - devices.costs.back.latency - devices.costs.to.latency);
  }
  const std::string device = fmt::format("CUDA{}", d);
  zone.add_link("beside" + device, way);
  for (Index o = 0; o < devices.count; ++o) {
    if (o == d) continue;
    const std::string other = fmt::format("CUDA{}", o);
    if (shares_bus) {
      zone.add_route(device, other, {"from" + device, "beside" + device, "to" + other});
    } else {
      zone.add_route(device, other, {"beside" + device});
    }
  }
}

/// Adds the devices, which StarPU takes for CUDA devices. Each has separate links to and from the
/// host.
void add_devices(Zone& zone, const MachineFile::Devices& devices) {
  for (Index d = 0; d < devices.count; ++d) {
    const std::string device = fmt::format("CUDA{}", d);
    zone.hosts += fmt::format(
        "<host id=\"{}-{}\" speed=\"{}\"><prop id=\"memsize\" value=\"{}\"/>"
        "<prop id=\"memcpy_peer\" value=\"{}\"/></host>\n",
        zone.name, device, core_speed, devices.memory_bytes, devices.peer ? 1 : 0);
    zone.add_link("to" + device, devices.costs.to);
    zone.add_link("from" + device, devices.costs.back);
    zone.add_route("RAM", device, {"to" + device});
    zone.add_route(device, "RAM", {"from" + device});
    if (devices.peer) add_peers(zone, devices, d);
  }
}

/// Returns the zone of a rank, with the hosts for StarPU's workers. StarPU finds them by their
/// names.
std::string zone_of(const MachineFile& machine, Index rank, Index workers) {
  Zone zone{fmt::format("StarPU-MPI{}", rank), {}, {}, {}};
  for (const char* const host : {"MAIN", "RAM"}) {
    zone.hosts += fmt::format("<host id=\"{}-{}\" speed=\"1f\"/>\n", zone.name, host);
  }
  for (Index k = 0; k < workers; ++k) {
    zone.hosts += fmt::format("<host id=\"{}-CPU{}\" speed=\"{}\"/>\n", zone.name, k, core_speed);
  }
  for (const MachineFile::Devices& devices : machine.devices) add_devices(zone, devices);
  return fmt::format("<zone id=\"{}\" routing=\"Full\">\n{}{}{}</zone>\n", zone.name, zone.hosts,
                     zone.links, zone.routes);
}

/// Returns the platform. Every node has a link in each direction to a switch without a limit.
/// Messages between ranks of one node do not use it.
std::string platform_of(const MachineFile& machine, Index nodes, Index workers,
                        Index ranks_per_node) {
  std::string text = fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "<zone id=\"world\" routing=\"None\">\n"
      "<cluster id=\"nodes\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"{}\" "
      "bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"100GBps\" "
      "loopback_lat=\"100ns\"/>\n",
      nodes - 1, core_speed, 1 / machine.network.byte, machine.network.latency / 2);
  for (Index rank = 0; rank < nodes * ranks_per_node; ++rank) {
    text += zone_of(machine, rank, workers);
  }
  return text + "</zone>\n</platform>\n";
}

/// Returns the matrix of numbers that StarPU reads for its memory nodes: the host first, then the
/// devices. `value` computes an entry from a link. StarPU 1.4.10 skips the last number of each line
/// and the last line, so the matrix has an additional column and row.
template <class Value>
std::string between_memories(const MachineFile& machine, Value value) {
  const MachineFile::Devices none;
  const MachineFile::Devices& devices = machine.devices.empty() ? none : machine.devices.front();
  std::string text = "# to NUMA 0\t\n";
  const Index forgotten = devices.count + 1;
  for (Index from = 0; from <= forgotten; ++from) {
    for (Index to = 0; to <= devices.count; ++to) {
      const DeviceTable::Link way = from == 0 ? devices.costs.to
                                    : to == 0 ? devices.costs.back
                                              : devices.between();
      text += fmt::format("{:e}\t", from == to ? 0 : value(way));
    }
    text += "nan\t\n";
  }
  return text;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) {
    throw RuntimeFailure(path.string() +
                         ": cannot be written, but a simulation needs this file; set TMPDIR to a "
                         "folder with free space");
  }
}

}  // namespace

MachineFolder::MachineFolder(const MachineFile& machine, Index nodes, Index workers,
                             Index ranks_per_node) {
  const fs::path bus = sampling() / "bus";
  fs::create_directories(bus);
  write(platform(), platform_of(machine, nodes, workers, ranks_per_node));
  std::string hosts;
  for (Index rank = 0; rank < nodes * ranks_per_node; ++rank) {
    hosts += fmt::format("node-{}\n", rank / ranks_per_node);
  }
  write(hostfile(), hosts);
  write(this->machine(), to_json(machine));
  const Index devices = machine.devices.empty() ? 0 : machine.devices.front().count;
  write(bus / (std::string(host) + ".config"),
        fmt::format("{} # CPUs\n1 # memories\n{} # CUDA devices\n0\n0\n0\n0\n0\n0\n", workers,
                    devices));
  // In microseconds and in bytes per microsecond.
  write(bus / (std::string(host) + ".latency"),
        between_memories(machine, [](const DeviceTable::Link& way) { return 1e6 * way.latency; }));
  write(bus / (std::string(host) + ".bandwidth"),
        between_memories(machine, [](const DeviceTable::Link& way) { return 1e-6 / way.byte; }));
}

}  // namespace espalier::internal
