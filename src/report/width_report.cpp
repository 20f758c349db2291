// SPDX-License-Identifier: BSD-3-Clause

#include "report/width_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "base/dense.hpp"

namespace espalier::internal {

namespace {

constexpr std::array<Index, 6> widest{8, 32, 64, 128, 256, std::numeric_limits<Index>::max()};

std::size_t class_of(Index width) {
  return std::lower_bound(widest.begin(), widest.end(), width) - widest.begin();
}

/// Returns the flops of the tasks whose source is panel p.
double panel_flops(const PanelStructure& structure, Index p) {
  const Index width = structure.width(p);
  const Index height = structure.height(p);
  double sum = flops::potrf(width) + flops::trsm(height - width, width);
  for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
    const Index begin = structure.block[b].row_offset;
    sum += flops::trapezoid(height - begin, structure.block_end(p, b) - begin, width);
  }
  return sum;
}

using Classes = std::array<WidthReport, widest.size()>;

Classes empty_classes() {
  Classes classes;
  Index least = 1;
  for (std::size_t c = 0; c < widest.size(); ++c) {
    classes[c] = {least, widest[c], 0, 0, 0};
    least = widest[c] == std::numeric_limits<Index>::max() ? least : widest[c] + 1;
  }
  return classes;
}

/// Adds `seconds` to the classes of the panels inside subtrees, in proportion to their predicted
/// times.
void share_out(double seconds, const PanelStructure& structure, const SubtreeCut& cut,
               const KernelCost& cost, Classes& classes) {
  const std::vector<double> predicted = panel_seconds(structure, cost);
  std::array<double, widest.size()> share{};
  double all = 0;
  for (Index p = 0; p < structure.panels(); ++p) {
    if (cut.group_of[p] < 0) continue;
    share[class_of(structure.width(p))] += predicted[p];
    all += predicted[p];
  }
  if (all == 0) return;
  for (std::size_t c = 0; c < widest.size(); ++c) classes[c].seconds += seconds * share[c] / all;
}

}  // namespace

std::vector<WidthReport> work_by_width(const PartView& part, const SubtreeCut& cut,
                                       const KernelCost& cost, std::span<const BoundTask> tasks) {
  const auto& [structure, ownership] = part;
  Classes classes = empty_classes();
  double in_subtrees = 0;
  bool ran = false;
  for (const BoundTask& task : tasks) {
    if (task.record.worker < 0) continue;
    ran = true;
    const double seconds = task.record.end - task.record.begin;
    const TaskKind kind = task.shape.kind;
    const bool many_widths = kind == TaskKind::subtree || kind == TaskKind::assemble;
    const Index width = kind == TaskKind::reduce ? task.shape.n : task.shape.k;
    (many_widths ? in_subtrees : classes[class_of(width)].seconds) += seconds;
  }
  if (!ran) return {};
  for (Index p = 0; p < structure.panels(); ++p) {
    if (ownership.owner(p, p) != ownership.rank) continue;
    WidthReport& mine = classes[class_of(structure.width(p))];
    ++mine.panels;
    mine.flops += panel_flops(structure, p);
  }
  share_out(in_subtrees, structure, cut, cost, classes);
  std::vector<WidthReport> report;
  std::copy_if(classes.begin(), classes.end(), std::back_inserter(report),
               [](const WidthReport& found) { return found.panels > 0 || found.seconds > 0; });
  return report;
}

void add_widths(std::span<const WidthReport> part, std::vector<WidthReport>& sum) {
  for (const WidthReport& width : part) {
    const auto at =
        std::lower_bound(sum.begin(), sum.end(), width.least,
                         [](const WidthReport& known, Index least) { return known.least < least; });
    if (at == sum.end() || at->least != width.least) {
      sum.insert(at, width);
      continue;
    }
    at->panels += width.panels;
    at->seconds += width.seconds;
    at->flops += width.flops;
  }
}

}  // namespace espalier::internal
