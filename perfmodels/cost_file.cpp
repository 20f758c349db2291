// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/cost_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "perfmodels/json_files.hpp"
#include "perfmodels/scaled_table.hpp"

namespace espalier::internal {

using Json = nlohmann::ordered_json;

namespace {

constexpr OwnJson cost_format{"the calibration", "espalier_costs", 5,
                              "run espalier calibrate again, or remove it"};

/// Calls visit(key, member) for each member that follows the version in a file, in this order.
/// Grids without seconds may be missing.
template <class File, class Visit>
void visit_members(File& file, Visit visit) {
  visit("host", file.host);
  visit("cpu", file.cpu);
  visit("provenance", file.provenance);
  visit("kernels", file.kernels);
  visit("date", file.date);
  visit("workers", file.workers);
  visit("fill_seconds", file.table.fill);
  visit("take_seconds", file.table.take);
  visit("line_seconds", file.table.line);
  visit("read_seconds", file.table.read);
  visit("task_seconds", file.table.task);
  visit("search_seconds", file.table.search);
  visit("switch_points", file.table.switch_points);
  visit("potrf", file.table.potrf);
  visit("trsm", file.table.trsm);
  visit("syrk", file.table.syrk);
  visit("gemm", file.table.gemm);
  visit("syrk_again", file.table.syrk_again);
  visit("gemm_again", file.table.gemm_again);
  visit("gemm_alone", file.table.gemm_alone);
  visit("scatter", file.table.scatter);
  visit("cached_entries", file.table.history.cached_entries);
  visit("tasks", file.table.history);
}

/// Rounds measured values to four digits, which is more than their precision. Returns all other
/// values unchanged.
double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  const double rounded = std::round(value / unit) * unit;
  return std::isnormal(rounded) ? rounded : value;  // `unit` or `rounded` may be out of range
}

CostGrid rounded(CostGrid grid) {
  for (double& seconds : grid.seconds) seconds = rounded(seconds);
  return grid;
}

template <class Value>
const Value& rounded(const Value& other) {
  return other;
}

/// Returns the text after "key : " in the first lines of /proc/cpuinfo that have this key.
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

constexpr std::array<std::string_view, 6> may_lack{
    "provenance", "gemm_alone", "scatter", "search_seconds", "switch_points", "cached_entries"};

/// Returns the part of a processor's name that says its family and model, or the whole name if it
/// does not say them. Processors with the same family and model have the same cores.
std::string_view kind_of_cpu(std::string_view cpu) {
  const auto at = cpu.rfind(", family ");
  return at == std::string_view::npos ? cpu : cpu.substr(at);
}

}  // namespace

const std::string& cpu_name() {
  static const std::string name = read_cpu_name();
  return name;
}

/// Writes the order of triangles and the inner dimension of updates. The inner dimension is null if
/// updates never use the BLAS.
void to_json(Json& json, const SwitchPoints& points) {
  json = {{"whole_triangle", points.whole_triangle}, {"blas_update", nullptr}};
  if (points.blas_update != SwitchPoints::never) json["blas_update"] = points.blas_update;
}

void from_json(const Json& json, SwitchPoints& points) {
  take(json.at("whole_triangle"), points.whole_triangle);
  const Json& update = json.at("blas_update");
  if (!update.is_null()) take(update, points.blas_update);
}

void to_json(Json& json, const TaskHistory& history) {
  json = Json::array();
  for (const TaskHistory::Bucket& bucket : history.buckets()) {
    json.push_back({std::string(name_of(bucket.kind)), bucket.flops, bucket.rate, bucket.size,
                    rounded(bucket.samples), rounded(bucket.mean)});
  }
}

void from_json(const Json& json, TaskHistory& history) {
  for (const Json& bucket : json) {
    TaskHistory::Bucket restored{
        kind_named(bucket.at(0).get<std::string>()), 0, 0, 0, bucket.at(4), bucket.at(5)};
    take(bucket.at(1), restored.flops);
    take(bucket.at(2), restored.rate);
    take(bucket.at(3), restored.size);
    const bool sound = history.restore(restored);
    if (!sound) throw std::domain_error("has an impossible class of tasks: " + bucket.dump());
  }
}

std::string to_json(const CostFile& file) {
  Json json = cost_format.header();
  put_scalar(json);
  visit_members(file, [&](const char* key, const auto& value) { json[key] = rounded(value); });
  for (const auto& [key, grid] : {std::pair("gemm_alone", &file.table.gemm_alone),
                                  std::pair("scatter", &file.table.scatter)}) {
    if (grid->seconds.empty()) json.erase(key);
  }
  if (file.provenance.empty()) json.erase("provenance");
  if (file.table.search == 0) json.erase("search_seconds");
  if (file.table.history.cached_entries == 0) json.erase("cached_entries");
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += (text.size() > 1 ? ",\n" : "\n") + Json(key).dump() + ": " + value.dump();
  }
  return text + "\n}\n";
}

const ShippedTable& shipped_table(const std::string& name) {
  const auto found = std::ranges::find(shipped_tables(), name, &ShippedTable::name);
  if (found != shipped_tables().end()) return *found;
  throw std::domain_error("refers to the table " + name + ", which does not come with Espalier");
}

namespace {

/// Takes all members from a table, except for the member `skipped`.
void take_members(const Json& json, CostFile& file, std::string_view skipped = "") {
  visit_members(file, [&](const char* key, auto& value) {
    const bool required = std::ranges::find(may_lack, key) == may_lack.end();
    if (key != skipped && (required || json.contains(key))) take(json.at(key), value);
  });
  if (!file.table.sound()) throw std::domain_error("has costs that are missing or not positive");
}

/// Returns the costs of a table that scales those of another one, without the member `skipped`.
CostFile scaled_without(std::string_view skipped, const Json& json) {
  const ShippedTable& shipped = shipped_table(json.at("table").get<std::string>());
  CostFile file;
  cost_format.parse(shipped.json, shipped.name,
                    [&](const Json& other) { take_members(other, file, skipped); });
  const double computations = json.value("scale", 1.0);
  const double memory = json.value("memory_scale", computations);
  if (!(computations > 0) || !(memory > 0)) {
    throw std::domain_error("scales a table by a number that is not positive");
  }
  scale(file.table, computations, memory);
  file.scaled = true;
  return file;
}

}  // namespace

CostFile scaled_costs(const Json& json) { return scaled_without("", json); }

/// A scaled table has no history of tasks: it depends on the caches of the other processor, and two
/// histories at a time would take some megabytes.
CostFile cost_file_from_json(const std::string& text, const std::string& name) {
  CostFile file;
  cost_format.parse(text, name, [&](const Json& json) {
    expect_scalar(json);
    if (json.contains("table")) {
      file = scaled_without("tasks", json);
      take(json.at("cpu"), file.cpu);
      take(json.at("provenance"), file.provenance);
      return;
    }
    take_members(json, file);
  });
  return file;
}

CostFile read_cost_file(const std::string& path) {
  return cost_file_from_json(cost_format.read(path), path);
}

namespace {

/// Returns whether the table is for processors of this family and model. It does not parse the
/// table, because only a table that fits is parsed.
bool is_for(const ShippedTable& table, const std::string& cpu) {
  constexpr std::string_view key = "\"cpu\": \"";
  const auto begin = table.json.find(key) + key.size();
  const auto length = table.json.find('"', begin) - begin;
  return kind_of_cpu(std::string_view(table.json).substr(begin, length)) == kind_of_cpu(cpu);
}

}  // namespace

CostChoice choose_costs(const std::string& user_file, const std::string& cpu) {
  auto own = cost_format.read_own(user_file, cpu, read_cost_file);
  if (own.content) {
    return {"calibrated", user_file, std::make_shared<CostTable>(std::move(own.content->table)), "",
            own.content->date};
  }
  for (const ShippedTable& table : shipped_tables()) {
    if (!is_for(table, cpu)) continue;
    CostFile file = cost_file_from_json(table.json, table.name);
    return {file.scaled ? "scaled" : "shipped", table.name,
            std::make_shared<CostTable>(std::move(file.table)), own.warning, file.date};
  }
  return {"analytic", "", nullptr, own.warning};
}

CostChoice named_costs(const std::string& file) {
  CostFile named = read_cost_file(file);
  return {"named", file, std::make_shared<CostTable>(std::move(named.table)), "", named.date};
}

std::string user_cost_file() { return user_file("costs"); }

}  // namespace espalier::internal
