// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/tuning_choice.hpp"

#include <filesystem>
#include <map>
#include <mutex>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/user_files.hpp"

namespace espalier {

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
