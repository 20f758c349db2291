// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "perfmodels/json_files.hpp"

namespace espalier {

namespace {

using Json = nlohmann::ordered_json;

constexpr OwnJson cost_format{"the calibration", "espalier_costs", 2,
                              "run espalier calibrate again, or remove it"};

/// Four digits say more than the measurement knows.
double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / unit) * unit;
}

Json to_json(const CostGrid& grid) {
  Json seconds = Json::array();
  for (const double value : grid.seconds) seconds.push_back(rounded(value));
  return {{"classes", grid.classes}, {"seconds_per_operation", std::move(seconds)}};
}

CostGrid grid_from(const Json& json) {
  CostGrid grid;
  json.at("classes").get_to(grid.classes);
  json.at("seconds_per_operation").get_to(grid.seconds);
  return grid;
}

Json to_json(const TaskHistory& history) {
  Json buckets = Json::array();
  for (const TaskHistory::Bucket& bucket : history.buckets()) {
    buckets.push_back({std::string(name_of(bucket.kind)), bucket.flops, bucket.inner,
                       rounded(bucket.samples), rounded(bucket.mean)});
  }
  return buckets;
}

TaskHistory history_from(const Json& json, const std::string& name) {
  TaskHistory history;
  for (const Json& bucket : json) {
    const bool sound = history.restore({kind_named(bucket.at(0).get<std::string>()), bucket.at(1),
                                        bucket.at(2), bucket.at(3), bucket.at(4)});
    if (!sound) cost_format.refuse(name, "has an impossible class of tasks: " + bucket.dump());
  }
  return history;
}

CostTable table_from(const Json& json, const std::string& name) {
  CostTable table;
  table.potrf = grid_from(json.at("potrf"));
  table.trsm = grid_from(json.at("trsm"));
  table.syrk = grid_from(json.at("syrk"));
  table.gemm = grid_from(json.at("gemm"));
  table.syrk_again = grid_from(json.at("syrk_again"));
  table.gemm_again = grid_from(json.at("gemm_again"));
  json.at("fill_seconds").get_to(table.fill);
  json.at("take_seconds").get_to(table.take);
  json.at("line_seconds").get_to(table.line);
  json.at("read_seconds").get_to(table.read);
  json.at("task_seconds").get_to(table.task);
  table.history = history_from(json.at("tasks"), name);
  return table;
}

/// What follows "key : " in the first lines of /proc/cpuinfo that have the key.
std::string cpu_line(const std::string& key) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  for (int lines = 0; lines < 30 && std::getline(info, line); ++lines) {
    const auto colon = line.find(':');
    const auto end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    if (colon == std::string::npos || line.substr(0, end + 1) != key) continue;
    return colon + 2 <= line.size() ? line.substr(colon + 2) : "";
  }
  return "";
}

std::string read_cpu_name() {
  const std::string name = cpu_line("model name");
  if (name.empty()) return "unknown";
  return name + ", family " + cpu_line("cpu family") + " model " + cpu_line("model");
}

}  // namespace

const std::string& cpu_name() {
  static const std::string name = read_cpu_name();
  return name;
}

std::string to_json(const CostFile& file) {
  const CostTable& table = file.table;
  const Json json{{cost_format.key, cost_format.version},
                  {"host", file.host},
                  {"cpu", file.cpu},
                  {"kernels", file.kernels},
                  {"date", file.date},
                  {"workers", file.workers},
                  {"fill_seconds", rounded(table.fill)},
                  {"take_seconds", rounded(table.take)},
                  {"line_seconds", rounded(table.line)},
                  {"read_seconds", rounded(table.read)},
                  {"task_seconds", rounded(table.task)},
                  {"potrf", to_json(table.potrf)},
                  {"trsm", to_json(table.trsm)},
                  {"syrk", to_json(table.syrk)},
                  {"gemm", to_json(table.gemm)},
                  {"syrk_again", to_json(table.syrk_again)},
                  {"gemm_again", to_json(table.gemm_again)},
                  {"tasks", to_json(table.history)}};
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += (text.size() > 1 ? ",\n" : "\n") + Json(key).dump() + ": " + value.dump();
  }
  return text + "\n}\n";
}

CostFile cost_file_from_json(const std::string& text, const std::string& name) {
  return cost_format.parse(text, name, [&](const Json& json) {
    CostFile file;
    json.at("host").get_to(file.host);
    json.at("cpu").get_to(file.cpu);
    json.at("kernels").get_to(file.kernels);
    json.at("date").get_to(file.date);
    json.at("workers").get_to(file.workers);
    file.table = table_from(json, name);
    if (!file.table.sound()) cost_format.refuse(name, "has costs that are missing or not positive");
    return file;
  });
}

CostFile read_cost_file(const std::string& path) {
  return cost_file_from_json(cost_format.read(path), path);
}

namespace {

CostChoice chosen(const char* source, const std::string& name, CostFile file) {
  return {source, name, std::make_shared<CostTable>(std::move(file.table))};
}

/// Without reading the whole of it: a shipped table is parsed only where it fits.
bool is_for(const ShippedTable& table, const std::string& cpu) {
  return std::string_view(table.json).find("\"cpu\": \"" + cpu + "\"") != std::string_view::npos;
}

}  // namespace

CostChoice choose_costs(const std::string& user_file, const std::string& cpu) {
  if (std::error_code error; std::filesystem::exists(user_file, error)) {
    CostFile file = read_cost_file(user_file);
    if (file.cpu == cpu) return chosen("calibrated", user_file, std::move(file));
  }
  for (const ShippedTable& table : shipped_tables()) {
    if (is_for(table, cpu)) {
      return chosen("shipped", table.name, cost_file_from_json(table.json, table.name));
    }
  }
  return {"analytic", "", nullptr};
}

const CostChoice& this_machines_costs() {
  static const CostChoice choice = choose_costs(user_cost_file(), cpu_name());
  return choice;
}

std::string user_cost_file() { return user_file("costs"); }

}  // namespace espalier
