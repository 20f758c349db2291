// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/readable.hpp"
#include "reproduce/operation_counts.hpp"
#include "reproduce/paper.hpp"
#include "schedulers/fixed_places.hpp"

namespace espalier::internal {

namespace sympack {

namespace {

constexpr std::array matrices{PaperMatrix{"Flan_1565", steel}, PaperMatrix{"boneS10", solid},
                              PaperMatrix{"thermal2", irregular}};

/// The paper's algorithm: map(i,j) assigns blocks to ranks, and to the workers of each rank. The
/// next task is the one at the top of the queue.
constexpr const char* fan_out = "fanout:ready_order=fifo:thresholds=paper";
const std::vector<std::string> every_block{"--granularity", "block", "--mapping", "block-cyclic"};

std::string matrix_of(const Bench& bench, std::size_t k) {
  const std::vector<std::string> all = bench.matrices(matrices);
  return all[std::min(k, all.size() - 1)];
}

Figure characteristics(Bench& bench) {
  Figure figure = by_matrix(bench.matrices(matrices),
                            "The paper's three matrices, as far as they are in the folder of "
                            "ESPALIER_MATRICES; if there are none, similar generated ones.");
  std::vector<RunCase> cases;
  for (const std::string& matrix : figure.rows) cases.push_back({matrix});
  Measured measured(bench, figure);
  figure.columns = {{"n", Unit::count, measured.numbers(cases, "/matrix/n")},
                    {"nnz, lower", Unit::count, measured.numbers(cases, "/matrix/nnz_lower")},
                    {"nnz(L)", Unit::count, measured.numbers(cases, "/symbolic/nnz_l")},
                    {"operations", Unit::flops, measured.numbers(cases, "/symbolic/flops")}};
  return figure;
}

/// Returns the fan-out policy with the paper's thresholds divided by `divisor`, so that smaller
/// matrices have blocks above them.
std::string offloading(int divisor) {
  if (divisor == 1) return fan_out;
  const DeviceThresholds paper;
  return fmt::format("{}:threshold_potrf={}:threshold_trsm={}:threshold_syrk={}:threshold_gemm={}",
                     fan_out, paper.potrf.entries / divisor, paper.trsm.entries / divisor,
                     paper.syrk.entries / divisor, paper.gemm.entries / divisor);
}

/// Returns the case, and its divisor, with the highest thresholds for which devices run a part of
/// each operation of the factorization. If there is none, returns the case with the lowest
/// thresholds.
std::pair<RunCase, int> offloading_case(Bench& bench, RunCase what) {
  constexpr std::array divisors{1, 16, 256, 4096};
  for (const int divisor : divisors) {
    what.policy = offloading(divisor);
    const RunResult& run = bench.runs.result(what);
    const bool offloads = run.failure.empty() && offloads_each(operations_of(run.report, "factor"));
    if (!run.failure.empty() || offloads) return {what, divisor};
  }
  return {what, divisors.back()};
}

Figure workload(Bench& bench) {
  Figure figure;
  figure.rows_are = "operation";
  figure.rows.assign(dense_operations.begin(), dense_operations.end());
  figure.picture = Figure::Picture::bars;
  const Index ranks = bench.nodes.back();
  const auto [what, divisor] = offloading_case(bench, {.matrix = matrix_of(bench, 0),
                                                       .ranks = ranks,
                                                       .workers = bench.workers_of_rank(),
                                                       .devices = 1,
                                                       .options = every_block});
  figure.conditions = fmt::format(
      "Operations in the factorization and in a solve of {} on {} {} with a device each, with the "
      "thresholds of the paper's program{}. The numbers are sums over all ranks; the paper shows "
      "one of four ranks.",
      what.matrix, ranks, ranks == 1 ? "rank" : "ranks",
      divisor == 1 ? ""
                   : fmt::format(" divided by {}, because with higher ones devices would not run "
                                 "every operation for a matrix of this size",
                                 divisor));
  Measured(bench, figure).factor_seconds({&what, 1});
  const RunResult& run = bench.runs.result(what);
  if (run.failure.empty()) add_operations(figure, run.report);
  return figure;
}

/// Returns the strong scaling of the factorization, or of the solve, for the paper's k-th matrix.
Figure scaling(Bench& bench, std::size_t k, std::string_view phase) {
  const bool solves = phase == "solve";
  const std::string matrix = matrix_of(bench, k);
  Figure figure = by_nodes(
      bench,
      fmt::format(
          "{} on {}, {} and {} each. The fan-out method is symPACK's: each block on one rank by a "
          "2D block-cyclic map, a task for each block, no aggregation. The paper compares with "
          "PaStiX, which is not part of Espalier. Instead, two other policies run with Espalier's "
          "own mapping: StarPU's lws, which PaStiX uses, and Espalier's own policy.",
          matrix, bench.machine(), counted(bench.workers_of_rank(), "CPU worker"),
          counted(bench.devices, "device")));
  Measured measured(bench, figure);
  const auto column = [&](const char* label, RunCase what) {
    what.matrix = matrix;
    what.devices = bench.devices;
    const std::vector<RunCase> cases = on_all_nodes(bench, what);
    figure.columns.push_back(
        {label, Unit::seconds,
         solves ? measured.solve_seconds(cases) : measured.factor_seconds(cases)});
  };
  column("fan-out", {.policy = fan_out, .options = every_block});
  column("lws", {.policy = "lws"});
  column("espalier", {.policy = "espalier"});
  const Below faster = below({figure.columns[0].values}, {figure.columns[1].values});
  figure.claims.push_back(
      {"The fan-out method is faster than a solver over StarPU on all numbers of nodes", faster.all,
       "faster than lws on " + faster.text});
  const std::vector<double>& times = figure.columns[0].values;
  figure.claims.push_back({"Its time falls with each doubling of the nodes",
                           std::ranges::is_sorted(times, std::greater<>()),
                           fmt::format("speed-up {:.2f} on {} nodes", times.front() / times.back(),
                                       bench.nodes.back())});
  return figure;
}

template <std::size_t matrix>
Figure factorization(Bench& bench) {
  return scaling(bench, matrix, "factorization");
}
template <std::size_t matrix>
Figure triangular_solve(Bench& bench) {
  return scaling(bench, matrix, "solve");
}

constexpr const char* scaling_of_paper =
    "On Perlmutter (64 cores and four A100 a node), 1 to 64 nodes, symPACK is faster than PaStiX "
    "6.2.2 on every number of nodes, by up to 14 times over all problems (abstract; section 5.3).";

constexpr std::array items{
    Item{"table 1", "the matrices",
         "Flan_1565: n = 1 564 794, nnz = 114 165 372; boneS10: 914 898 and 40 878 708; thermal2: "
         "1 228 045 and 8 580 313.",
         "", characteristics},
    Item{"figure 5", "bandwidth of one-sided gets into the memory of a device",
         "With GPUDirect RDMA 5.9 times (8 KiB) to 2.3 times (above 1 MiB) the bandwidth of copies "
         "through the host.",
         "it measures a network adapter that reads device memory, which needs two nodes with such "
         "hardware"},
    Item{"figure 6", "operations on CPUs and devices",
         "Factorization and solve of Flan_1565 on four processes with a device each: most calls of "
         "all four operations run on CPUs, and only the largest run on devices (section 5.2).",
         "", workload},
    Item{"figure 7", "strong scaling of the factorization of Flan_1565", scaling_of_paper, "",
         factorization<0>},
    Item{"figure 8", "strong scaling of the triangular solves of Flan_1565", scaling_of_paper, "",
         triangular_solve<0>},
    Item{"figure 9", "strong scaling of the factorization of boneS10", scaling_of_paper, "",
         factorization<1>},
    Item{"figure 10", "strong scaling of the triangular solves of boneS10", scaling_of_paper, "",
         triangular_solve<1>},
    Item{"figure 11", "strong scaling of the factorization of thermal2", scaling_of_paper, "",
         factorization<2>},
    Item{"figure 12", "strong scaling of the triangular solves of thermal2", scaling_of_paper, "",
         triangular_solve<2>},
};

}  // namespace

}  // namespace sympack

Paper sympack_paper() {
  return {"sympack", "symPACK",
          "symPACK: A GPU-Capable Fan-Out Sparse Cholesky Solver. PAW-ATM 2023. "
          "doi:10.1145/3624062.3624600",
          sympack::items};
}

}  // namespace espalier::internal
