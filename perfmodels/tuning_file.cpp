// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/tuning_file.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/options.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier {

namespace {

using Json = nlohmann::ordered_json;

constexpr OwnJson tuning_format{"the tuning", "espalier_tuning", 1,
                                "run espalier tune again, or remove it"};

/// A whole number looks like one.
Json number(double value) {
  return value == std::floor(value) ? Json(static_cast<Count>(value)) : Json(value);
}

Tuning tuning_from(const Json& json, const std::string& name) {
  Tuning tuning;
  for (const TuningParameter& parameter : tuning_parameters()) {
    parameter.set(tuning, json.at(std::string(parameter.name)));
  }
  try {
    validate(completed(AnalysisOptions{}, tuning));
    validate(completed(FactorOptions{}, tuning));
  } catch (const UsageError& error) {
    tuning_format.refuse(name, std::string("has an impossible value (") + error.what() + ")");
  }
  return tuning;
}

}  // namespace

std::string to_json(const TuningFile& file) {
  Json parameters;
  for (const TuningParameter& parameter : tuning_parameters()) {
    parameters[std::string(parameter.name)] = number(parameter.of(file.tuning));
  }
  const Json json{{tuning_format.key, tuning_format.version},
                  {"cpu", file.cpu},
                  {"date", file.date},
                  {"workers", file.workers},
                  {"matrices", file.matrices},
                  {"predicted_gain", file.predicted_gain},
                  {"measured_gain", file.measured_gain},
                  {"parameters", std::move(parameters)}};
  // Names of files may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

TuningFile tuning_file_from_json(const std::string& text, const std::string& name) {
  return tuning_format.parse(text, name, [&](const Json& json) {
    TuningFile file;
    json.at("cpu").get_to(file.cpu);
    json.at("date").get_to(file.date);
    json.at("workers").get_to(file.workers);
    json.at("matrices").get_to(file.matrices);
    json.at("predicted_gain").get_to(file.predicted_gain);
    json.at("measured_gain").get_to(file.measured_gain);
    file.tuning = tuning_from(json.at("parameters"), name);
    return file;
  });
}

TuningFile read_tuning_file(const std::string& path) {
  return tuning_file_from_json(tuning_format.read(path), path);
}

TuningChoice choose_tuning(const std::string& user_file, const std::string& cpu) {
  if (std::error_code error; !std::filesystem::exists(user_file, error)) return {};
  const TuningFile file = read_tuning_file(user_file);
  if (file.cpu != cpu) return {};
  return {"tuned", user_file, file.tuning};
}

const TuningChoice& this_machines_tuning(Index workers) {
  static std::mutex mutex;
  static std::map<Index, TuningChoice> choices;
  const std::lock_guard lock(mutex);
  const auto known = choices.find(workers);
  if (known != choices.end()) return known->second;
  return choices.emplace(workers, choose_tuning(user_tuning_file(workers), cpu_name()))
      .first->second;
}

std::string user_tuning_file(Index workers) {
  return user_file("tuning-" + std::to_string(workers));
}

}  // namespace espalier
