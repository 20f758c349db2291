// SPDX-License-Identifier: BSD-3-Clause

#include "base/cost_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace espalier::internal {

namespace {

/// Position of a dimension between two sizes of the grid: the class of the lower size, the class of
/// the upper size, and the fraction of the distance from the lower to the upper one.
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

constexpr double memory = 100;   ///< maximum number of samples that a class remembers
constexpr double little = 2;     ///< number of samples at which a class has half its full weight
constexpr double settled = 10;   ///< number of samples that a class needs before it clamps outliers
constexpr double far_off = 0.7;  ///< limit for outliers, in logarithms: a factor of two
constexpr double implausible = 7;  ///< limit on all samples, in logarithms: a factor of a thousand

constexpr int rates_an_octave = 2;
constexpr double smallest_size = 17;  ///< log2 of the entries of L in the first class
constexpr double octaves_a_size = 2;
constexpr double enough = 0.25;  ///< weight at which the classes around a task suffice
/// Maximum distance from a task to a class that makes up for missing weight, in classes.
constexpr int farthest = 6;

/// An L of at least this number of times the caches is out of them before its next factorization.
constexpr double outgrows = 2;

double logarithm(double value) { return std::log2(std::max(value, 1.0)); }

/// Returns the rate in Mflop/s. `kernels` is the kernel time in seconds.
double rate(double flops, double kernels) { return kernels > 0 ? flops / kernels / 1e6 : 0; }

/// The two classes around a position among `classes`, with their nearness.
struct Beside {
  std::array<int, 2> cell;
  std::array<double, 2> nearness;

  Beside(double at, int classes) {
    const double within = std::clamp(at, 0.0, classes - 1.0);
    const int below = std::min(static_cast<int>(within), classes - 2);
    const double above = within - below;
    cell = {below, below + 1};
    nearness = {1 - above, above};
  }
};

/// The range of classes within some distance of a class.
struct Around {
  int first;
  int last;

  Around(int at, int distance, int classes)
      : first(std::max(at - distance, 0)), last(std::min(at + distance, classes - 1)) {}
};

}  // namespace

std::size_t TaskHistory::position(TaskKind kind, int flops, int rate, int size) {
  return ((static_cast<std::size_t>(kind) * flops_classes + flops) * rate_classes + rate) *
             size_classes +
         size;
}

TaskHistory::Bucket TaskHistory::class_of(std::size_t cell) {
  const std::size_t rates = cell / size_classes;
  const std::size_t flops = rates / rate_classes;
  return {static_cast<TaskKind>(flops / flops_classes),
          static_cast<int>(flops % flops_classes),
          static_cast<int>(rates % rate_classes),
          static_cast<int>(cell % size_classes),
          0,
          0};
}

std::array<TaskHistory::Neighbor, 8> TaskHistory::neighbors(const Features& task) {
  const Beside flops(logarithm(task.flops), flops_classes);
  const Beside rates(rates_an_octave * logarithm(rate(task.flops, task.kernels)), rate_classes);
  const Beside sizes((logarithm(task.entries) - smallest_size) / octaves_a_size, size_classes);
  std::array<Neighbor, 8> all{};
  for (unsigned i = 0; i < all.size(); ++i) {
    const unsigned x = i >> 2 & 1;
    const unsigned y = i >> 1 & 1;
    const unsigned z = i & 1;
    all[i] = {position(task.kind, flops.cell[x], rates.cell[y], sizes.cell[z]),
              flops.nearness[x] * rates.nearness[y] * sizes.nearness[z]};
  }
  return all;
}

TaskHistory::Cell& TaskHistory::met(std::size_t cell) {
  if (cell_.empty()) cell_.resize(task_kinds * cells_of_kind);
  kinds_[cell / cells_of_kind] = true;
  largest_size_ = std::max(largest_size_, static_cast<int>(cell % size_classes));
  return cell_[cell];
}

void TaskHistory::add(const Features& task, double ratio, double runs) {
  if (!std::isfinite(ratio) || ratio <= 0) return;
  for (const auto& [cell, nearness] : neighbors(task)) {
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

double TaskHistory::factor(const Features& task) const {
  if (!kinds_[static_cast<std::size_t>(task.kind)]) return 1;
  const auto beside = neighbors(task);
  double sum = 0;
  double weights = 0;
  for (const auto& [cell, nearness] : beside) {
    const Cell& known = cell_[cell];
    const double weight = nearness * known.samples / (known.samples + little);
    sum += weight * known.mean;
    weights += weight;
  }
  if (weights < enough) {
    const auto nearest = std::ranges::max_element(beside, {}, &Neighbor::nearness);
    sum += (enough - weights) * nearest_mean(nearest->cell);
    weights = enough;
  }
  const double mean = sum / weights;
  return std::exp(mean < 0 ? mean * share_of_savings(task.entries) : mean);
}

double TaskHistory::share_of_savings(double entries) const {
  const double largest = std::exp2(smallest_size + octaves_a_size * largest_size_);
  const bool outside = cached_entries > 0 && largest >= outgrows * cached_entries;
  return outside ? 1 : std::min(1.0, largest / std::max(entries, 1.0));
}

double TaskHistory::nearest_mean(std::size_t cell) const {
  const Bucket at = class_of(cell);
  for (int distance = 0; distance <= farthest; ++distance) {
    for (int other = 0; other < size_classes; ++other) {
      const Cell all = around(at, distance, other);
      if (all.samples > 0) return all.mean;
    }
  }
  return 0;
}

TaskHistory::Cell TaskHistory::around(const Bucket& at, int distance, int other_size) const {
  const Around flops(at.flops, distance, flops_classes);
  const Around rates(at.rate, distance, rate_classes);
  Cell all;
  for (int size = 0; size < size_classes; ++size) {
    if (std::abs(size - at.size) != other_size) continue;
    for (int i = flops.first; i <= flops.last; ++i) {
      for (int j = rates.first; j <= rates.last; ++j) {
        const Cell& known = cell_[position(at.kind, i, j, size)];
        all.samples += known.samples;
        if (known.samples > 0) all.mean += (known.mean - all.mean) * known.samples / all.samples;
      }
    }
  }
  return all;
}

std::vector<TaskHistory::Bucket> TaskHistory::buckets() const {
  std::vector<Bucket> all;
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    if (cell_[i].samples <= 0) continue;
    Bucket bucket = class_of(i);
    bucket.samples = cell_[i].samples;
    bucket.mean = cell_[i].mean;
    all.push_back(bucket);
  }
  return all;
}

bool TaskHistory::restore(const Bucket& bucket) {
  const auto is_class = [](int number, int classes) { return number >= 0 && number < classes; };
  const bool sound = static_cast<std::size_t>(bucket.kind) < task_kinds &&
                     is_class(bucket.flops, flops_classes) && is_class(bucket.rate, rate_classes) &&
                     is_class(bucket.size, size_classes) && bucket.samples > 0 &&
                     bucket.samples <= memory && std::abs(bucket.mean) <= implausible;
  if (sound) {
    met(position(bucket.kind, bucket.flops, bucket.rate, bucket.size)) = {bucket.samples,
                                                                          bucket.mean};
  }
  return sound;
}

void TaskHistory::take_faster(const TaskHistory& other) {
  for (const Bucket& bucket : other.buckets()) {
    Cell& known = met(position(bucket.kind, bucket.flops, bucket.rate, bucket.size));
    if (known.samples <= 0 || bucket.mean < known.mean) known = {bucket.samples, bucket.mean};
  }
}

TaskHistory TaskHistory::at_other_rates(double factor) const {
  const auto classes = static_cast<int>(std::lround(rates_an_octave * std::log2(factor)));
  TaskHistory moved;
  moved.cached_entries = cached_entries;
  for (Bucket bucket : buckets()) {
    bucket.rate = std::clamp(bucket.rate + classes, 0, rate_classes - 1);
    moved.restore(bucket);
  }
  return moved;
}

}  // namespace espalier::internal
