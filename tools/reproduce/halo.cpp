// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/readable.hpp"
#include "base/scalar.hpp"
#include "reproduce/paper.hpp"

namespace espalier::internal {

namespace halo {

namespace {

constexpr std::array matrices{PaperMatrix{"atmosmodd", solid},
                              PaperMatrix{"audikw_1", steel},
                              PaperMatrix{"dielFilterV3real", dense_rows},
                              PaperMatrix{"Ga19As19H42", dense_rows},
                              PaperMatrix{"Geo_1438", steel},
                              PaperMatrix{"H2O", dense_rows},
                              PaperMatrix{"nd24k", dense_rows},
                              PaperMatrix{"nlpkkt80", solid},
                              PaperMatrix{"RM07R", steel},
                              PaperMatrix{"torso3", irregular}};

/// Returns the number of CPU workers next to a device. A real device uses a core of this machine,
/// so the host has one worker less.
Index beside(const Bench& bench) {
  return bench.runs.simulated() ? bench.workers : std::max<Index>(1, bench.workers - 1);
}

RunCase host_alone(const Bench& bench, const std::string& matrix) {
  return {.matrix = matrix, .workers = beside(bench)};
}

RunCase with_device(const Bench& bench, const std::string& matrix, const std::string& division) {
  return {.matrix = matrix, .policy = "halo:" + division, .workers = beside(bench), .devices = 1};
}

std::string machine_of(const Bench& bench) {
  return fmt::format("{} with {} and a {}", bench.machine(), counted(beside(bench), "CPU worker"),
                     bench.runs.settings().has_cuda
                         ? "CUDA device"
                         : "coprocessor: another process with one worker and separate memory");
}

Figure characteristics(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(matrices),
                "The paper's matrices, as far as they are in the folder of ESPALIER_MATRICES; if "
                "there are none, generated ones. Only symmetric positive definite ones can be "
                "factored. The paper computes LU factorizations.");
  std::vector<RunCase> cases;
  for (const std::string& matrix : figure.rows) cases.push_back(host_alone(bench, matrix));
  Measured measured(bench, figure);
  const std::vector<double> n = measured.numbers(cases, "/matrix/n");
  const std::vector<double> lower = measured.numbers(cases, "/matrix/nnz_lower");
  const std::vector<double> factor = measured.numbers(cases, "/symbolic/nnz_l");
  figure.columns = {{"n", Unit::count, n},
                    {"nnz(A)/n", Unit::factor, over(lower, n)},
                    {"fill ratio", Unit::factor, over(factor, lower)},
                    {"operations", Unit::flops, measured.numbers(cases, "/symbolic/flops")}};
  return figure;
}

/// Offload fractions of the static divisions, as in the paper's figure.
constexpr std::array shares{0.1, 0.3, 0.5, 0.7, 0.9};

/// Returns the smallest value that is not NaN.
double least(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), std::numeric_limits<double>::infinity(),
                         [](double a, double b) { return std::fmin(a, b); });
}

Figure divisions(Bench& bench) {
  Figure figure;
  figure.rows_are = "offload fraction";
  figure.picture = Figure::Picture::lines;
  for (const double share : shares) figure.rows.push_back(fmt::format("{}", share));
  const std::string matrix = bench.matrices(matrices).front();
  figure.conditions = fmt::format(
      "Time of the factorization of {} over that of the host alone, on {}. MDWIN chooses a "
      "fraction for each panel, so it has one value for the whole axis.",
      matrix, machine_of(bench));
  std::vector<RunCase> cases{host_alone(bench, matrix), with_device(bench, matrix, "halo=mdwin")};
  for (const char* const method : {"static0", "static1"}) {
    for (const double share : shares) {
      cases.push_back(with_device(bench, matrix, fmt::format("halo={}:{}", method, share)));
    }
  }
  std::vector<double> times = Measured(bench, figure).factor_seconds(cases);
  for (double& time : times) time /= bench.runs.result(cases[0]).factor_seconds;
  const auto statics = times.begin() + 2;
  const auto middle = statics + shares.size();
  figure.columns = {{"STATIC0", Unit::factor, {statics, middle}},
                    {"STATIC1", Unit::factor, {middle, times.end()}},
                    {"MDWIN", Unit::factor, std::vector<double>(shares.size(), times[1])}};
  const double best = std::min(least(figure.columns[0].values), least(figure.columns[1].values));
  figure.claims.push_back({"MDWIN is at least as fast as the best static fraction",
                           times[1] <= best, fmt::format("{:.2f} and {:.2f}", times[1], best)});
  return figure;
}

/// Limits of the shadows, as shares of the memory of L.
constexpr std::array parts{0.05, 0.17, 0.33, 0.5, 0.75, 1.0};

Figure limited_memory(Bench& bench) {
  Figure figure;
  figure.rows_are = "part of the matrix on the device";
  figure.picture = Figure::Picture::lines;
  for (const double part : parts) figure.rows.push_back(fmt::format("{}", part));
  const std::string matrix = bench.matrices(matrices).front();
  figure.conditions = fmt::format(
      "Offloaded operations of {}, as a share of those without a limit, and speed-up over the host "
      "alone, on {}. Each limit on the shadows is that part of the memory of L.",
      matrix, machine_of(bench));
  Measured measured(bench, figure);
  const RunCase alone = host_alone(bench, matrix);
  const RunCase unlimited = with_device(bench, matrix, "halo=mdwin");
  const double bytes = measured.numbers({&alone, 1}, "/memory/factor_bytes").front();
  std::vector<RunCase> cases{alone, unlimited};
  for (const double part : parts) {
    cases.push_back(
        with_device(bench, matrix, fmt::format("halo=mdwin:device_memory={:.0f}", part * bytes)));
  }
  const std::vector<double> times = measured.factor_seconds(cases);
  const std::vector<double> done = measured.numbers(cases, "/offload/fraction");
  std::vector<double> offloaded;
  std::vector<double> speedup;
  for (std::size_t k = 2; k < cases.size(); ++k) {
    offloaded.push_back(done[k] / done[1]);
    speedup.push_back(times[0] / times[k]);
  }
  figure.columns = {{"offloaded operations", Unit::factor, offloaded},
                    {"speed-up", Unit::factor, speedup}};
  figure.claims.push_back(
      {"17 % of the matrix on the device give more than 70 % of the offloaded operations",
       offloaded[1] > 0.7, readable(offloaded[1], Unit::percent)});
  return figure;
}

/// Makes the paper's Table III, with its columns.
Figure breakdown(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(matrices),
                fmt::format("The host alone and with a device, on {}. t_omp and t_mic are medians. "
                            "t_pf is the time of D and F on the host in runs with a device. Copies "
                            "are estimated from their number and bytes. Idle times and copies are "
                            "shares of the fastest factorization of the last run.",
                            machine_of(bench)));
  std::vector<RunCase> alone;
  std::vector<RunCase> divided;
  for (const std::string& matrix : figure.rows) {
    alone.push_back(host_alone(bench, matrix));
    divided.push_back(with_device(bench, matrix, "halo=mdwin"));
  }
  Measured measured(bench, figure);
  const std::vector<double> t_omp = measured.factor_seconds(alone);
  const std::vector<double> t_mic = measured.factor_seconds(divided);
  const std::vector<double> panels = measured.numbers(divided, "/offload/panel_seconds");
  const std::vector<double> fastest = measured.numbers(divided, "/factor/seconds");
  const auto share = [&](const char* path) {
    return over(measured.numbers(divided, path), fastest);
  };
  const auto without_panels = [&](std::vector<double> times) {
    std::ranges::transform(times, panels, times.begin(), std::minus<>());
    return times;
  };
  figure.columns = {
      {"t_omp", Unit::seconds, t_omp},
      {"t_mic", Unit::seconds, t_mic},
      {"t_pf", Unit::percent, over(panels, t_omp)},
      {"updates", Unit::factor, over(without_panels(t_omp), without_panels(t_mic))},
      {"overall", Unit::factor, over(t_omp, t_mic)},
      {"CPU idle", Unit::percent, share("/offload/host_idle_seconds")},
      {"device idle", Unit::percent, share("/offload/device_idle_seconds")},
      {"copies", Unit::percent, share("/offload/transfer_seconds")},
      {"efficiency", Unit::percent, measured.numbers(divided, "/offload/efficiency")}};
  const double gain = mean_factor(figure.columns[4].values);
  figure.claims.push_back({"A device makes the factorization faster: 0.9 to 1.7 times", gain > 1,
                           fmt::format("{:.2f} on average", gain)});
  return figure;
}

/// Sizes at which tables of kernels are shown.
constexpr std::array<Index, 7> sides{8, 32, 64, 128, 256, 512, 1024};

/// Returns a table over pairs of sizes. If the kernels were not measured, the conditions give the
/// reason instead.
Figure over_sides(const Bench& bench, bool measured, const std::string& conditions,
                  const char* rows, const char* columns, Unit unit,
                  const std::function<double(Index, Index)>& value) {
  Figure figure;
  figure.rows_are = rows;
  figure.conditions = conditions;
  if (!measured) {
    figure.conditions +=
        " Not run: the kernels were not measured; run espalier calibrate, and espalier calibrate "
        "--coprocessors 1.";
    return figure;
  }
  if (bench.coarse) {
    figure.conditions += " They were measured for these figures, by espalier calibrate --quick.";
  }
  for (const Index row : sides) figure.rows.push_back(std::to_string(row));
  for (const Index column : sides) {
    figure.columns.push_back({fmt::format("{} {}", columns, column), unit, {}});
    for (const Index row : sides) figure.columns.back().values.push_back(value(row, column));
  }
  return figure;
}

/// Returns the minimum and the maximum of all columns.
std::pair<double, double> range_of(const Figure& figure) {
  std::pair range{std::numeric_limits<double>::infinity(), 0.0};
  for (const Column& column : figure.columns) {
    const auto [low, high] = std::ranges::minmax(column.values);
    range = {std::min(range.first, low), std::max(range.second, high)};
  }
  return range;
}

Figure gemm_speedup(Bench& bench) {
  constexpr double inner = 128;
  Figure figure = over_sides(
      bench, bench.costs && bench.device_costs,
      "Speed of GEMM (m x k times k x n, k = 128) on one worker of a device over one worker of the "
      "host, from the calibrated kernel tables, which include SCATTER.",
      "m", "n =", Unit::factor, [&](double m, double n) {
        return bench.costs->gemm.at(m, n, inner) / bench.device_costs->gemm.at(m, n, inner);
      });
  if (figure.columns.empty()) return figure;
  const auto [low, high] = range_of(figure);
  figure.claims.push_back({"The gain varies widely with the sizes: the host is faster for some",
                           low < 1 && high > 2 * low, fmt::format("{:.2f} to {:.2f}", low, high)});
  return figure;
}

Figure scatter_bandwidth(Bench& bench) {
  constexpr double bytes_an_entry = scalar.bytes_of(3);
  Figure figure = over_sides(
      bench, bench.device_costs && !bench.device_costs->scatter.seconds.empty(),
      "Bandwidth of SCATTER on one worker of the device, with three memory accesses per entry of "
      "the block.",
      "b_x", "b_y =", Unit::rate,
      [&](double x, double y) { return bytes_an_entry / bench.device_costs->scatter.at(x, y); });
  if (figure.columns.empty()) return figure;
  const double high = range_of(figure).second;
  const double smallest = figure.columns.front().values.front();
  figure.claims.push_back(
      {"Small blocks reach a small part of the bandwidth", smallest < high / 2,
       fmt::format("{} of {}", readable(smallest, Unit::rate), readable(high, Unit::rate))});
  return figure;
}

/// A configuration of processes and devices in the figures on BABBAGE.
struct Configuration {
  const char* label;
  Index ranks;
  Index devices;
};

Figure configurations(Bench& bench) {
  constexpr std::array all{Configuration{"OMP(p)", 1, 0}, Configuration{"OMP(p)+MIC", 1, 1},
                           Configuration{"MPI(p)+OMP(q)", 2, 0},
                           Configuration{"MPI(p)+OMP(q)+MIC", 2, 1}};
  const Index workers = std::max<Index>(1, beside(bench) / 2);
  Figure figure =
      by_matrix(bench.matrices(matrices),
                fmt::format("Speed-up over OMP(p), on {}: one process with {} workers, or two with "
                            "{} each; with and without a device per process.",
                            machine_of(bench), 2 * workers, workers));
  figure.picture = Figure::Picture::bars;
  std::vector<RunCase> cases;
  for (const Configuration& c : all) {
    for (const std::string& matrix : figure.rows) {
      cases.push_back({.matrix = matrix,
                       .policy = c.devices > 0 ? "halo" : "espalier",
                       .ranks = c.ranks,
                       .workers = c.ranks == 1 ? 2 * workers : workers,
                       .devices = c.devices});
    }
  }
  const std::vector<double> times = Measured(bench, figure).factor_seconds(cases);
  const auto rows = static_cast<long>(figure.rows.size());
  const std::vector<double> base(times.begin(), times.begin() + rows);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto at = times.begin() + static_cast<long>(k) * rows;
    figure.columns.push_back({all[k].label, Unit::factor, over(base, {at, at + rows})});
  }
  const Below one = below(figure.columns[0].values, figure.columns[1].values);
  const Below two = below(figure.columns[1].values, figure.columns[3].values);
  figure.claims.push_back(
      {"A device makes the factorization faster, and a second device makes it still faster",
       one.all && two.all, fmt::format("on {} and on {} matrices", one.text, two.text)});
  return figure;
}

Figure scaling(Bench& bench) {
  const std::string matrix = bench.matrices(matrices).front();
  Figure figure = by_nodes(
      bench,
      fmt::format("Factorization of {} on {} with {} per process, with and without a device.",
                  matrix, bench.machine(), counted(bench.workers_of_rank(), "CPU worker")));
  const auto column = [&](const char* label, const char* policy, Index devices) {
    const std::vector<RunCase> cases =
        on_all_nodes(bench, {.matrix = matrix, .policy = policy, .devices = devices});
    figure.columns.push_back({label, Unit::seconds, Measured(bench, figure).factor_seconds(cases)});
  };
  column("MPI(p)+OMP(q)", "espalier", 0);
  column("MPI(p)+OMP(q)+MIC", "halo", 1);
  return figure;
}

Figure speedups_of_scaling(Bench& bench) {
  Figure figure = scaling(bench);
  const std::vector<double> gain = over(figure.columns[0].values, figure.columns[1].values);
  figure.columns = {{"speed-up", Unit::factor, gain}};
  figure.logarithmic = false;
  figure.claims.push_back({"The gain from devices falls as processes are added",
                           gain.back() < gain.front(),
                           fmt::format("{:.2f} on {} and {:.2f} on {}", gain.front(),
                                       figure.rows.front(), gain.back(), figure.rows.back())});
  return figure;
}

constexpr std::array items{
    Item{"table I", "the matrices",
         "Ten matrices of the University of Florida collection, 3.1e11 to 3.3e13 operations.", "",
         characteristics},
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

}  // namespace halo

Paper halo_paper() {
  return {"halo", "HALO",
          "P. Sao, X. Liu, R. Vuduc, X. Li: A Sparse Direct Solver for Distributed Memory Xeon "
          "Phi-Accelerated Systems. IPDPS 2015",
          halo::items};
}

}  // namespace espalier::internal
