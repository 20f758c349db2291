// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/readable.hpp"
#include "reproduce/halo.hpp"

namespace espalier::internal::halo {

namespace {

constexpr std::array scaled_matrices{rm07r, nlpkkt80};

/// A configuration of processes and devices in the figures on BABBAGE.
struct Configuration {
  const char* label;
  Index ranks;
  Index devices;
};
constexpr std::array all_configurations{
    Configuration{"OMP(p)", 1, 0}, Configuration{"OMP(p)+MIC", 1, 1},
    Configuration{"MPI(p)+OMP(q)", 2, 0}, Configuration{"MPI(p)+OMP(q)+MIC", 2, 1}};

std::string policy_of(Index devices) { return devices > 0 ? model_driven : default_scheduler; }

std::vector<std::string> options_of(Index devices) {
  return devices > 0 ? std::vector<std::string>{} : host_options();
}

std::vector<RunCase> cases_of(const std::vector<std::string>& matrices, const Configuration& c,
                              Index workers) {
  std::vector<RunCase> cases;
  for (const std::string& matrix : matrices) {
    cases.push_back({.matrix = matrix,
                     .policy = policy_of(c.devices),
                     .ranks = c.ranks,
                     .workers = workers,
                     .devices = c.devices,
                     .options = options_of(c.devices)});
  }
  return cases;
}

/// Times of factorizations, and their parts.
struct Times {
  std::vector<Value> whole;
  std::vector<Value> panels;
  std::vector<Value> updates;
};

Times times_of(Measured& measured, std::span<const RunCase> cases) {
  return {measured.factor_seconds(cases), measured.values(cases, panel_seconds),
          measured.values(cases, update_seconds)};
}

/// Returns the times on all numbers of processes, without devices or with one per process.
Times scaled(Bench& bench, Figure& figure, const std::string& matrix, Index devices) {
  const RunCase what{.matrix = matrix,
                     .policy = policy_of(devices),
                     .devices = devices,
                     .options = options_of(devices)};
  Measured measured(bench, figure);
  return times_of(measured, on_all_nodes(bench, what));
}

constexpr const char* parts_are =
    "The time of panel factorization is that of D and F, on average over the CPU workers. The rest "
    "of a factorization counts as updates; it includes waiting.";

/// Returns the judgement of runs on all numbers of processes with a device each.
Judgement judged(const Bench& bench, const std::vector<Judgement>& parts) {
  return bench.unless_shared(busy_cores(bench, bench.nodes.back(), bench.workers_of_rank(), 1),
                             all_of(parts));
}

std::string first_and_last(const Bench& bench, const std::vector<Value>& values) {
  return fmt::format("{} on {} and {} on {}", readable(values.front().median, Unit::factor),
                     bench.nodes.front(), readable(values.back().median, Unit::factor),
                     bench.nodes.back());
}

}  // namespace

Figure configurations(Bench& bench) {
  const Index workers = std::max<Index>(1, beside(bench) / 2);
  Figure figure = by_matrix(
      bench.matrices(all_matrices()),
      fmt::format("On {}: one process with {}, or two with {} each; with and without a device per "
                  "process. {}",
                  machine_of(bench), counted(2 * workers, "worker"), workers, parts_are));
  figure.picture = Figure::Picture::bars;
  std::vector<RunCase> all;
  for (const Configuration& c : all_configurations) {
    const auto cases = cases_of(figure.rows, c, c.ranks == 1 ? 2 * workers : workers);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  Measured measured(bench, figure);
  const Times times = times_of(measured, all);
  const auto rows = static_cast<long>(figure.rows.size());
  const auto of = [&](const std::vector<Value>& values, std::size_t configuration) {
    const auto at = values.begin() + static_cast<long>(configuration) * rows;
    return std::vector<Value>(at, at + rows);
  };
  const auto add = [&](const char* group, Unit unit, const auto& values) {
    for (std::size_t k = 0; k < all_configurations.size(); ++k) {
      figure.columns.push_back({all_configurations.at(k).label, unit, values(k), group});
    }
  };
  add("speed-up over OMP(p)", Unit::factor,
      [&](std::size_t k) { return over(of(times.whole, 0), of(times.whole, k)); });
  add("time of panel factorization", Unit::seconds,
      [&](std::size_t k) { return of(times.panels, k); });
  add("time of updates", Unit::seconds, [&](std::size_t k) { return of(times.updates, k); });
  const auto one = each_below(of(times.whole, 1), of(times.whole, 0));
  const auto two = each_below(of(times.whole, 3), of(times.whole, 1));
  const auto claim = [&](const char* text, Index busy, const std::vector<Judgement>& parts) {
    figure.claims.push_back({text, bench.unless_shared(busy, all_of(parts)),
                             fmt::format("on {} matrices", tally(parts))});
  };
  claim("A device makes the factorization faster", busy_cores(bench, 1, 2 * workers, 1), one);
  claim("Two processes with a device each are faster than one with one",
        busy_cores(bench, 2, workers, 1), two);
  return figure;
}

Figure scaling(Bench& bench) {
  Figure figure = by_nodes(
      bench,
      fmt::format("On {} with {} per process, with and without a device per process. {}",
                  bench.machine(), counted(bench.workers_of_rank(), "CPU worker"), parts_are));
  figure.values_are = "time";
  std::vector<Judgement> updates_scale;
  std::string numbers;
  for (const std::string& matrix : bench.matrices(scaled_matrices)) {
    const auto add = [&](const std::string& label, const Times& times) {
      figure.columns.push_back({label, Unit::seconds, times.whole, matrix});
      figure.columns.push_back({label + ": panels", Unit::seconds, times.panels, matrix});
      figure.columns.push_back({label + ": updates", Unit::seconds, times.updates, matrix});
    };
    const Times host = scaled(bench, figure, matrix, 0);
    add("MPI(p)+OMP(q)", host);
    add("MPI(p)+OMP(q)+MIC", scaled(bench, figure, matrix, 1));
    if (bench.nodes.size() < 2) continue;
    const Value panels = host.panels.front() / host.panels.back();
    const Value updates = host.updates.front() / host.updates.back();
    updates_scale.push_back(is_below(panels, updates));
    numbers += fmt::format("{}speed-ups {} and {} on {}", numbers.empty() ? "" : "; ",
                           readable(updates.median, Unit::factor),
                           readable(panels.median, Unit::factor), matrix);
  }
  figure.claims.push_back({"The updates scale better than the panel factorization",
                           judged(bench, updates_scale), std::move(numbers)});
  return figure;
}

Figure speedups_of_scaling(Bench& bench) {
  Figure figure = by_nodes(
      bench, fmt::format("Times without devices over times with a device per process, on {} with "
                         "{} per process: of the updates, and of the whole factorization.",
                         bench.machine(), counted(bench.workers_of_rank(), "CPU worker")));
  figure.values_are = "speed-up by devices";
  figure.logarithmic = false;
  std::vector<Judgement> falling;
  std::string numbers;
  for (const std::string& matrix : bench.matrices(scaled_matrices)) {
    const Times host = scaled(bench, figure, matrix, 0);
    const Times devices = scaled(bench, figure, matrix, 1);
    const std::vector<Value> whole = over(host.whole, devices.whole);
    figure.columns.push_back(
        {"updates", Unit::factor, over(host.updates, devices.updates), matrix});
    figure.columns.push_back({"whole factorization", Unit::factor, whole, matrix});
    if (bench.nodes.size() > 1) falling.push_back(is_below(whole.back(), whole.front()));
    numbers += fmt::format("{}{} for {}", numbers.empty() ? "" : "; ", first_and_last(bench, whole),
                           matrix);
  }
  figure.claims.push_back({"The gain from devices falls as processes are added",
                           judged(bench, falling), std::move(numbers)});
  return figure;
}

}  // namespace espalier::internal::halo
