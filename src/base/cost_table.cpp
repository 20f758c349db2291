// SPDX-License-Identifier: BSD-3-Clause

#include "base/cost_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace espalier::internal {

namespace {

/// A dimension between two sizes of the grid: the class of the lower one, that of the upper one,
/// and how far it is on the way.
struct Place {
  int below;
  int above;
  double share;
};

Place place(double size, int classes) {
  const auto whole = static_cast<std::uint64_t>(std::max(size, 1.0));
  const int below = static_cast<int>(std::bit_width(whole)) - 1;
  if (below >= classes - 1) return {classes - 1, classes - 1, 0};
  const auto lower = static_cast<double>(std::bit_floor(whole));
  return {below, below + 1, std::max(size, 1.0) / lower - 1};
}

double between(double lower, double upper, double share) { return lower + share * (upper - lower); }

}  // namespace

std::size_t CostGrid::points() const {
  return static_cast<std::size_t>(classes[0]) * classes[1] * classes[2];
}

double CostGrid::at(double x, double y, double z) const {
  const Place first = place(x, classes[0]);
  const Place second = place(y, classes[1]);
  const Place third = place(z, classes[2]);
  const auto along_third = [&](int a, int b) {
    return between(seconds[point({a, b, third.below})], seconds[point({a, b, third.above})],
                   third.share);
  };
  const auto along_second = [&](int a) {
    return between(along_third(a, second.below), along_third(a, second.above), second.share);
  };
  return between(along_second(first.below), along_second(first.above), first.share);
}

bool CostGrid::sound() const {
  const bool sizes = std::all_of(classes.begin(), classes.end(),
                                 [](int count) { return count >= 1 && count <= 40; });
  return sizes && seconds.size() == points() &&
         std::all_of(seconds.begin(), seconds.end(),
                     [](double value) { return std::isfinite(value) && value > 0; });
}

namespace {

constexpr double memory = 100;     ///< samples after which an old one fades
constexpr double little = 2;       ///< samples that are worth half a belief
constexpr double settled = 10;     ///< samples from which a class knows what is far off
constexpr double far_off = 0.7;    ///< in logarithms: a factor of two
constexpr double implausible = 7;  ///< in logarithms: a factor of a thousand

double logarithm(double value) { return std::log2(std::max(value, 1.0)); }

/// Returns the Mflop a second of kernels that take so many seconds.
double rate(double flops, double kernels) { return kernels > 0 ? flops / kernels / 1e6 : 0; }

int class_of(double value, int classes) {
  return std::min(static_cast<int>(std::lround(logarithm(value))), classes - 1);
}

}  // namespace

std::size_t TaskHistory::position(TaskKind kind, int flops, int rate) {
  return (static_cast<std::size_t>(kind) * flops_classes + flops) * rate_classes + rate;
}

TaskHistory::Cell& TaskHistory::cell(TaskKind kind, int flops, int rate) {
  if (cell_.empty()) cell_.resize(task_kinds * flops_classes * rate_classes);
  return cell_[position(kind, flops, rate)];
}

void TaskHistory::add(TaskKind kind, double flops, double kernels, double ratio, double runs) {
  if (!std::isfinite(ratio) || ratio <= 0) return;
  Cell& known =
      cell(kind, class_of(flops, flops_classes), class_of(rate(flops, kernels), rate_classes));
  double sample = std::clamp(std::log(ratio), -implausible, implausible);
  if (known.samples >= settled) {
    sample = std::clamp(sample, known.mean - far_off, known.mean + far_off);
  }
  known.samples = std::min(known.samples + runs, memory);
  known.mean += (sample - known.mean) * std::min(runs / known.samples, 1.0);
}

double TaskHistory::factor(TaskKind kind, double flops, double kernels) const {
  if (cell_.empty()) return 1;
  const double x = std::min(logarithm(flops), flops_classes - 1.0);
  const double y = std::min(logarithm(rate(flops, kernels)), rate_classes - 1.0);
  const int left = static_cast<int>(x);
  const int low = static_cast<int>(y);
  double sum = 0;
  double weights = 0;
  for (int i = left; i <= std::min(left + 1, flops_classes - 1); ++i) {
    for (int j = low; j <= std::min(low + 1, rate_classes - 1); ++j) {
      const Cell& known = cell_[position(kind, i, j)];
      const double nearness = (1 - std::abs(x - i)) * (1 - std::abs(y - j));
      sum += nearness * known.samples / (known.samples + little) * known.mean;
      weights += nearness * known.samples / (known.samples + little);
    }
  }
  return weights > 0 ? std::exp(sum / std::max(weights, 0.25)) : 1;
}

std::vector<TaskHistory::Bucket> TaskHistory::buckets() const {
  std::vector<Bucket> all;
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    if (cell_[i].samples <= 0) continue;
    const auto kind = static_cast<TaskKind>(i / rate_classes / flops_classes);
    const int flops = static_cast<int>(i / rate_classes % flops_classes);
    all.push_back(
        {kind, flops, static_cast<int>(i % rate_classes), cell_[i].samples, cell_[i].mean});
  }
  return all;
}

bool TaskHistory::restore(const Bucket& bucket) {
  const bool sound = static_cast<std::size_t>(bucket.kind) < task_kinds && bucket.flops >= 0 &&
                     bucket.flops < flops_classes && bucket.rate >= 0 &&
                     bucket.rate < rate_classes && bucket.samples > 0 && bucket.samples <= memory &&
                     std::abs(bucket.mean) <= implausible;
  if (sound) cell(bucket.kind, bucket.flops, bucket.rate) = {bucket.samples, bucket.mean};
  return sound;
}

}  // namespace espalier::internal
