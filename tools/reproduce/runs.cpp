// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reproduce/peer.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const RunCase& what) {
  return fmt::format("{} by {}, {} x {} workers{}", what.matrix, what.policy, what.ranks,
                     what.workers, what.devices > 0 ? " and devices" : "");
}

}  // namespace

void Runs::run_round(const RunCase& what, Index round) {
  if (settings_.time_limit > 0 && watch_.seconds() > settings_.time_limit) throw TimeLimitReached();
  RunResult& done = done_[what];
  if (!done.failure.empty() || std::ssize(done.reports) > round) return;
  ProgramRun run = is_peer(what.policy) ? run_peer(what, settings_) : run_program(what, settings_);
  if (run.code == 0) {
    done.reports.push_back(std::move(run.report));
  } else {
    done = {{}, run.failure};
  }
}

void Runs::measure(std::span<const RunCase> cases) {
  const Index rounds = simulated() ? 1 : settings_.rounds;
  std::set<RunCase> open;
  for (const RunCase& what : cases) {
    const RunResult& done = done_[what];
    if (done.failure.empty() && std::ssize(done.reports) < rounds) open.insert(what);
  }
  const double all = static_cast<double>(open.size()) * rounds;
  double ended = 0;
  progress_.begin("running");
  for (Index round = 0; round < rounds; ++round) {
    for (const RunCase& what : open) {
      progress_.done(ended++ / all);
      progress_.rename(fmt::format("round {} of {}: {}", round + 1, rounds, name_of(what)));
      run_round(what, round);
    }
  }
  progress_.end();
}

const RunResult& Runs::result(const RunCase& what) {
  measure({&what, 1});
  return done_.at(what);
}

Value Runs::value(const RunCase& what, const Reader& read, bool on_host) {
  const RunResult& done = result(what);
  if (!done.failure.empty()) return {};
  std::vector<double> numbers;
  for (const auto& report : done.reports) numbers.push_back(read(report));
  return simulated() && !on_host ? exact(numbers.front()) : of_runs(numbers);
}

std::string Runs::failure_of_all() const {
  const auto failed = [](const auto& done) { return !done.second.failure.empty(); };
  return std::ranges::all_of(done_, failed) && !done_.empty() ? done_.begin()->second.failure : "";
}

std::string Runs::failures() const {
  const auto failed = [](const auto& done) { return !done.second.failure.empty(); };
  const auto first = std::ranges::find_if(done_, failed);
  if (first == done_.end()) return {};
  return fmt::format("{} of {} failed, and their values are missing; the first one: {}",
                     std::ranges::count_if(done_, failed),
                     counted(static_cast<Count>(done_.size()), "case"), first->second.failure);
}

Json Runs::stored() const {
  Json all = Json::array();
  for (const auto& [what, done] : done_) {
    if (done.reports.empty()) continue;
    all.push_back({{"matrix", what.matrix},
                   {"policy", what.policy},
                   {"ranks", what.ranks},
                   {"workers", what.workers},
                   {"devices", what.devices},
                   {"options", what.options},
                   {"reports", done.reports}});
  }
  return all;
}

void Runs::restore(const Json& stored) {
  for (const Json& run : stored) {
    RunCase what{.matrix = run.at("matrix"),
                 .policy = run.at("policy"),
                 .ranks = run.at("ranks"),
                 .workers = run.at("workers"),
                 .devices = run.at("devices"),
                 .options = run.at("options")};
    done_[std::move(what)].reports = run.at("reports").get<std::vector<Json>>();
  }
}

}  // namespace espalier::internal
