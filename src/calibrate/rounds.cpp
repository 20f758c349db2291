// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "calibrate/probes.hpp"

namespace espalier::internal {

void Rounds::add(std::vector<std::vector<double>> samples) {
  double sum = 0;
  for (const std::vector<double>& of_a_size : samples) {
    std::vector<double> sorted = of_a_size;
    std::ranges::sort(sorted);
    sum += std::log(sorted[sorted.size() / 2]);
  }
  const double mean = sum / static_cast<double>(samples.size());
  round_.push_back({std::move(samples), mean});
}

double Rounds::spread() const {
  if (round_.size() < 2) return 0;
  const auto [fastest, slowest] = std::ranges::minmax_element(round_, {}, &Round::slowness);
  return std::exp(slowest->slowness - fastest->slowness) - 1;
}

void Rounds::drop_slowest() {
  round_.erase(std::ranges::max_element(round_, {}, &Round::slowness));
}

std::vector<double> Rounds::means() const {
  std::vector<double> means;
  for (std::size_t size = 0; size < round_.front().samples.size(); ++size) {
    std::vector<double> all;
    for (const Round& round : round_) {
      const std::vector<double>& some = round.samples[size];
      all.insert(all.end(), some.begin(), some.end());
    }
    means.push_back(robust_mean(all));
  }
  return means;
}

namespace {

/// Returns the ratio of the times, as the geometric mean over the larger sizes.
double times_as_long(const CostGrid& now, const CostGrid& before) {
  constexpr int least = 5;  // as a power of two
  const auto first = [&](int dimension) { return now.classes[dimension] > 1 ? least : 0; };
  double sum = 0;
  int points = 0;
  for (int x = first(0); x < now.classes[0]; ++x) {
    for (int y = first(1); y < now.classes[1]; ++y) {
      for (int z = first(2); z < now.classes[2]; ++z, ++points) {
        const double m = std::exp2(x), n = std::exp2(y), k = std::exp2(z);
        sum += std::log(now.at(m, n, k) / before.at(m, n, k));
      }
    }
  }
  return points > 0 ? std::exp(sum / points) : 1;
}

}  // namespace

std::vector<SlowerKernel> slower_kernels(const CostTable& now, const CostTable& before) {
  std::vector<SlowerKernel> slower;
  const auto compare = [&](const char* kernel, CostGrid CostTable::*grid) {
    const double times = times_as_long(now.*grid, before.*grid);
    if (times > 1 + most_spread) slower.push_back({kernel, times});
  };
  compare("POTRF", &CostTable::potrf);
  compare("TRSM", &CostTable::trsm);
  compare("SYRK", &CostTable::syrk);
  compare("GEMM", &CostTable::gemm);
  return slower;
}

std::vector<std::string> doubts(const std::vector<UnsteadyKernel>& unsteady,
                                const std::vector<SlowerKernel>& slower,
                                const std::string& before) {
  constexpr const char* advice =
      "was the machine busy? Calibrate again while nothing else runs on it";
  const auto join = [](const auto& kernels, auto in_words) {
    std::vector<std::string> words;
    std::ranges::transform(kernels, std::back_inserter(words), in_words);
    return fmt::format("{}", fmt::join(words, ", "));
  };
  std::vector<std::string> warnings;
  if (!unsteady.empty()) {
    warnings.push_back(fmt::format("repeated measurements still differ by {}; {}",
                                   join(unsteady,
                                        [](const UnsteadyKernel& k) {
                                          return fmt::format("{:.0f} % for {}", 100 * k.spread,
                                                             k.kernel);
                                        }),
                                   advice));
  }
  if (!slower.empty()) {
    warnings.push_back(fmt::format("kernels take longer than in {}: {}; {}", before,
                                   join(slower,
                                        [](const SlowerKernel& k) {
                                          return fmt::format("{} {:.2f} times as long", k.kernel,
                                                             k.times);
                                        }),
                                   advice));
  }
  return warnings;
}

}  // namespace espalier::internal
