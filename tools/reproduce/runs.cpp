// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "compare/comparison.hpp"

namespace espalier::internal {

namespace {

RunResult failed(const std::string& reason) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {none, none, {}, reason};
}

std::string name_of(const RunCase& what) {
  return fmt::format("{} by {}, {} x {} workers{}", what.matrix, what.policy, what.ranks,
                     what.workers, what.devices > 0 ? " and devices" : "");
}

/// Returns the median time of the factorizations, without the first one if there are several.
double warm_seconds(const nlohmann::ordered_json& report) {
  std::vector<double> runs = report.at("factor").at("runs");
  if (runs.size() > 1) runs.erase(runs.begin());
  return median(runs);
}

}  // namespace

RunResult Runs::run_once(const RunCase& what) const {
  ProgramRun run = run_program(what, settings_);
  if (run.code != 0) return failed(run.failure);
  RunResult result;
  result.report = std::move(run.report);
  result.factor_seconds = warm_seconds(result.report);
  result.solve_seconds = result.report.at("solve").at("seconds");
  return result;
}

void Runs::measure(std::span<const RunCase> cases) {
  std::set<RunCase> open;
  for (const RunCase& what : cases) {
    if (!done_.contains(what)) open.insert(what);
  }
  std::map<RunCase, std::vector<double>> factor;
  std::map<RunCase, std::vector<double>> solve;
  const Index rounds = simulated() ? 1 : settings_.rounds;
  const double all = static_cast<double>(open.size()) * rounds;
  double ended = 0;
  progress_.begin("running");
  for (Index round = 0; round < rounds; ++round) {
    for (const RunCase& what : open) {
      RunResult& done = done_[what];
      progress_.done(ended++ / all);
      if (!done.failure.empty()) continue;
      progress_.rename(fmt::format("round {} of {}: {}", round + 1, rounds, name_of(what)));
      done = run_once(what);
      factor[what].push_back(done.factor_seconds);
      solve[what].push_back(done.solve_seconds);
    }
  }
  progress_.end();
  for (const RunCase& what : open) {
    RunResult& done = done_[what];
    if (!done.failure.empty()) continue;
    done.factor_seconds = median(factor[what]);
    done.solve_seconds = median(solve[what]);
  }
}

const RunResult& Runs::result(const RunCase& what) {
  if (!done_.contains(what)) measure({&what, 1});
  return done_.at(what);
}

std::string Runs::failure_of_all() const {
  const auto failed = [](const auto& done) { return !done.second.failure.empty(); };
  return std::ranges::all_of(done_, failed) && !done_.empty() ? done_.begin()->second.failure : "";
}

}  // namespace espalier::internal
