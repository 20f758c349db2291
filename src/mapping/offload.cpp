// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/offload.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/scalar.hpp"

namespace espalier::internal {

Index mdwin(std::span<const double> host, std::span<const double> devices, Index kept) {
  const auto columns = static_cast<Index>(host.size());
  Index split = std::min(kept, columns);
  double here = std::accumulate(host.begin(), host.begin() + split, 0.0);
  double there = std::accumulate(devices.begin() + split, devices.end(), 0.0);
  while (split < columns &&
         std::max(here + host[split], there - devices[split]) <= std::max(here, there)) {
    here += host[split];
    there -= devices[split];
    ++split;
  }
  return split;
}

namespace {

/// Updates by a panel on the host or the devices, as in equations 5 and 6 of HALO: one product with
/// n_t columns and m_t rows, and the scattering of its blocks. m_t n_t is the number of multiplied
/// entries, which for Cholesky's trapezoids is less than rows times columns.
struct ModelPart {
  double entries = 0;
  double columns = 0;
  double scatter = 0;  ///< seconds

  void add(const ModelPart& other, double sign) {
    entries += sign * other.entries;
    columns += sign * other.columns;
    scatter += sign * other.scatter;
  }
  double seconds(const KernelCost& cost, double inner) const {
    return columns > 0 ? cost.gemm(entries / columns, columns, inner) + scatter : 0;
  }
};

class OffloadPlanner {
 public:
  OffloadPlanner(const PanelStructure& structure, const SubtreeCut& cut, const KernelCost& host,
                 const KernelCost& device, const OffloadOptions& options, OwnUpdates own)
      : structure_(structure),
        cut_(cut),
        host_(host),
        device_(device),
        options_(options),
        own_(std::move(own)) {
    if (options.costs) link_ = *options.costs;
  }

  OffloadPlan plan() {
    OffloadPlan plan;
    plan.device = all_shadows();
    split_all(plan);
    plan.unlimited = plan.flops;
    if (options_.device_bytes < std::numeric_limits<Count>::max()) {
      plan.device = shadows_within(plan.device);
      split_all(plan);
    }
    plan.own = std::move(own_);
    return plan;
  }

 private:
  bool is_above(Index p) const { return cut_.group_of[p] < 0; }

  Index columns_of(Index p, Count b) const {
    return structure_.block_end(p, b) - structure_.block[b].row_offset;
  }

  /// Calls f(size) for each product of this rank in the update by block b.
  template <class F>
  void for_each_product(Index p, Count b, F f) const {
    const Index begin = structure_.block[b].row_offset;
    for_each_own(structure_, own_, p, b, [&](const OwnUpdates::Rows& rows) {
      f(UpdateSize{.rows = static_cast<double>(rows.end - rows.begin),
                   .columns = static_cast<double>(columns_of(p, b)),
                   .inner = static_cast<double>(structure_.width(p)),
                   .trapezoid = rows.begin == begin});
    });
  }

  double flops_of(Index p, Count b) const {
    double sum = 0;
    for_each_product(p, b, [&](const UpdateSize& size) { sum += size.flops(); });
    return sum;
  }

  double seconds_of(const KernelCost& cost, Index p, Count b) const {
    double sum = 0;
    for_each_product(p, b, [&](const UpdateSize& size) { sum += size.seconds(cost); });
    return sum;
  }

  /// Returns an upper bound of the size of a panel's shadow for any division of the updates.
  Count shadow_bytes(Index k, UpdatedRows& updated) const {
    const auto rows =
        updated.of(k, [&](Index source, Count block) { return is_for_devices(source, block); });
    return scalar.bytes_of(structure_.width(k) * std::ssize(rows));
  }

  /// Returns whether an update may go to a device. The first update by a panel may not.
  bool is_for_devices(Index source, Count block) const {
    return is_above(source) && block > structure_.block_begin[source] + 1;
  }

  /// Returns a device for each panel above the cut that devices may update, in turn, and -1 for all
  /// other panels.
  std::vector<Index> all_shadows() const {
    std::vector<Index> device(structure_.panels(), -1);
    Index next = 0;
    for (Index p = 0; p < structure_.panels(); ++p) {
      if (is_above(p) && may_have_shadow(p)) device[p] = next++ % options_.devices;
    }
    return device;
  }

  bool may_have_shadow(Index k) const {
    for (Count f = structure_.facing_begin[k]; f < structure_.facing_begin[k + 1]; ++f) {
      const Index source = structure_.facing_source[f];
      const Count block = structure_.facing_block[f];
      if (!is_for_devices(source, block)) continue;
      if (own_.is_all() || !own_.of(block).empty()) return true;
    }
    return false;
  }

  /// Returns the device with the shadow of each panel, or -1. Takes the panels of `wanted` by
  /// falling number of descendants and skips panels whose shadows do not fit.
  std::vector<Index> shadows_within(const std::vector<Index>& wanted) const {
    std::vector<Index> order;
    for (Index p = 0; p < structure_.panels(); ++p) {
      if (wanted[p] >= 0) order.push_back(p);
    }
    const std::vector<Index> columns = descendants();
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return columns[a] > columns[b]; });
    std::vector<Count> left(options_.devices, options_.device_bytes);
    std::vector<Index> device(wanted.size(), -1);
    UpdatedRows updated(structure_, own_);
    Index next = 0;
    for (const Index p : order) {
      Count& space = left[next % options_.devices];
      const Count bytes = shadow_bytes(p, updated);
      if (bytes > space) continue;
      space -= bytes;
      device[p] = next++ % options_.devices;
    }
    return device;
  }

  /// Returns the number of columns in the subtree below each panel.
  std::vector<Index> descendants() const {
    std::vector<Index> columns(structure_.panels(), 0);
    for (Index p = 0; p < structure_.panels(); ++p) {
      const Index parent = structure_.parent(p);
      if (parent >= 0) columns[parent] += columns[p] + structure_.width(p);
    }
    return columns;
  }

  void split_all(OffloadPlan& plan) {
    plan.first.assign(structure_.panels(), 0);
    plan.flops = plan.total = 0;
    for (Index p = 0; p < structure_.panels(); ++p) {
      const Count begin = structure_.block_begin[p] + 1;
      const Count end = structure_.block_begin[p + 1];
      plan.first[p] = end;
      if (!is_above(p)) continue;
      plan.first[p] = first_for_devices(p, plan.device);
      for (Count b = begin; b < end; ++b) {
        const double flops = flops_of(p, b);
        plan.total += flops;
        if (plan.on_device(structure_, p, b)) plan.flops += flops;
      }
    }
  }

  Count first_for_devices(Index p, const std::vector<Index>& device) {
    switch (options_.division.rule) {
      case HaloDivision::Rule::mdwin: return balanced(p, device);
      case HaloDivision::Rule::paper: return balanced_by_equations(p, device);
      default: return fixed_share(p);
    }
  }

  /// Returns the first block of the devices by MDWIN. Blocks that face panels without a shadow stay
  /// on the host wherever the split is, so they add a fixed time to the host.
  Count balanced(Index p, const std::vector<Index>& device) {
    const Count begin = structure_.block_begin[p] + 1;
    const Count end = structure_.block_begin[p + 1];
    on_host_.clear();
    on_devices_.clear();
    block_.clear();
    double anyway = 0;
    for (Count b = begin; b < end; ++b) {
      const double here = options_.load * seconds_of(host_, p, b) / options_.host_workers;
      if (b == begin || device[structure_.block[b].facing] < 0) {
        anyway += here;
        continue;
      }
      const double bytes =
          static_cast<double>(scalar.bytes) * columns_of(p, b) * structure_.width(p);
      on_host_.push_back(here);
      on_devices_.push_back((seconds_of(device_, p, b) + link_.task) / options_.device_processors +
                            link_.to.byte * bytes);
      block_.push_back(b);
    }
    if (block_.empty()) return end;
    on_host_.insert(on_host_.begin(), anyway);
    on_devices_.insert(on_devices_.begin(), 0);
    const Index split = mdwin(on_host_, on_devices_, 1);
    return split > static_cast<Index>(block_.size()) ? end : block_[split - 1];
  }

  /// Returns the update by block b in the model. Its rows are scattered block by block (equation
  /// 6).
  ModelPart model_of(const KernelCost& cost, Index p, Count b) const {
    ModelPart part{.columns = static_cast<double>(columns_of(p, b))};
    for_each_own(structure_, own_, p, b, [&](const OwnUpdates::Rows& own) {
      for (Count i = b; i < structure_.block_begin[p + 1]; ++i) {
        const Index begin = std::max(own.begin, structure_.block[i].row_offset);
        const Index end = std::min(own.end, structure_.block_end(p, i));
        if (begin >= end) continue;
        const double rows = end - begin;
        const double share = i == b ? (rows + 1) / (2 * rows) : 1;  // the lower triangle
        part.entries += share * rows * part.columns;
        part.scatter += share * cost.scatter(rows, part.columns);
      }
    });
    return part;
  }

  /// Returns the first block of the devices by the paper's model alone: the split for which the
  /// longer of the two times t_GEMM + t_SCATTER (equation 5) is shortest. Cost O(blocks squared).
  Count balanced_by_equations(Index p, const std::vector<Index>& device) const {
    const Count begin = structure_.block_begin[p] + 1;
    const Count end = structure_.block_begin[p + 1];
    const auto goes = [&](Count b) { return b > begin && device[structure_.block[b].facing] >= 0; };
    ModelPart host;
    ModelPart there;
    for (Count b = begin; b < end; ++b) {
      (goes(b) ? there : host).add(model_of(goes(b) ? device_ : host_, p, b), 1);
    }
    const auto longer = [&] {
      const double inner = structure_.width(p);
      return std::max(host.seconds(host_, inner) / options_.host_workers,
                      there.seconds(device_, inner) / options_.device_processors);
    };
    Count first = std::min(begin + 1, end);
    double least = longer();
    for (Count b = begin + 1; b < end; ++b) {
      if (!goes(b)) continue;
      there.add(model_of(device_, p, b), -1);
      host.add(model_of(host_, p, b), 1);
      if (longer() <= least) {
        least = longer();
        first = b + 1;
      }
    }
    return first;
  }

  /// Returns the first block of the devices for a fixed share: the devices get the last `share` of
  /// the columns, to the nearest whole block. Their product then has as many rows as columns.
  Count fixed_share(Index p) const {
    const Count begin = structure_.block_begin[p] + 1;
    const Count end = structure_.block_begin[p + 1];
    if (begin == end) return end;
    const double columns = structure_.height(p) - structure_.width(p);
    const double border = structure_.height(p) - options_.division.share * columns;
    Count b = begin + 1;
    while (b < end &&
           (structure_.block[b].row_offset + structure_.block_end(p, b)) / 2.0 < border) {
      ++b;
    }
    const Index left = b < end ? structure_.height(p) - structure_.block[b].row_offset : 0;
    if (options_.division.is_too_small(left, left, structure_.width(p))) return end;
    return b;
  }

  const PanelStructure& structure_;
  const SubtreeCut& cut_;
  const KernelCost& host_;
  const KernelCost& device_;
  const OffloadOptions& options_;
  OwnUpdates own_;
  DeviceTable link_;             ///< all zero if the options have no costs
  std::vector<double> on_host_;  ///< seconds of the updates by each block of the current panel
  std::vector<double> on_devices_;
  std::vector<Count> block_;
};

}  // namespace

OffloadPlan plan_offload(const PanelStructure& structure, const SubtreeCut& cut,
                         const KernelCost& host, const KernelCost& device,
                         const OffloadOptions& options, OwnUpdates own) {
  return OffloadPlanner(structure, cut, host, device, options, std::move(own)).plan();
}

}  // namespace espalier::internal
