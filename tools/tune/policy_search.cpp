// SPDX-License-Identifier: BSD-3-Clause
#include "tune/policy_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "compare/comparison.hpp"
#include "compare/measure.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Temperatures in units of the time at the start. A single process measures the time with an error
/// of about 1 %.
constexpr Cooling cooling{0.05, 0.005};
constexpr double narrowest = 0.1;  ///< size of the last steps, as a share of the logarithmic range

/// Returns a whole number whose logarithm differs from that of `now` by at most `reach` of the
/// logarithmic range. If `now` is a word such as "auto", the middle of the range takes its place.
std::string value_near(const SearchedOption& option, const std::string& now, double reach,
                       RandomNumbers& random) {
  const double octaves = std::log2(option.highest / option.lowest);
  double current = 0;
  const bool is_number =
      std::from_chars(now.data(), now.data() + now.size(), current).ec == std::errc();
  const double middle = std::sqrt(option.lowest * option.highest);
  const double from = std::clamp(is_number ? current : middle, option.lowest, option.highest);
  const double moved = from * std::exp2(octaves * reach * (2 * random.uniform() - 1));
  const double value = std::clamp(moved, option.lowest, option.highest);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string PolicyBench::policy_with(const OptionValues& values) const {
  std::string policy = there.policy;
  for (const auto& [key, value] : values) policy += fmt::format(":{}={}", key, value);
  return policy;
}

namespace {

/// Sets `bench.options` to the options that the user did not set, and `bench.before` to their
/// values.
void find_options(PolicyBench& bench) {
  const PolicyChoice choice = parse_policies(bench.there.policy, true).front();
  Options run;
  choice.set_in(run);
  const OptionValues settings =
      read_policy_settings(choice.name, run.runtime.scheduler_options).all();
  bench.options = searched_options(settings, bench.there.devices > 0);
  std::erase_if(bench.options, [&](const SearchedOption& option) {
    return std::ranges::any_of(choice.options, [&](const std::string& given) {
      return given.starts_with(std::string(option.key) + "=");
    });
  });
  for (const SearchedOption& option : bench.options) {
    bench.before.emplace(option.key, settings.at(std::string(option.key)));
  }
}

}  // namespace

PolicyBench policy_bench(RunCase there, const RunMode& mode, std::vector<std::string> matrices) {
  PolicyBench bench{std::move(there), mode, std::move(matrices), {}, {}};
  find_options(bench);
  if (bench.options.empty()) {
    throw UsageError(
        fmt::format("the scheduler {} has no numeric option to search at this place; "
                    "espalier help schedulers lists the options",
                    bench.there.policy));
  }
  return bench;
}

OptionValues neighbour(const PolicyBench& bench, OptionValues values, double share,
                       RandomNumbers& random) {
  const SearchedOption& option = bench.options[random.below(bench.options.size())];
  const std::string key(option.key);
  const auto now = values.contains(key) ? values.find(key) : bench.before.find(key);
  const std::string value = value_near(option, now->second, std::pow(narrowest, share), random);
  values.insert_or_assign(key, value);
  return values;
}

double measured_seconds(const PolicyBench& bench, const std::string& matrix,
                        const OptionValues& values) {
  RunCase what = bench.there;
  what.matrix = matrix;
  what.policy = bench.policy_with(values);
  const ProgramRun run = successful_run(what, bench.mode);
  if (bench.mode.simulated()) return run.report.at("simulated").at("makespan_seconds");
  return median(timed_seconds(run));
}

OptionValues search_options(const PolicyBench& bench, const OptionSeconds& seconds,
                            const SearchOptions& options,
                            const std::function<void(double share, double gain)>& progress) {
  RandomNumbers random(options.seed);
  Budget budget(options);
  std::map<std::string, double> at_start;
  for (const std::string& matrix : bench.matrices) at_start[matrix] = seconds(matrix, {});
  double least = 1;
  const auto objective = [&](const OptionValues& values) {
    if (values.empty()) return 1.0;
    double sum = 0;
    for (const auto& [matrix, start] : at_start) sum += seconds(matrix, values) / start;
    const double mean = sum / static_cast<double>(at_start.size());
    least = std::min(least, mean);
    return mean;
  };
  const auto move = [&](const OptionValues& values, double share) {
    progress(share, 1 - least);
    return neighbour(bench, values, share, random);
  };
  return anneal(
             OptionValues{}, objective, move, [&] { return budget.spent(); }, cooling, random)
      .back()
      .state;
}

std::vector<MatrixGain> option_gains(const PolicyBench& bench, const OptionSeconds& seconds,
                                     const OptionValues& values, Index rounds) {
  std::vector<MatrixGain> gains;
  for (const std::string& matrix : bench.matrices) {
    std::vector<double> before;
    std::vector<double> after;
    for (Index round = 0; round < rounds; ++round) {
      before.push_back(seconds(matrix, {}));
      after.push_back(seconds(matrix, values));
    }
    gains.push_back(
        {.matrix = matrix, .measured_default = median(before), .measured_tuned = median(after)});
  }
  return gains;
}

}  // namespace espalier::internal
