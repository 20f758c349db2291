// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/supernode_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace espalier::internal {

namespace {

/// Coefficient of the model. The paper only says that it is above 1. The coefficient of a merged
/// supernode is twice this value.
constexpr double lambda = 2;

/// Calls f(begin, columns of the panel) for each panel if `columns` columns are divided into panels
/// of at most `width` columns.
template <class F>
void for_each_panel(double columns, double width, F f) {
  for (double begin = 0; begin < columns; begin += width) {
    f(begin, std::min(width, columns - begin));
  }
}

}  // namespace

double SupernodeModel::gemm(double rows, double columns, double inner) const {
  return inner > 0 ? cost_.product(rows, columns, inner) : 0;
}

double SupernodeModel::trsm(double rows, double order, double p1) const {
  double seconds = 0;
  for_each_panel(order, p1, [&](double begin, double width) {
    seconds += cost_.trsm(rows, width) + gemm(rows, order - begin - width, width);
  });
  return seconds;
}

double SupernodeModel::potrf(double order, double p2, double p1) const {
  double seconds = 0;
  for_each_panel(order, p2, [&](double begin, double width) {
    const double below = order - begin - width;
    // SYRK is a GEMM of the whole square (equation 2a).
    seconds += gemm(width, width, begin) + gemm(below, width, begin) + trsm(below, width, p1) +
               cost_.potrf(width) * cores_;
  });
  return seconds;
}

double SupernodeModel::supernode(double ns, double height, double p1, double p2) const {
  return gemm(ns, ns, ns) + potrf(ns, p2, p1) + gemm(std::max(height - ns, 0.0), ns, ns);
}

double SupernodeModel::merging(double ns, double z, double p1, double p2) const {
  const double merged = 2 * lambda * supernode(ns, n_ * (1 - z) + ns, p1, p2);
  const auto alone = [&](double columns) {
    return lambda * supernode(columns, n_ * density_ + columns, p1, p2);
  };
  double sum = 0;
  for (double second = 1; second < ns; ++second) {
    sum += merged - alone(ns - second) - alone(second);
  }
  return ns > 1 ? sum / (ns - 1) : 0;
}

double SupernodeModel::objective(const Tuning& tuning) const {
  const auto& [widths, zeros] = tuning.amalgamation;
  // The paper's objective f pairs nrelax[i] with zrelax[i], which is zeros[(i + 1) % 4] here.
  double sum = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    sum += merging(widths[i], zeros[(i + 1) % zeros.size()], tuning.trsm_panel, tuning.potrf_panel);
  }
  return sum / static_cast<double>(widths.size());
}

namespace {

using Field = TuningParameter::Field;

template <std::size_t i>
Field nrelax(Tuning& tuning) {
  return &tuning.amalgamation.widths[i];
}

template <std::size_t i>
Field zrelax(Tuning& tuning) {
  return &tuning.amalgamation.zeros[(i + 1) % 4];
}

constexpr std::array<TuningParameter, 10> table{{
    {"nrelax[0]", 1, 512, 1, true, false, nrelax<0>},
    {"nrelax[1]", 1, 512, 1, true, false, nrelax<1>},
    {"nrelax[2]", 1, 512, 1, true, false, nrelax<2>},
    {"nrelax[3]", 513, 1023, 1, true, false, nrelax<3>},
    {"zrelax[0]", 0.01, 0.99, 0.01, false, false, zrelax<0>},
    {"zrelax[1]", 0.01, 0.99, 0.01, false, false, zrelax<1>},
    {"zrelax[2]", 0.01, 0.99, 0.01, false, false, zrelax<2>},
    {"zrelax[3]", 0.81, 0.99, 0.01, false, false, zrelax<3>},
    {"panel1", 64, 1024, 0, true, false, [](Tuning& t) -> Field { return &t.trsm_panel; }},
    {"panel2", 64, 1024, 0, true, false, [](Tuning& t) -> Field { return &t.potrf_panel; }},
}};

}  // namespace

std::span<const TuningParameter> paper_parameters() { return table; }

}  // namespace espalier::internal
