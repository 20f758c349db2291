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

constexpr int rates_an_octave = 2;
constexpr double enough = 0.25;  ///< belief at which the classes around a task stand alone
constexpr int farthest = 6;      ///< classes from a task, of those that may stand in

double logarithm(double value) { return std::log2(std::max(value, 1.0)); }

/// Returns the Mflop a second of kernels that take so many seconds.
double rate(double flops, double kernels) { return kernels > 0 ? flops / kernels / 1e6 : 0; }

}  // namespace

std::size_t TaskHistory::position(TaskKind kind, int flops, int rate) {
  return (static_cast<std::size_t>(kind) * flops_classes + flops) * rate_classes + rate;
}

std::array<TaskHistory::Neighbor, 4> TaskHistory::neighbors(TaskKind kind, double flops,
                                                            double kernels) {
  const double x = std::min(logarithm(flops), flops_classes - 1.0);
  const double y = std::min(rates_an_octave * logarithm(rate(flops, kernels)), rate_classes - 1.0);
  const int left = std::min(static_cast<int>(x), flops_classes - 2);
  const int low = std::min(static_cast<int>(y), rate_classes - 2);
  const double right = x - left;
  const double up = y - low;
  return {{{position(kind, left, low), (1 - right) * (1 - up)},
           {position(kind, left, low + 1), (1 - right) * up},
           {position(kind, left + 1, low), right * (1 - up)},
           {position(kind, left + 1, low + 1), right * up}}};
}

TaskHistory::Cell& TaskHistory::met(std::size_t cell) {
  if (cell_.empty()) cell_.resize(task_kinds * flops_classes * rate_classes);
  kinds_[cell / rate_classes / flops_classes] = true;
  return cell_[cell];
}

void TaskHistory::add(TaskKind kind, double flops, double kernels, double ratio, double runs) {
  if (!std::isfinite(ratio) || ratio <= 0) return;
  for (const auto& [cell, nearness] : neighbors(kind, flops, kernels)) {
    if (nearness <= 0) continue;
    Cell& known = met(cell);
    double sample = std::clamp(std::log(ratio), -implausible, implausible);
    if (known.samples >= settled) {
      sample = std::clamp(sample, known.mean - far_off, known.mean + far_off);
    }
    const double worth = nearness * runs;
    known.samples = std::min(known.samples + worth, memory);
    known.mean += (sample - known.mean) * std::min(worth / known.samples, 1.0);
  }
}

double TaskHistory::factor(TaskKind kind, double flops, double kernels) const {
  if (!kinds_[static_cast<std::size_t>(kind)]) return 1;
  const auto around = neighbors(kind, flops, kernels);
  double sum = 0;
  double weights = 0;
  for (const auto& [cell, nearness] : around) {
    const Cell& known = cell_[cell];
    const double weight = nearness * known.samples / (known.samples + little);
    sum += weight * known.mean;
    weights += weight;
  }
  if (weights >= enough) return std::exp(sum / weights);
  const double far = nearest_mean(around.front().cell);
  return std::exp((sum + (enough - weights) * far) / enough);
}

double TaskHistory::nearest_mean(std::size_t cell) const {
  const int flops = static_cast<int>(cell / rate_classes % flops_classes);
  const int rate = static_cast<int>(cell % rate_classes);
  const std::size_t kind = cell / rate_classes / flops_classes;
  for (int distance = 1; distance <= farthest; ++distance) {
    double sum = 0;
    double samples = 0;
    for (int i = std::max(flops - distance, 0); i <= std::min(flops + distance, flops_classes - 1);
         ++i) {
      for (int j = std::max(rate - distance, 0); j <= std::min(rate + distance, rate_classes - 1);
           ++j) {
        const Cell& known = cell_[position(static_cast<TaskKind>(kind), i, j)];
        sum += known.samples * known.mean;
        samples += known.samples;
      }
    }
    if (samples > 0) return sum / samples;
  }
  return 0;
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
  if (sound) {
    met(position(bucket.kind, bucket.flops, bucket.rate)) = {bucket.samples, bucket.mean};
  }
  return sound;
}

TaskHistory TaskHistory::at_other_rates(double factor) const {
  const auto classes = static_cast<int>(std::lround(rates_an_octave * std::log2(factor)));
  TaskHistory moved;
  for (Bucket bucket : buckets()) {
    bucket.rate = std::clamp(bucket.rate + classes, 0, rate_classes - 1);
    moved.restore(bucket);
  }
  return moved;
}

}  // namespace espalier::internal
