// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/circumstances.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/command_line.hpp"
#include "base/readable.hpp"
#include "codelets/cpu/blas.hpp"
#include "espalier/espalier.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

namespace {

/// Returns the processor seconds of all programs since the start of the machine, or -1 if the
/// system does not report them.
double all_busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::array<double, 7> ticks{};  // user, nice, system, idle, waiting, interrupts
  file >> name;
  for (double& count : ticks) file >> count;
  if (!file || name != "cpu") return -1;
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return busy / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double own_busy_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

std::string machine_of(const Bench& bench) {
  if (bench.runs.simulated()) {
    return fmt::format("{} (simulated), {} per node", bench.runs.settings().machine,
                       counted(bench.workers, "worker"));
  }
  return fmt::format("{}, {}", cpu_name(), counted(bench.cores, "core"));
}

std::string rounds_of(const RunSettings& settings) {
  if (settings.simulated()) return "one simulated run per case, so values have no spread";
  return fmt::format(
      "{} of each case in turns, with {} factorizations each; the first one does not count; a "
      "value is the median over the rounds of their medians; ranges and whiskers reach from the "
      "lowest to the highest round{}",
      counted(settings.rounds, "round"), settings.factorizations,
      settings.rounds >= 5 ? ", without a fifth of the rounds at each end" : "");
}

}  // namespace

Facts facts_of(const Paper& paper, const Bench& bench, const std::string& provenance) {
  Facts facts{{"paper", std::string(paper.citation)}, {"machine", machine_of(bench)}};
  const auto add = [&](const char* name, std::string text) {
    if (!text.empty()) facts.emplace_back(name, std::move(text));
  };
  add("origin of the simulated machine", provenance);
  if (!bench.runs.simulated()) add("BLAS", blas_description());
  add("time model of CPU workers", bench.source_of_costs);
  add("time model of devices", bench.source_of_device_costs);
  add("all runs", std::string(paper.settings));
  add("rounds", rounds_of(bench.runs.settings()));
  add("begin", local_time());
  add("program", fmt::format("Espalier {}", version()));
  add("command", command_line());
  return facts;
}

nlohmann::ordered_json conditions_of(const Paper& paper, const Bench& bench) {
  const RunSettings& settings = bench.runs.settings();
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return {{"version", version()},
          {"PAPER", paper.name},
          {"processor", settings.simulated() ? "" : cpu_name()},
          {"cores", settings.simulated() ? 0 : bench.cores},
          {"--simulated", settings.machine},
          {"--workers", bench.workers},
          {"--nodes", bench.nodes},
          {"--coprocessors", bench.devices},
          {"--matrices", bench.chosen},
          {"ESPALIER_MATRICES", variable("ESPALIER_MATRICES")},
          {"PEERS", variable("PEERS")},
          {"--repeat", settings.factorizations},
          {"--rounds", settings.rounds}};
}

MomentWatch::MomentWatch()
    : begin_(local_time()), busy_(all_busy_seconds()), own_(own_busy_seconds()) {}

Moment MomentWatch::moment() const {
  Moment moment{begin_, watch_.seconds(), -1};
  const double busy = all_busy_seconds();
  constexpr double shortest = 0.5;  // the system counts in steps of about 10 ms
  if (busy_ < 0 || busy < 0 || moment.seconds < shortest) return moment;
  const double others = busy - busy_ - (own_busy_seconds() - own_);
  moment.other_cores = std::max(0.0, others / moment.seconds);
  return moment;
}

std::string readable(const Moment& moment) {
  const std::string load =
      moment.other_cores < 0
          ? std::string("the load by other programs is unknown")
          : fmt::format("other programs used {:.1f} cores meanwhile", moment.other_cores);
  return fmt::format("{}, in {}; {}", moment.begin, readable_seconds(moment.seconds), load);
}

}  // namespace espalier::internal
