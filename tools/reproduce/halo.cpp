// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/readable.hpp"

namespace espalier::internal {

namespace halo {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array matrices{PaperMatrix{"atmosmodd", solid},
                              PaperMatrix{"audikw_1", steel},
                              PaperMatrix{"dielFilterV3real", dense_rows},
                              PaperMatrix{"Ga19As19H42", dense_rows},
                              PaperMatrix{"Geo_1438", steel},
                              PaperMatrix{"H2O", small_dense_rows},
                              PaperMatrix{"nd24k", dense_rows},
                              nlpkkt80,
                              rm07r,
                              PaperMatrix{"torso3", irregular}};
constexpr std::array divided_matrices{matrices[5], matrices[6], matrices[7], matrices[9]};
constexpr std::array limited_matrices{matrices[6], matrices[7]};

/// Returns the sum of a field over the tasks of these kinds on all workers in a report.
double sum_of(const Json& report, const char* field,
              std::initializer_list<std::string_view> kinds) {
  double sum = 0;
  for (const Json& kind : report.at("kinds")) {
    const auto name = kind.at("kind").get<std::string>();
    if (std::ranges::find(kinds, name) != kinds.end()) sum += kind.at(field).get<double>();
  }
  return sum;
}

/// Returns the share of the operations that devices may take: those of the updates.
double offloadable(const Json& report) {
  return sum_of(report, "flops", {"update"}) /
         sum_of(report, "flops", {"diagonal", "factor", "update", "subtree"});
}

RunCase host_alone(const Bench& bench, const std::string& matrix) {
  return {.matrix = matrix, .workers = beside(bench), .options = host_options()};
}

/// Returns the case with a device. `more` is empty, or options of the policy after a colon.
RunCase with_device(const Bench& bench, const std::string& matrix, const std::string& more = "") {
  return {.matrix = matrix, .policy = model_driven + more, .workers = beside(bench), .devices = 1};
}

/// Returns the judgement of runs with one device, if host and device do not share a core.
Judgement judged(const Bench& bench, Judgement judgement) {
  return bench.unless_shared(busy_cores(bench, 1, beside(bench), 1), std::move(judgement));
}

Figure characteristics(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(matrices),
                "The paper's matrices, as far as they are in the folder of ESPALIER_MATRICES; if "
                "there are none, generated ones. Only symmetric positive definite ones can be "
                "factored. nnz(A) counts the whole matrix; the fill ratio is that of the lower "
                "triangles. The paper computes LU factorizations.");
  std::vector<RunCase> cases;
  for (const std::string& matrix : figure.rows) cases.push_back(host_alone(bench, matrix));
  Measured measured(bench, figure);
  const std::vector<Value> n = measured.numbers(cases, "/matrix/n");
  figure.columns = {
      {"n", Unit::count, n},
      {"nnz(A)/n", Unit::factor, over(measured.values(cases, entries_of_whole_matrix), n)},
      {"fill ratio", Unit::factor,
       over(measured.numbers(cases, "/symbolic/nnz_l"),
            measured.numbers(cases, "/matrix/nnz_lower"))},
      {"operations", Unit::flops, measured.numbers(cases, "/symbolic/flops")}};
  return figure;
}

/// Offload fractions of the static divisions, as in the paper's figure.
constexpr std::array shares{0.1, 0.3, 0.5, 0.7, 0.9};

void add_positions(Figure& figure, std::span<const double> positions) {
  for (const double at : positions) {
    figure.rows.push_back(fmt::format("{}", at));
    figure.positions.push_back(at);
  }
}

/// Adds the columns of one matrix, which are relative to the host alone. Returns whether MDWIN is
/// faster than the fastest static division.
Judgement add_divisions(Bench& bench, Figure& figure, const std::string& matrix,
                        std::string& numbers) {
  std::vector<RunCase> cases{host_alone(bench, matrix), with_device(bench, matrix)};
  for (const char* const method : {"static0", "static1"}) {
    for (const double share : shares) {
      cases.push_back(with_device(bench, matrix, fmt::format(":halo={}:{}", method, share)));
    }
  }
  const std::vector<Value> times = Measured(bench, figure).factor_seconds(cases);
  const std::vector<Value> relative = over(times, std::vector<Value>(times.size(), times[0]));
  const auto statics = relative.begin() + 2;
  const auto middle = statics + shares.size();
  const auto column = [&](const char* label, std::vector<Value> values) {
    figure.columns.push_back({label, Unit::factor, std::move(values), matrix});
  };
  column("STATIC0", {statics, middle});
  column("STATIC1", {middle, relative.end()});
  column("MDWIN", std::vector<Value>(shares.size(), relative[1]));
  column("host alone", std::vector<Value>(shares.size(), exact(1)));
  const Value best = *std::min_element(times.begin() + 2, times.end(), [](auto& a, auto& b) {
    return b.missing() || a.median < b.median;
  });
  numbers += fmt::format("{}{} and {} on {}", numbers.empty() ? "" : "; ",
                         readable((times[1] / times[0]).median, Unit::factor),
                         readable((best / times[0]).median, Unit::factor), matrix);
  return is_below(times[1], best);
}

Figure divisions(Bench& bench) {
  Figure figure;
  figure.rows_are = "offload fraction";
  figure.values_are = "time over that of the host alone";
  figure.picture = Figure::Picture::lines;
  add_positions(figure, shares);
  figure.conditions = fmt::format(
      "Time of the factorization over that of the host alone, on {}. MDWIN chooses a fraction for "
      "each panel, so it has one value for the whole axis.",
      machine_of(bench));
  std::vector<Judgement> faster;
  std::string numbers;
  for (const std::string& matrix : bench.matrices(divided_matrices)) {
    faster.push_back(add_divisions(bench, figure, matrix, numbers));
  }
  figure.claims.push_back({"MDWIN is faster than the best static fraction on each matrix",
                           judged(bench, all_of(faster)), std::move(numbers)});
  return figure;
}

/// Limits of the shadows, as shares of the memory of L.
constexpr std::array parts{0.05, 0.17, 0.33, 0.5, 0.75, 1.0};
constexpr std::size_t part_of_claim = 1;

/// Adds the columns of one matrix. Returns the offloaded share at the limit of the paper's claim.
Value add_limits(Bench& bench, Figure& figure, const std::string& matrix) {
  Measured measured(bench, figure);
  const RunCase alone = host_alone(bench, matrix);
  const double bytes = measured.numbers({&alone, 1}, "/memory/factor_bytes").front().median;
  std::vector<RunCase> cases{alone, with_device(bench, matrix)};
  for (const double part : parts) {
    cases.push_back(with_device(bench, matrix, fmt::format(":device_memory={:.0f}", part * bytes)));
  }
  const std::vector<Value> times = measured.factor_seconds(cases);
  const std::vector<Value> done = measured.numbers(cases, "/offload/fraction");
  const std::vector<Value> may = measured.values(cases, offloadable);
  Column offloaded{"offloaded operations", Unit::factor, {}, matrix};
  Column speedup{"speed-up", Unit::factor, {}, matrix};
  for (std::size_t k = 2; k < cases.size(); ++k) {
    offloaded.values.push_back(done[k] / done[1]);
    speedup.values.push_back(times[0] / times[k]);
  }
  figure.conditions += fmt::format(
      " {}: the device may take {} of the operations, and takes {} if its memory has no limit.",
      matrix, readable(may[1].median, Unit::percent), readable(done[1].median, Unit::percent));
  const Value at_claim = offloaded.values[part_of_claim];
  figure.columns.push_back(std::move(offloaded));
  figure.columns.push_back(std::move(speedup));
  return at_claim;
}

Figure limited_memory(Bench& bench) {
  Figure figure;
  figure.rows_are = "part of the matrix on the device";
  figure.values_are = "share of the operations, and speed-up";
  figure.picture = Figure::Picture::lines;
  add_positions(figure, parts);
  figure.conditions = fmt::format(
      "Offloaded operations, as a share of those without a limit, and speed-up over the host "
      "alone, on {}. Each limit on the shadows is that part of the memory of L.",
      machine_of(bench));
  std::vector<Judgement> enough;
  std::string numbers;
  for (const std::string& matrix : bench.matrices(limited_matrices)) {
    const Value offloaded = add_limits(bench, figure, matrix);
    enough.push_back(is_below(exact(0.7), offloaded));
    numbers += fmt::format("{}{} on {}", numbers.empty() ? "" : ", ",
                           readable(offloaded.median, Unit::percent), matrix);
  }
  figure.claims.push_back(
      {"17 % of the matrix on the device give more than 70 % of the offloaded operations",
       judged(bench, all_of(enough)), std::move(numbers)});
  return figure;
}

/// Makes the paper's Table III, with its columns, and the share of operations that devices may
/// take.
Figure breakdown(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(matrices),
                fmt::format("The host alone and with a device, on {}. t_pf is the time of D and F "
                            "of the host alone; the rest of a factorization are its updates. "
                            "Copies are estimated from their number and bytes. Idle times and "
                            "copies are shares of the fastest factorization.",
                            machine_of(bench)));
  std::vector<RunCase> alone;
  std::vector<RunCase> divided;
  for (const std::string& matrix : figure.rows) {
    alone.push_back(host_alone(bench, matrix));
    divided.push_back(with_device(bench, matrix));
  }
  Measured measured(bench, figure);
  const std::vector<Value> t_omp = measured.factor_seconds(alone);
  const std::vector<Value> t_mic = measured.factor_seconds(divided);
  const std::vector<Value> fastest = measured.numbers(divided, "/factor/seconds");
  const auto share = [&](const char* path) {
    return over(measured.numbers(divided, path), fastest);
  };
  const std::vector<Value> overall = over(t_omp, t_mic);
  figure.columns = {
      {"t_omp", Unit::seconds, t_omp},
      {"t_mic", Unit::seconds, t_mic},
      {"t_pf", Unit::percent, over(measured.values(alone, panel_seconds), t_omp)},
      {"updates", Unit::factor,
       over(measured.values(alone, update_seconds), measured.values(divided, update_seconds))},
      {"overall", Unit::factor, overall},
      {"CPU idle", Unit::percent, share("/offload/host_idle_seconds")},
      {"device idle", Unit::percent, share("/offload/device_idle_seconds")},
      {"copies", Unit::percent, share("/offload/transfer_seconds")},
      {"efficiency", Unit::percent, measured.numbers(divided, "/offload/efficiency")},
      {"offloadable", Unit::percent, measured.values(divided, offloadable)},
      {"offloaded", Unit::percent, measured.numbers(divided, "/offload/fraction")}};
  const Value gain = mean_factor(overall);
  figure.claims.push_back({"A device makes the factorization faster on average: 0.9 to 1.7 times",
                           judged(bench, is_below(exact(1), gain)),
                           readable(gain.median, Unit::factor) + " on average"});
  return figure;
}

constexpr std::array items{
    Item{"table I", "the matrices",
         "Ten matrices of the University of Florida collection, 3.1e11 to 3.3e13 operations.", "",
         characteristics},
    Item{"table II", "the machines",
         "IVB20C has 20 cores of 448 Gflop/s together and a Xeon Phi of 1063 Gflop/s; BABBAGE has "
         "16 "
         "cores of 332 Gflop/s and two Xeon Phi of 1008 Gflop/s each. PCIe: 8 GB/s.",
         "", machines, true},
    Item{"figure 5", "speed-up of GEMM on the device",
         "It varies widely and nonlinearly with the sizes, from far below 1 to twice the speed of "
         "the host's twenty cores (section V-B).",
         "", gemm_speedup, true},
    Item{"figure 6", "bandwidth of SCATTER on the device",
         "Small blocks reach a small part of the bandwidth (section V-B).", "", scatter_bandwidth,
         true},
    Item{"figure 7", "static fractions and MDWIN",
         "On four matrices MDWIN is faster than STATIC0 and STATIC1 with any fraction. On torso3 "
         "STATIC0 is up to 10 times slower and MDWIN 1.1 times (section VI-B).",
         "", divisions, true},
    Item{"figure 8", "limited memory of the device",
         "With 17 % of the matrix on the device, more than 70 % of the offloadable operations are "
         "offloaded (section VI-C).",
         "", limited_memory, true},
    Item{"table III", "parts of the time",
         "Overall 0.9 (torso3) to 1.7 times (nd24k) as fast, offload efficiency 60 to 83 % "
         "(section VI-D and E).",
         "", breakdown, true},
    Item{"figure 9", "processes and devices of one node",
         "A second device makes it 1.1 to 1.8 times as fast (section VI-F).", "", configurations,
         true},
    Item{"figure 10", "strong scaling",
         "The updates scale almost linearly to 64 processes, the panel factorization does not "
         "(section VI-G).",
         "", scaling, true},
    Item{"figure 11", "speed-up by devices over the number of processes",
         "On 64 processes 1 to 1.25 times over all, 1.5 times for the updates (section VI-G).", "",
         speedups_of_scaling, true},
};

}  // namespace

std::span<const PaperMatrix> all_matrices() { return matrices; }

Index beside(const Bench& bench) {
  return bench.runs.simulated() ? bench.workers : std::max<Index>(1, bench.workers - 1);
}

Index busy_cores(const Bench& bench, Index ranks, Index workers, Index devices) {
  return ranks * (workers + (bench.runs.settings().has_cuda ? 0 : devices));
}

std::string machine_of(const Bench& bench) {
  return fmt::format("{} with {} and a {}", bench.machine(), counted(beside(bench), "CPU worker"),
                     bench.runs.settings().has_cuda
                         ? "CUDA device"
                         : "coprocessor: another process with one worker and separate memory");
}

double panel_seconds(const Json& report) {
  return sum_of(report, "seconds", {"diagonal", "factor"}) /
         report.at("machine").at("cpu_workers").get<double>();
}

double update_seconds(const Json& report) {
  return report.at("factor").at("seconds").get<double>() - panel_seconds(report);
}

}  // namespace halo

Paper halo_paper() {
  return {"halo", "HALO",
          "P. Sao, X. Liu, R. Vuduc, X. Li: A Sparse Direct Solver for Distributed Memory Xeon "
          "Phi-Accelerated Systems. IPDPS 2015",
          "--as halo: ordering by METIS, supernodes of at most 192 columns, single blocks as "
          "tasks, MDWIN by the paper's equations 5 and 6; without devices the same tasks",
          halo::items};
}

}  // namespace espalier::internal
