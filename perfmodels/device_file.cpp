// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/device_file.hpp"

#include <filesystem>
#include <utility>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier {

namespace {

using Json = nlohmann::ordered_json;

constexpr OwnJson device_format{"the calibration of devices", "espalier_device_costs", 1,
                                "run espalier calibrate with such devices again, or remove it"};

Json json_of(const CostGrid& grid) {
  return {{"classes", grid.classes}, {"seconds_per_operation", grid.seconds}};
}

CostGrid device_grid(const Json& json) {
  CostGrid grid;
  json.at("classes").get_to(grid.classes);
  json.at("seconds_per_operation").get_to(grid.seconds);
  return grid;
}

Json json_of(const DeviceTable::Way& way) {
  return {{"latency_seconds", way.latency}, {"byte_seconds", way.byte}};
}

DeviceTable::Way way_from(const Json& json) {
  return {json.at("latency_seconds"), json.at("byte_seconds")};
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

std::string to_json(const DeviceFile& file) {
  const DeviceTable& table = file.table;
  const Json json{{device_format.key, device_format.version},
                  {"host", file.host},
                  {"cpu", file.cpu},
                  {"architecture", file.architecture},
                  {"date", file.date},
                  {"task_seconds", table.task},
                  {"to", json_of(table.to)},
                  {"back", json_of(table.back)},
                  {"overlaps", table.overlaps},
                  {"syrk", json_of(table.syrk)},
                  {"gemm", json_of(table.gemm)}};
  return json.dump() + "\n";
}

DeviceFile device_file_from_json(const std::string& text, const std::string& name) {
  return device_format.parse(text, name, [&](const Json& json) {
    DeviceFile file;
    json.at("host").get_to(file.host);
    json.at("cpu").get_to(file.cpu);
    json.at("architecture").get_to(file.architecture);
    json.at("date").get_to(file.date);
    DeviceTable& table = file.table;
    json.at("task_seconds").get_to(table.task);
    table.to = way_from(json.at("to"));
    table.back = way_from(json.at("back"));
    json.at("overlaps").get_to(table.overlaps);
    table.syrk = device_grid(json.at("syrk"));
    table.gemm = device_grid(json.at("gemm"));
    if (!table.sound()) device_format.refuse(name, "has costs that are missing or not positive");
    return file;
  });
}

DeviceChoice choose_device_costs(const std::string& user_file, const std::string& architecture,
                                 const std::string& cpu) {
  if (std::error_code error; std::filesystem::exists(user_file, error)) {
    DeviceFile file = device_file_from_json(device_format.read(user_file), user_file);
    if (file.cpu == cpu && file.architecture == architecture) {
      return {"calibrated", std::make_shared<DeviceTable>(std::move(file.table))};
    }
  }
  return {"analytic", std::make_shared<DeviceTable>(guessed(architecture))};
}

DeviceChoice this_machines_device_costs(const std::string& architecture) {
  return choose_device_costs(user_device_file(architecture), architecture, cpu_name());
}

std::string user_device_file(const std::string& architecture) {
  return user_file("costs-" + architecture);
}

}  // namespace espalier
