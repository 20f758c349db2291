// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/machine_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/nearest_names.hpp"
#include "espalier/error.hpp"
#include "perfmodels/device_file.hpp"
#include "perfmodels/device_rates.hpp"

namespace espalier::internal {

using Json = nlohmann::ordered_json;

namespace {

constexpr OwnJson machine_format{"the machine", "espalier_machine", 1,
                                 "run espalier calibrate --machine again, or see "
                                 "perfmodels/README.md for its fields"};

CostFile costs_of(const Json& json, const std::string& name) {
  return json.contains("table") ? scaled_costs(json) : cost_file_from_json(json.dump(), name);
}

Json json_of(const MachineFile::Devices& devices) {
  Json json = {{"architecture", devices.architecture},
               {"model", devices.model},
               {"count", devices.count},
               {"memory_bytes", devices.memory_bytes}};
  if (devices.peer) json["peer"] = *devices.peer;
  json["costs"] = devices.costs;
  return json;
}

/// Returns the costs with grids of kernels instead of the rates.
Json with_estimated_kernels(Json costs) {
  const Json& given = costs.at("rates");
  const DeviceRates rates{given.at("flops").get<double>(), given.at("half_order").get<double>(),
                          given.at("memory_bytes_a_second").get<double>()};
  if (!(rates.flops > 0 && rates.half_order > 0 && rates.memory_bytes > 0)) {
    throw std::domain_error("has a device with rates that are not positive");
  }
  DeviceTable estimated;
  estimate_kernels(rates, estimated);
  const Json all = estimated;
  for (const char* const key : {"syrk", "gemm", "potrf", "trsm", "fill_seconds"}) {
    costs[key] = all.at(key);
  }
  return costs;
}

MachineFile::Devices devices_of(const Json& json) {
  MachineFile::Devices devices;
  json.at("architecture").get_to(devices.architecture);
  devices.model = json.value("model", devices.architecture);
  take(json.at("count"), devices.count);
  take(json.at("memory_bytes"), devices.memory_bytes);
  if (json.contains("peer")) devices.peer = json.at("peer").get<DeviceTable::Link>();
  const Json& costs = json.at("costs");
  devices.costs =
      (costs.contains("rates") ? with_estimated_kernels(costs) : costs).get<DeviceTable>();
  devices.costs.assembles = runs_assembles(devices.architecture);
  return devices;
}

/// Minimum memory of a device. StarPU reserves device memory in units of 32 MiB, and waits forever
/// for data that do not fit.
constexpr Count least_memory = Count{128} << 20;

void expect_sound(const MachineFile::Devices& devices) {
  if (devices.architecture != "cuda" && devices.architecture != "coprocessor") {
    throw std::domain_error("has a device whose architecture is neither cuda nor coprocessor");
  }
  if (devices.count < 1 || devices.count > 16) {
    throw std::domain_error("has less than 1 or more than 16 devices of a kind");
  }
  if (devices.memory_bytes < least_memory) {
    throw std::domain_error("has a device with less memory than 128 MiB");
  }
  const auto has_rate = [](const DeviceTable::Link& link) { return link.sound() && link.byte > 0; };
  if (!has_rate(devices.costs.to) || !has_rate(devices.costs.back) ||
      (devices.peer && !has_rate(*devices.peer))) {
    throw std::domain_error("has a device with a link without latency or rate");
  }
}

void expect_sound(const MachineFile& machine) {
  for (const MachineFile::Devices& devices : machine.devices) expect_sound(devices);
  if (machine.cores < 1) throw std::domain_error("has no cores");
  if (!machine.network.sound() || !(machine.network.byte > 0)) {
    throw std::domain_error("has a network without latency or rate");
  }
  if (machine.memory_bandwidth < 0) {
    throw std::domain_error("has a memory with a negative bandwidth");
  }
  if (machine.validated_cores < 0) {
    throw std::domain_error("was measured with a negative number of cores");
  }
  if (machine.analysis_scale && !(*machine.analysis_scale > 0)) {
    throw std::domain_error("scales the analysis by a number that is not positive");
  }
  Index before = 0;
  for (const MachineFile::Load& load : machine.load) {
    if (load.workers <= before || !(load.time > 0) || !(load.streaming > 0)) {
      throw std::domain_error("has loads that do not ascend or are not positive");
    }
    before = load.workers;
  }
}

}  // namespace

double MachineFile::time_at(Index busy, bool streams) const {
  const auto time = streams ? &Load::streaming : &Load::time;
  const auto above =
      std::find_if(load.begin(), load.end(), [&](const Load& l) { return l.workers >= busy; });
  if (above == load.end()) return load.empty() ? 1 : load.back().*time;
  if (above == load.begin() || above->workers == busy) return (*above).*time;
  const Load& below = *(above - 1);
  const double part = static_cast<double>(busy - below.workers) /
                      static_cast<double>(above->workers - below.workers);
  return below.*time + part * ((*above).*time - below.*time);
}

double MachineFile::time_at(Index busy, bool streams, double bytes_a_second) const {
  const double time = time_at(busy, streams);
  return memory_bandwidth > 0 ? std::max(time, bytes_a_second / memory_bandwidth) : time;
}

double MachineFile::analysis_scale_on(double search_seconds) const {
  const double here = costs.table.search;
  return analysis_scale.value_or(here > 0 ? here / search_seconds : 1);
}

MachineFile MachineFile::seen_by_each(Index nodes, Index ranks_per_node) const {
  MachineFile seen = *this;
  const Index together = one_machine ? nodes * ranks_per_node : ranks_per_node;
  if (together == 1) return seen;
  seen.memory_bandwidth /= together;
  seen.load.clear();
  for (Index busy = 1; busy <= cores; ++busy) {
    seen.load.push_back({busy, time_at(busy * together), time_at(busy * together, true)});
  }
  return seen;
}

bool streams(const CostTable& costs, double flops, double seconds) {
  return 2 * flops * std::ranges::min(costs.gemm.seconds) < seconds;
}

DeviceTable::Link MachineFile::Devices::between() const {
  if (peer) return *peer;
  return {costs.back.latency + costs.to.latency, costs.back.byte + costs.to.byte};
}

Index MachineFile::count_of(const std::string& architecture) const {
  const auto found = std::ranges::find(devices, architecture, &Devices::architecture);
  return found == devices.end() ? 0 : found->count;
}

void MachineFile::expect_room(Index workers, const std::string& architecture, Index count) const {
  if (workers > cores) {
    throw UsageError("a node of " + name + " has " + std::to_string(cores) + " cores, fewer than " +
                     std::to_string(workers) + " workers");
  }
  const Index there = count_of(architecture);
  if (count <= there) return;
  const bool cuda = architecture == "cuda";
  throw UsageError((one_machine ? "the machine " : "a node of ") + name + " has " +
                   std::to_string(there) + (cuda ? " CUDA devices" : " coprocessors") +
                   ", fewer than " + std::to_string(count));
}

MachineFile MachineFile::with_devices(const std::string& architecture, Index count) const {
  MachineFile machine = *this;
  std::erase_if(machine.devices, [&](const Devices& d) { return d.architecture != architecture; });
  if (count == 0) machine.devices.clear();
  for (Devices& chosen : machine.devices) chosen.count = count;
  return machine;
}

std::string to_json(const MachineFile& machine) {
  Json json = machine_format.header();
  json["name"] = machine.name;
  json["provenance"] = machine.provenance;
  json["cores"] = machine.cores;
  json["load"] = Json::array();
  for (const MachineFile::Load& load : machine.load) {
    json["load"].push_back({load.workers, load.time, load.streaming});
  }
  json["network"] = {{"latency_seconds", machine.network.latency},
                     {"byte_seconds", machine.network.byte}};
  if (machine.memory_bandwidth > 0) {
    json["memory_bytes_a_second"] = machine.memory_bandwidth;
  }
  if (machine.analysis_scale) json["analysis_scale"] = *machine.analysis_scale;
  json["validated_cores"] = machine.validated_cores;
  json["one_machine"] = machine.one_machine;
  if (!machine.devices.empty()) {
    json["devices"] = Json::array();
    for (const MachineFile::Devices& of_a_kind : machine.devices) {
      json["devices"].push_back(json_of(of_a_kind));
    }
  }
  json["costs"] = Json::parse(to_json(machine.costs));
  return json.dump(1) + "\n";
}

MachineFile machine_file_from_json(const std::string& text, const std::string& name) {
  MachineFile machine;
  machine_format.parse(text, name, [&](const Json& json) {
    json.at("name").get_to(machine.name);
    json.at("provenance").get_to(machine.provenance);
    take(json.at("cores"), machine.cores);
    for (const Json& load : json.at("load")) {
      const auto time = load.at(1).get<double>();
      const double streaming = load.size() > 2 ? load.at(2).get<double>() : time;
      machine.load.push_back({0, time, streaming});
      take(load.at(0), machine.load.back().workers);
    }
    json.at("network").at("latency_seconds").get_to(machine.network.latency);
    json.at("network").at("byte_seconds").get_to(machine.network.byte);
    machine.memory_bandwidth = json.value("memory_bytes_a_second", 0.0);
    if (json.contains("analysis_scale")) {
      machine.analysis_scale = json.at("analysis_scale").get<double>();
    }
    if (json.contains("validated_cores")) take(json.at("validated_cores"), machine.validated_cores);
    machine.one_machine = json.value("one_machine", false);
    machine.costs = costs_of(json.at("costs"), name);
    for (const Json& of_a_kind : json.value("devices", Json::array())) {
      machine.devices.push_back(devices_of(of_a_kind));
    }
    expect_sound(machine);
  });
  return machine;
}

std::vector<std::string> shipped_machine_names() {
  std::vector<std::string> names;
  for (const ShippedTable& machine : shipped_machines()) {
    names.push_back(std::filesystem::path(machine.name).stem());
  }
  return names;
}

MachineFile find_machine(const std::string& name_or_file) {
  for (const ShippedTable& machine : shipped_machines()) {
    if (std::filesystem::path(machine.name).stem() != name_or_file) continue;
    return machine_file_from_json(machine.json, machine.name);
  }
  if (std::error_code error; std::filesystem::exists(name_or_file, error)) {
    return machine_file_from_json(machine_format.read(name_or_file), name_or_file);
  }
  std::string known;
  for (const std::string& name : shipped_machine_names()) {
    known += (known.empty() ? "" : ", ") + name;
  }
  throw InputError(name_or_file + ": there is neither such a file nor such a machine; " +
                   did_you_mean(name_or_file, shipped_machine_names()) +
                   "the machines of Espalier are " + known);
}

std::string user_machine_file() { return user_file("machine"); }

OwnFile<MachineFile> this_machines_description() {
  return machine_format.read_own(user_machine_file(), find_machine);
}

}  // namespace espalier::internal
