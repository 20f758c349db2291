// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/device_file.hpp"

#include <nlohmann/json.hpp>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier::internal {

using Json = nlohmann::ordered_json;

namespace {

constexpr OwnJson device_format{"the calibration of devices", "espalier_device_costs", 1,
                                "run espalier calibrate with such devices again, or remove it"};

/// Calls visit(key, member) for all that a file has after its version, in its order.
template <class File, class Visit>
void visit_device(File& file, Visit visit) {
  visit("host", file.host);
  visit("cpu", file.cpu);
  visit("architecture", file.architecture);
  visit("date", file.date);
  visit("task_seconds", file.table.task);
  visit("to", file.table.to);
  visit("back", file.table.back);
  visit("overlaps", file.table.overlaps);
  visit("syrk", file.table.syrk);
  visit("gemm", file.table.gemm);
}

/// Rules of thumb: a coprocessor is a core like the host's behind a socket, whose driver rests
/// between its rounds (DriverRest), and its kernels are those of the host's table; a CUDA device is
/// behind PCIe and takes calls in microseconds. That its kernels count as those of a core keeps
/// work from it, until it is measured.
DeviceTable guessed(const std::string& architecture) {
  DeviceTable table;
  if (architecture == "cuda") {
    table.task = 10e-6;
    table.to = table.back = {15e-6, 0.1e-9};
    table.overlaps = true;
    return table;
  }
  table.task = 150e-6;
  table.to = table.back = {100e-6, 0.6e-9};
  return table;
}

}  // namespace

void to_json(Json& json, const DeviceTable::Way& way) {
  json = {{"latency_seconds", way.latency}, {"byte_seconds", way.byte}};
}

void from_json(const Json& json, DeviceTable::Way& way) {
  json.at("latency_seconds").get_to(way.latency);
  json.at("byte_seconds").get_to(way.byte);
}

std::string to_json(const DeviceFile& file) {
  Json json = device_format.header();
  visit_device(file, [&](const char* key, const auto& value) { json[key] = value; });
  return json.dump() + "\n";
}

DeviceFile device_file_from_json(const std::string& text, const std::string& name) {
  DeviceFile file;
  device_format.parse(text, name, [&](const Json& json) {
    visit_device(file, [&](const char* key, auto& value) { json.at(key).get_to(value); });
    if (!file.table.sound()) throw std::domain_error("has costs that are missing or not positive");
  });
  return file;
}

DeviceChoice choose_device_costs(const std::string& user_file, const std::string& architecture,
                                 const std::string& cpu) {
  const auto file = read_own(user_file, cpu, [](const std::string& path) {
    return device_file_from_json(device_format.read(path), path);
  });
  if (file && file->architecture == architecture) {
    return {"calibrated", std::make_shared<DeviceTable>(file->table)};
  }
  return {"analytic", std::make_shared<DeviceTable>(guessed(architecture))};
}

DeviceChoice this_machines_device_costs(const std::string& architecture) {
  return choose_device_costs(user_device_file(architecture), architecture, cpu_name());
}

std::string user_device_file(const std::string& architecture) {
  return user_file("costs-" + architecture);
}

}  // namespace espalier::internal
