// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/tuning_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/options.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

constexpr OwnJson tuning_format{"the tuning", "espalier_tuning", 1,
                                "run espalier tune again, or remove it"};

/// Returns the number for JSON. A whole number has no decimal point.
Json number(double value) {
  return value == std::floor(value) ? Json(static_cast<Count>(value)) : Json(value);
}

/// Calls visit(key, member) for each member between the version and the parameters, in this order.
/// It calls newer(key, member) instead for members that older files lack. Older files are for one
/// process without devices.
template <class File, class Visit, class Newer>
void visit_tuning(File& file, Visit visit, Newer newer) {
  visit("cpu", file.cpu);
  visit("date", file.date);
  visit("workers", file.place.workers);
  newer("ranks", file.place.ranks);
  newer("coprocessors", file.place.coprocessors);
  newer("coprocessor_threads", file.place.coprocessor_threads);
  newer("cuda_devices", file.place.cuda_devices);
  visit("matrices", file.matrices);
  visit("predicted_gain", file.predicted_gain);
  visit("measured_gain", file.measured_gain);
}

Tuning tuning_from(const Json& json) {
  Tuning tuning;
  for (const TuningParameter& parameter : planned_parameters()) {
    parameter.set(tuning, json.at(std::string(parameter.name)));
  }
  for (const TuningParameter& parameter : kernel_parameters()) {
    const double value = json.value(std::string(parameter.name), parameter.of(tuning));
    const bool within = parameter.lowest <= value && value <= parameter.highest;
    if (!within || parameter.rounded(value) != value) {
      throw std::domain_error(
          fmt::format("has an impossible value ({} is {}; give a power of two "
                      "from {} to {})",
                      parameter.name, value, parameter.lowest, parameter.highest));
    }
    parameter.set(tuning, value);
  }
  try {
    validate(completed(AnalysisOptions{}, tuning));
    validate(completed(FactorOptions{}, tuning));
  } catch (const UsageError& error) {
    throw std::domain_error(std::string("has an impossible value (") + error.what() + ")");
  }
  return tuning;
}

}  // namespace

std::string to_json(const TuningFile& file) {
  Json json = tuning_format.header();
  const auto add = [&](const char* key, const auto& value) { json[key] = value; };
  visit_tuning(file, add, add);
  for (const TuningParameter& parameter : tuning_parameters()) {
    json["parameters"][std::string(parameter.name)] = number(parameter.of(file.tuning));
  }
  // Names of files may contain bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

TuningFile tuning_file_from_json(const std::string& text, const std::string& name) {
  TuningFile file;
  tuning_format.parse(text, name, [&](const Json& json) {
    const auto read = [&](const char* key, auto& value) { take(json.at(key), value); };
    visit_tuning(file, read, [&](const char* key, auto& value) {
      if (json.contains(key)) read(key, value);
    });
    file.tuning = tuning_from(json.at("parameters"));
  });
  return file;
}

TuningFile read_tuning_file(const std::string& path) {
  return tuning_file_from_json(tuning_format.read(path), path);
}

TuningChoice choose_tuning(const std::string& user_file, const std::string& cpu) {
  const auto own = tuning_format.read_own(user_file, cpu, read_tuning_file);
  if (own.content) return {"tuned", user_file, own.content->tuning};
  TuningChoice defaults;
  defaults.warning = own.warning;
  return defaults;
}

TuningChoice named_tuning(const std::string& file) {
  return {"tuned", file, read_tuning_file(file).tuning};
}

const TuningChoice& this_machines_tuning(const TuningPlace& place) {
  static std::mutex mutex;
  static std::map<TuningPlace, TuningChoice> choices;
  const std::lock_guard lock(mutex);
  const auto known = choices.find(place);
  if (known != choices.end()) return known->second;
  return choices.emplace(place, choose_tuning(user_tuning_file(place), cpu_name())).first->second;
}

std::string user_tuning_file(const TuningPlace& place) {
  if (place.is_one_process_without_devices()) {
    return user_file(fmt::format("tuning-{}", place.workers));
  }
  std::string kind = fmt::format("tuning-{}x{}", place.ranks, place.workers);
  if (place.coprocessors > 0) kind += fmt::format("+{}coprocessors", place.coprocessors);
  if (place.coprocessors > 0 && place.coprocessor_threads > 1) {
    kind += fmt::format("-of-{}", place.coprocessor_threads);
  }
  if (place.cuda_devices > 0) kind += fmt::format("+{}cuda", place.cuda_devices);
  return user_file(kind);
}

}  // namespace espalier::internal
