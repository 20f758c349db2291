// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tuning.hpp"

#include <nlohmann/json.hpp>

#include "base/options.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "runtime/starpu/devices.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

namespace {

/// Returns the place of a solve: the workers and devices of this StarPU, on `ranks` ranks.
TuningPlace place_of_run(const StarpuInstance& starpu, Index ranks) {
  TuningPlace place{starpu.cpu_workers(), ranks, starpu.coprocessor_workers()};
  if (place.coprocessors > 0) place.coprocessor_threads = threads_of_coprocessor_worker();
  place.cuda_devices = starpu.cuda_devices();
  return place;
}

}  // namespace

TuningPlace place_of_report(const nlohmann::ordered_json& report) {
  const auto& machine = report.at("machine");
  const auto& ranks = report.at("ranks");
  const auto count = [&](const char* key) { return machine.at(key).get<Index>(); };
  TuningPlace place;
  place.ranks = count("ranks");
  place.workers = ranks.empty() ? count("cpu_workers") : ranks.at(0).at("cpu_workers").get<Index>();
  place.coprocessors = count("coprocessor_workers") / place.ranks;
  if (place.coprocessors > 0) {
    place.coprocessor_threads = count("coprocessor_threads") / count("coprocessor_workers");
  }
  place.cuda_devices = count("cuda_devices") / place.ranks;
  return place;
}

std::string file_of_tuning(const std::string& named) { return named == no_tuning ? "" : named; }

TuningChoice chosen_tuning(const std::string& named, const TuningPlace& place) {
  if (named.empty()) return this_machines_tuning(place);
  return named == no_tuning ? TuningChoice{} : named_tuning(named);
}

TuningChoice tuning_of_run(const std::string& named, const StarpuInstance& starpu, Index ranks) {
  const TuningPlace place = place_of_run(starpu, ranks);
  TuningChoice choice = chosen_tuning(named, place);
  // In a single process the factor chooses the defaults.
  if (choice.source == "defaults" && ranks > 1) {
    choice.tuning =
        default_tuning_by(starpu.costs(), place.cuda_devices > 0, starpu.policy_traits());
  }
  return choice;
}

}  // namespace espalier::internal
