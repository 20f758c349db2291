// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/device_file.hpp"

#include <nlohmann/json.hpp>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier::internal {

using Json = nlohmann::ordered_json;

namespace {

constexpr OwnJson device_format{"the calibration of devices", "espalier_device_costs", 2,
                                "run espalier calibrate again with such devices, or remove it"};

/// Calls visit(key, member) for each member that follows the version in a file, in this order.
template <class File, class Visit>
void visit_device(File& file, Visit visit) {
  visit("host", file.host);
  visit("cpu", file.cpu);
  visit("architecture", file.architecture);
  visit("date", file.date);
}

/// Calls visit(key, member, required) for each member of a table, in this order.
template <class Table, class Visit>
void visit_table(Table& table, Visit visit) {
  constexpr bool required = true;
  visit("task_seconds", table.task, required);
  visit("to", table.to, required);
  visit("back", table.back, required);
  visit("overlaps", table.overlaps, required);
  visit("syrk", table.syrk, required);
  visit("gemm", table.gemm, required);
  visit("potrf", table.potrf, !required);
  visit("trsm", table.trsm, !required);
  visit("gemm_alone", table.gemm_alone, !required);
  visit("scatter", table.scatter, !required);
  visit("fill_seconds", table.fill, !required);
  visit("tasks", table.history, !required);
}

bool is_known(double seconds) { return seconds > 0; }
bool is_known(const CostGrid& grid) { return !grid.seconds.empty(); }
bool is_known(const TaskHistory& history) { return !history.empty(); }
template <class Member>
bool is_known(const Member& /*always*/) {
  return true;
}

/// Returns estimated costs. A coprocessor is estimated as a core like those of the host behind a
/// TCP/IP socket; its driver pauses between rounds (DriverRest). A CUDA device is behind PCIe and
/// accepts calls in microseconds. The kernels of both are assumed to be as fast as on a host core,
/// so that devices get little work until they are measured.
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

void to_json(Json& json, const DeviceTable::Link& link) {
  json = {{"latency_seconds", link.latency}, {"byte_seconds", link.byte}};
}

void from_json(const Json& json, DeviceTable::Link& link) {
  json.at("latency_seconds").get_to(link.latency);
  json.at("byte_seconds").get_to(link.byte);
}

void to_json(Json& json, const DeviceTable& table) {
  visit_table(table, [&](const char* key, const auto& value, bool required) {
    if (required || is_known(value)) json[key] = value;
  });
}

void from_json(const Json& json, DeviceTable& table) {
  visit_table(table, [&](const char* key, auto& value, bool required) {
    if (required || json.contains(key)) take(json.at(key), value);
  });
  if (!table.sound()) throw std::domain_error("has costs that are missing or not positive");
}

std::string to_json(const DeviceFile& file) {
  Json json = device_format.header();
  put_scalar(json);
  visit_device(file, [&](const char* key, const auto& value) { json[key] = value; });
  to_json(json, file.table);
  return json.dump() + "\n";
}

DeviceFile device_file_from_json(const std::string& text, const std::string& name) {
  DeviceFile file;
  device_format.parse(text, name, [&](const Json& json) {
    expect_scalar(json);
    visit_device(file, [&](const char* key, auto& value) { take(json.at(key), value); });
    from_json(json, file.table);
  });
  return file;
}

DeviceFile read_device_file(const std::string& path) {
  return device_file_from_json(device_format.read(path), path);
}

namespace {

/// Reads a file of devices. Throws InputError if it cannot be read or is for devices of another
/// architecture.
DeviceFile file_of(const std::string& path, const std::string& architecture) {
  DeviceFile file = read_device_file(path);
  if (file.architecture != architecture) device_format.refuse(path, "is for other devices");
  return file;
}

DeviceChoice choice_of(const char* source, DeviceTable costs, const std::string& architecture) {
  costs.assembles = runs_assembles(architecture);
  return {source, std::make_shared<DeviceTable>(std::move(costs))};
}

}  // namespace

DeviceChoice choose_device_costs(const std::string& user_file, const std::string& architecture,
                                 const std::string& cpu) {
  const auto own = device_format.read_own(
      user_file, cpu, [&](const std::string& path) { return file_of(path, architecture); });
  if (own.content) return choice_of("calibrated", own.content->table, architecture);
  DeviceChoice estimates = estimated_device_costs(architecture);
  estimates.warning = own.warning;
  return estimates;
}

DeviceChoice named_device_costs(const std::string& file, const std::string& architecture) {
  return choice_of("named", file_of(file, architecture).table, architecture);
}

DeviceChoice estimated_device_costs(const std::string& architecture) {
  return choice_of("analytic", guessed(architecture), architecture);
}

bool runs_assembles(const std::string& architecture) { return architecture != "cuda"; }

std::string coprocessor_architecture(Index threads_of_worker) {
  if (threads_of_worker == 1) return "coprocessor";
  return "coprocessor-" + std::to_string(threads_of_worker) + "-threads";
}

std::string options_that_calibrate(bool cuda, Index threads_of_worker) {
  if (cuda) return "--cuda-devices";
  if (threads_of_worker == 1) return "--coprocessors";
  return "--coprocessor-workers one --coprocessor-threads " + std::to_string(threads_of_worker) +
         " --coprocessors";
}

std::string user_device_file(const std::string& architecture) {
  return user_file("costs-" + architecture);
}

}  // namespace espalier::internal
