// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/readable.hpp"
#include "reproduce/operation_counts.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/peer.hpp"
#include "schedulers/fixed_places.hpp"

namespace espalier::internal {

namespace sympack {

namespace {

constexpr std::array matrices{PaperMatrix{"Flan_1565", steel}, PaperMatrix{"boneS10", solid},
                              PaperMatrix{"thermal2", irregular}};
constexpr double rows_of_flan = 1564794;
constexpr Index ranks_of_workload = 4;

/// The paper's algorithm: map(i,j) assigns blocks to ranks, and to the workers of each rank. The
/// next task is the one at the top of the queue.
constexpr const char* fan_out = "as=sympack";
const std::vector<std::string> same_ordering{"--ordering", "scotch"};

std::string matrix_of(const Bench& bench, std::size_t k) {
  const std::vector<std::string> all = bench.matrices(matrices);
  return all[std::min(k, all.size() - 1)];
}

Figure characteristics(Bench& bench) {
  Figure figure = by_matrix(bench.matrices(matrices),
                            "The paper's three matrices, as far as they are in the folder of "
                            "ESPALIER_MATRICES; if there are none, similar generated ones. nnz "
                            "counts the whole matrix.");
  std::vector<RunCase> cases;
  for (const std::string& matrix : figure.rows) {
    cases.push_back({.matrix = matrix, .policy = fan_out, .workers = bench.workers_of_rank()});
  }
  Measured measured(bench, figure);
  figure.columns = {{"n", Unit::count, measured.numbers(cases, "/matrix/n")},
                    {"nnz", Unit::count, measured.values(cases, entries_of_whole_matrix)},
                    {"nnz(L)", Unit::count, measured.numbers(cases, "/symbolic/nnz_l")},
                    {"operations", Unit::flops, measured.numbers(cases, "/symbolic/flops")}};
  return figure;
}

/// Returns the fan-out policy with the paper's thresholds times `scale`.
std::string offloading(double scale) {
  const DeviceThresholds paper;
  return fmt::format(
      "{}:threshold_potrf={:.0f}:threshold_trsm={:.0f}:threshold_syrk={:.0f}:threshold_gemm={:.0f}",
      fan_out, scale * paper.potrf.entries, scale * paper.trsm.entries, scale * paper.syrk.entries,
      scale * paper.gemm.entries);
}

/// Returns the ratio of the entries of the largest blocks of a matrix with n rows to those of
/// Flan_1565. The largest separators of a solid have O(n^(2/3)) rows.
double block_scale(double n) { return std::pow(n / rows_of_flan, 4.0 / 3); }

Figure workload(Bench& bench) {
  Figure figure;
  figure.subject = subject_of(matrix_of(bench, 0), matrices[0].name);
  figure.rows_are = "operation";
  figure.rows.assign(dense_operations.begin(), dense_operations.end());
  figure.values_are = "number of operations";
  figure.picture = Figure::Picture::bars;
  const Index ranks = std::min(bench.nodes.back(), ranks_of_workload);
  RunCase what{
      .matrix = matrix_of(bench, 0), .policy = fan_out, .workers = bench.workers_of_rank()};
  Measured measured(bench, figure);
  const double scale = block_scale(measured.numbers({&what, 1}, "/matrix/n").front().median);
  if (!figure.failures.empty()) return figure;
  what.policy = offloading(scale);
  what.ranks = ranks;
  what.devices = 1;
  figure.conditions = fmt::format(
      "Operations in the factorization and in a solve on {} with a device each. A device takes an "
      "operation if an operand has at least the threshold of the paper's program times {:.3g}. "
      "This factor is (n / {:.0f})^(4/3), the ratio of the largest blocks of solids with n rows "
      "and "
      "with the rows of Flan_1565. The numbers are sums over all ranks; the paper shows one of "
      "four "
      "ranks.",
      counted(ranks, "rank"), scale, rows_of_flan);
  measured.factor_seconds({&what, 1});
  if (figure.failures.empty()) add_operations(figure, bench.runs.result(what).reports.front());
  return figure;
}

/// Adds the claims about strong scaling. The first two columns are the times of the fan-out method
/// and of the other solver.
void add_scaling_claims(const Bench& bench, Figure& figure) {
  const std::vector<Value>& times = figure.columns[0].values;
  const std::vector<Judgement> faster = each_below(times, figure.columns[1].values);
  const std::vector<Judgement> falling =
      each_below({times.begin() + 1, times.end()}, {times.begin(), times.end() - 1});
  const auto judged = [&](const std::vector<Judgement>& parts) {
    const Index busy = bench.workers_of_rank() + bench.devices;
    return bench.unless_shared(bench.nodes.back() * busy, all_of(parts));
  };
  figure.claims.push_back(
      {"The fan-out method is faster than a solver over StarPU on all numbers of nodes",
       judged(faster), "faster than lws on " + tally(faster)});
  figure.claims.push_back(
      {"Its time falls with each doubling of the nodes", judged(falling),
       fmt::format("falls on {} steps; speed-up {} on {} nodes", tally(falling),
                   readable((times.front() / times.back()).median, Unit::factor),
                   bench.nodes.back())});
}

/// The simulator needs minutes for more ranks than these.
constexpr Index most_ranks = 64;

/// Returns the case on this number of nodes with 1, 2, 4, ... processes per node, which share its
/// workers and devices in equal parts.
std::vector<RunCase> with_processes(const Bench& bench, const RunCase& what, Index nodes) {
  std::vector<RunCase> cases;
  for (Index each = 1; each <= bench.most_processes; each *= 2) {
    if (each > 1 && nodes * each > most_ranks) break;
    cases.push_back(what);
    cases.back().ranks = nodes;
    cases.back().workers = bench.workers_of_rank() / each;
    cases.back().devices = bench.devices / each;
    if (each == 1) continue;
    cases.back().options.insert(cases.back().options.end(),
                                {"--ranks-per-node", std::to_string(each)});
  }
  return cases;
}

/// Times on all numbers of nodes, each with the best number of processes per node.
struct BestTimes {
  std::vector<Value> seconds;
  std::vector<Value> processes;
};

BestTimes best_times(const Bench& bench, Measured& measured, const RunCase& what, bool solves) {
  std::vector<RunCase> all;
  for (const Index nodes : bench.nodes) {
    const std::vector<RunCase> cases = with_processes(bench, what, nodes);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  const std::vector<Value> times =
      solves ? measured.solve_seconds(all) : measured.factor_seconds(all);
  BestTimes best;
  auto at = times.begin();
  for (const Index nodes : bench.nodes) {
    const auto end = at + std::ssize(with_processes(bench, what, nodes));
    const auto fastest = std::min_element(at, end, [](const Value& a, const Value& b) {
      return b.missing() ? !a.missing() : a.median < b.median;
    });
    best.seconds.push_back(*fastest);
    best.processes.push_back(fastest->missing() ? Value{} : exact(1 << (fastest - at)));
    at = end;
  }
  return best;
}

/// Adds a column per solver outside Espalier. These run on one node, and not inside the simulator.
void add_peers(Bench& bench, Figure& figure, const std::string& matrix, bool solves) {
  const auto one = std::ranges::find(bench.nodes, Index{1});
  if (bench.runs.simulated() || one == bench.nodes.end()) return;
  const Peers peers = peers_here();
  if (!peers.found.empty()) {
    figure.conditions +=
        fmt::format(" Separate programs with {}, ordered by Scotch if they can use it: {}.",
                    counted(bench.workers_of_rank(), "thread"), fmt::join(peers.found, ", "));
  }
  if (!peers.missing.empty()) figure.conditions += " " + peers.missing;
  Measured measured(bench, figure);
  for (const char* const name : peers.found) {
    RunCase what = peer_case(name, "scotch", bench.workers_of_rank());
    what.matrix = matrix;
    Column column{name, Unit::seconds, std::vector<Value>(bench.nodes.size())};
    column.values.at(static_cast<std::size_t>(one - bench.nodes.begin())) =
        (solves ? measured.solve_seconds({&what, 1}) : measured.factor_seconds({&what, 1})).front();
    figure.columns.push_back(std::move(column));
  }
}

/// Returns the strong scaling of the factorization, or of the solve, for the paper's k-th matrix.
Figure scaling(Bench& bench, std::size_t k, std::string_view phase) {
  const bool solves = phase == "solve";
  const std::string matrix = matrix_of(bench, k);
  Figure figure = by_nodes(
      bench,
      fmt::format(
          "On {}, {} and {} each{}. The fan-out method is symPACK's: each block on one rank by a "
          "2D block-cyclic map, a task for each block, no aggregation. The paper compares with "
          "PaStiX, which is not part of Espalier. Instead, two other policies run with Espalier's "
          "own mapping: StarPU's lws, which PaStiX uses, and Espalier's own policy.",
          bench.machine(), counted(bench.workers_of_rank(), "CPU worker"),
          counted(bench.devices, "device"),
          bench.most_processes == 1
              ? ""
              : ", which one or several processes share; each time is that of "
                "the best number of processes per node"));
  figure.subject = subject_of(matrix, matrices.at(k).name);
  figure.values_are = solves ? "time of a solve" : "time of a factorization";
  Measured measured(bench, figure);
  std::vector<Column> processes;
  const auto column = [&](const char* label, RunCase what) {
    what.matrix = matrix;
    BestTimes best = best_times(bench, measured, what, solves);
    figure.columns.push_back({label, Unit::seconds, std::move(best.seconds)});
    processes.push_back(
        {fmt::format("{}: processes per node", label), Unit::count, std::move(best.processes)});
  };
  column("fan-out", {.policy = fan_out});
  column("lws", {.policy = "lws", .options = same_ordering});
  column("espalier", {.policy = "espalier", .options = same_ordering});
  add_scaling_claims(bench, figure);
  add_peers(bench, figure, matrix, solves);
  if (bench.most_processes > 1) std::ranges::move(processes, std::back_inserter(figure.columns));
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
         "it measures a network adapter that reads the memory of a device. On two nodes with such "
         "adapters, CUDA devices and a CUDA-aware MPI, mpirun -n 2 espalier solve MATRIX --as "
         "sympack --cuda-devices 1 receives blocks directly in device memory, and with "
         "STARPU_MPI_GPUDIRECT=0 through the host; the reports have the times"},
    Item{"figure 6", "operations on CPUs and devices",
         "Factorization and solve of Flan_1565 on four processes with a device each: most calls of "
         "all four operations run on CPUs, and only the largest run on devices (section 5.2).",
         "", workload},
    Item{"figure 7", "strong scaling of the factorization", scaling_of_paper, "", factorization<0>},
    Item{"figure 8", "strong scaling of the triangular solves", scaling_of_paper, "",
         triangular_solve<0>},
    Item{"figure 9", "strong scaling of the factorization", scaling_of_paper, "", factorization<1>},
    Item{"figure 10", "strong scaling of the triangular solves", scaling_of_paper, "",
         triangular_solve<1>},
    Item{"figure 11", "strong scaling of the factorization", scaling_of_paper, "",
         factorization<2>},
    Item{"figure 12", "strong scaling of the triangular solves", scaling_of_paper, "",
         triangular_solve<2>},
};

}  // namespace

}  // namespace sympack

Paper sympack_paper() {
  return {"sympack",
          "symPACK",
          "symPACK: A GPU-Capable Fan-Out Sparse Cholesky Solver. PAW-ATM 2023. "
          "doi:10.1145/3624062.3624600",
          "--as sympack: ordering by Scotch, single blocks as tasks, block-cyclic mapping; for the "
          "other policies only the ordering",
          sympack::items,
          4};
}

}  // namespace espalier::internal
