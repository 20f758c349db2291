// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/readable.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/peer.hpp"
#include "reproduce/syrk_rates.hpp"

namespace espalier::internal {

namespace swcholesky {

namespace {

constexpr std::array datasets{PaperMatrix{"2cubes_sphere", solid},
                              PaperMatrix{"apache2", solid},
                              PaperMatrix{"bmw7st_1", steel},
                              PaperMatrix{"bmwcra_1", steel},
                              PaperMatrix{"bundle_adj", irregular},
                              PaperMatrix{"cfd2", dense_rows},
                              PaperMatrix{"crankseg_2", steel},
                              PaperMatrix{"Dubcova3", plane},
                              PaperMatrix{"ecology2", plane},
                              PaperMatrix{"hood", steel},
                              PaperMatrix{"ldoor", steel},
                              PaperMatrix{"m_t1", steel},
                              PaperMatrix{"msdoor", steel},
                              PaperMatrix{"nd12k", dense_rows},
                              PaperMatrix{"nd24k", dense_rows},
                              PaperMatrix{"parabolic_fem", plane},
                              PaperMatrix{"PFlow_742", dense_rows},
                              PaperMatrix{"pwtk", steel},
                              PaperMatrix{"raefsky4", dense_rows},
                              PaperMatrix{"thermal2", irregular},
                              PaperMatrix{"thermomech_dM", irregular},
                              PaperMatrix{"tmt_sym", plane},
                              PaperMatrix{"vanbody", steel},
                              PaperMatrix{"x104", steel}};

/// Returns the paper's options with other kernels, for policies that are not the paper's.
std::vector<std::string> paper_options(const char* kernels) {
  return {"--as", "swcholesky", "--kernels", kernels};
}

/// Returns the baseline: the level-set method on one core. The paper runs it on the one management
/// core of a core group.
RunCase baseline() { return {.policy = "levelset", .workers = 1, .options = paper_options("own")}; }

/// Returns the paper's method on this number of core groups.
RunCase paper_method(Index workers, Index groups) {
  return {.policy = fmt::format("as=swcholesky:groups={}", groups), .workers = workers};
}

/// Returns the paper's method on one core group of all workers. All figures share these runs.
RunCase one_group(const Bench& bench) { return paper_method(bench.workers, 1); }

std::vector<RunCase> of_all_matrices(const Bench& bench, RunCase what) {
  std::vector<RunCase> cases;
  for (const std::string& matrix : bench.matrices(datasets)) {
    what.matrix = matrix;
    cases.push_back(what);
  }
  return cases;
}

Figure characteristics(Bench& bench) {
  Figure figure = by_matrix(bench.matrices(datasets),
                            "The paper's 24 matrices, as far as they are in the folder of "
                            "ESPALIER_MATRICES; if there are none, five generated problems. nnz "
                            "counts the lower triangle, as in the paper.");
  const std::vector<RunCase> cases = of_all_matrices(bench, one_group(bench));
  Measured measured(bench, figure);
  figure.columns = {{"n", Unit::count, measured.numbers(cases, "/matrix/n")},
                    {"nnz, lower", Unit::count, measured.numbers(cases, "/matrix/nnz_lower")},
                    {"nnz(L)", Unit::count, measured.numbers(cases, "/symbolic/nnz_l")}};
  return figure;
}

struct Variant {
  const char* label;
  RunCase what;
};

/// Returns a bar chart of the variants' speed-ups over the baseline, by matrix.
Figure speedups(Bench& bench, const std::string& conditions, std::span<const Variant> variants) {
  Figure figure = by_matrix(bench.matrices(datasets), conditions);
  figure.picture = Figure::Picture::bars;
  figure.values_are = "speed-up over the level-set method on one worker";
  std::vector<RunCase> all = of_all_matrices(bench, baseline());
  const std::size_t count = all.size();
  for (const Variant& variant : variants) {
    const std::vector<RunCase> cases = of_all_matrices(bench, variant.what);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  const std::vector<Value> seconds = Measured(bench, figure).factor_seconds(all);
  const std::vector<Value> base(seconds.begin(), seconds.begin() + static_cast<long>(count));
  auto at = seconds.begin() + static_cast<long>(count);
  for (const Variant& variant : variants) {
    const std::vector<Value> mine(at, at + static_cast<long>(count));
    figure.columns.push_back({variant.label, Unit::factor, over(base, mine)});
    at += static_cast<long>(count);
  }
  return figure;
}

std::string means_of(const Figure& figure) {
  std::string text = "mean speed-ups";
  for (const Column& column : figure.columns) {
    text += fmt::format("{} {} {}", &column == figure.columns.data() ? "" : ",", column.label,
                        readable(mean_factor(column.values).median, Unit::factor));
  }
  return text;
}

/// Adds a claim about the order of columns. It holds if in each pair of columns, the second one is
/// above the first one for every matrix.
using Order = std::vector<std::pair<std::size_t, std::size_t>>;
void claim_order(Figure& figure, const std::string& text, const Order& order) {
  std::vector<Judgement> all;
  std::string numbers = means_of(figure);
  for (const auto& [low, high] : order) {
    const Column& below = figure.columns.at(low);
    const Column& above = figure.columns.at(high);
    const std::vector<Judgement> parts = each_below(below.values, above.values);
    numbers += fmt::format("; {} above {} on {}", above.label, below.label, tally(parts));
    all.insert(all.end(), parts.begin(), parts.end());
  }
  figure.claims.push_back({text, all_of(all), std::move(numbers)});
}

Figure queues(Bench& bench) {
  const auto ktq = [&](const char* queues) {
    RunCase what = one_group(bench);
    what.policy += fmt::format(":queues={}:fuse=0", queues);
    return what;
  };
  const std::array variants{Variant{"DPQ", ktq("dpq")}, Variant{"InstQ+DPQ", ktq("inst+dpq")},
                            Variant{"InstQ+TPQ+DPQ", one_group(bench)}};
  Figure figure = speedups(bench,
                           fmt::format("One core group of {}. SYRK and GEMM are fused with the "
                                       "TPQ, which is a part of this queue.",
                                       counted(bench.workers, "worker")),
                           variants);
  claim_order(figure, "Each further queue makes the factorization faster", {{0, 1}, {1, 2}});
  return figure;
}

Figure libraries(Bench& bench) {
  if (bench.runs.simulated()) {
    return not_run(
        "a simulation takes the times of kernels from a table, so it cannot compare libraries");
  }
  const auto with = [&](const char* kernels) {
    RunCase what = one_group(bench);
    what.options = {"--kernels", kernels};
    return what;
  };
  const std::array variants{Variant{"BLAS", with("blas")},
                            Variant{"BLAS + combined kernels", with("mixed")},
                            Variant{"own kernels", one_group(bench)}};
  Figure figure = speedups(
      bench,
      fmt::format("One core group of {} with three sets of kernels: the linked BLAS and LAPACK, "
                  "instead of xMath; TRSM and POTRF combined by panels from these; and own "
                  "kernels, combined in the same way.",
                  counted(bench.workers, "worker")),
      variants);
  const Value blas = mean_factor(figure.columns[0].values);
  const Value combined = mean_factor(figure.columns[1].values);
  const Value own = mean_factor(figure.columns[2].values);
  figure.claims.push_back({"Own kernels are at least as fast as 95 % of the library on average",
                           is_below(blas, own / exact(0.95)), means_of(figure)});
  figure.claims.push_back({"The library in combined kernels is slower than alone on average",
                           is_below(combined, blas), means_of(figure)});
  return figure;
}

Figure methods(Bench& bench) {
  // The paper implements both level-set methods with the library.
  const auto with = [&](const char* policy) {
    return RunCase{.policy = policy, .workers = bench.workers, .options = paper_options("blas")};
  };
  const std::array variants{Variant{"Level-set", with("levelset")},
                            Variant{"H-levelset", with("hlevelset")},
                            Variant{"swCholesky", one_group(bench)}};
  Figure figure = speedups(
      bench,
      fmt::format("All three use the same blocks and {}, which are one core group for swCholesky. "
                  "As in the paper, the level-set methods use the library's kernels.",
                  counted(bench.workers, "worker")),
      variants);
  claim_order(figure, "Kernel task queues are faster than both level-set methods",
              {{0, 2}, {1, 2}});
  return figure;
}

/// Adds the claims of figure 12. Each column has the speed-ups of a matrix by core groups.
void add_group_claims(Figure& figure) {
  std::vector<Judgement> growing;
  std::vector<Judgement> sublinear;
  std::string numbers = "mean speed-ups";
  for (std::size_t k = 1; k < figure.rows.size(); ++k) {
    std::vector<Value> at;
    for (const Column& column : figure.columns) {
      at.push_back(column.values[k]);
      growing.push_back(is_below(column.values[k - 1], column.values[k]));
      sublinear.push_back(is_below(column.values[k], exact(figure.positions[k])));
    }
    numbers += fmt::format("{} {} on {}", k == 1 ? "" : ",",
                           readable(mean_factor(at).median, Unit::factor), figure.rows[k]);
  }
  figure.claims.push_back({"Each doubling of the core groups makes each matrix faster",
                           all_of(growing), numbers + "; faster in " + tally(growing) + " steps"});
  figure.claims.push_back({"The speed-up is less than linear for each matrix", all_of(sublinear),
                           "below the number of core groups in " + tally(sublinear) + " cases"});
}

Figure groups(Bench& bench) {
  Figure figure = curves("core groups",
                         "Speed-up of kernel task queues over one core group. Each worker is a "
                         "core group with its own w-partitions. The paper's core groups have 65 "
                         "cores.");
  figure.values_are = "speed-up over one core group";
  std::vector<RunCase> cases;
  for (Index count = 1; count <= bench.workers; count *= 2) {
    figure.rows.push_back(std::to_string(count));
    figure.positions.push_back(count);
    const std::vector<RunCase> more = of_all_matrices(bench, paper_method(count, count));
    cases.insert(cases.end(), more.begin(), more.end());
  }
  const std::vector<Value> seconds = Measured(bench, figure).factor_seconds(cases);
  const std::vector<std::string> matrices = bench.matrices(datasets);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    Column column{matrices[k], Unit::factor, {exact(1)}};
    for (std::size_t row = 1; row < figure.rows.size(); ++row) {
      column.values.push_back(seconds[k] / seconds[row * matrices.size() + k]);
    }
    figure.columns.push_back(std::move(column));
  }
  add_group_claims(figure);
  return figure;
}

constexpr const char* ordering_of_peers = "metis";

RunCase by_peer(const Bench& bench, const char* name) {
  return peer_case(name, ordering_of_peers, bench.workers);
}

constexpr const char* not_simulated = "CHOLMOD cannot run inside the simulator";

Figure against_cholmod(Bench& bench) {
  if (bench.runs.simulated()) return not_run(not_simulated);
  const std::string missing = why_no_cholmod();
  if (!missing.empty()) return not_run(missing);
  const Peers peers = peers_here();
  std::vector<Variant> variants{{"swCholesky", one_group(bench)}};
  for (const char* const name : peers.found) variants.push_back({name, by_peer(bench, name)});
  Figure figure = speedups(
      bench,
      fmt::format("All run on {} of this machine: kernel task queues on one core group, and the "
                  "other solvers with threads and ordered by METIS if they can use it. In the "
                  "paper CHOLMOD has a "
                  "GPU. {}",
                  counted(bench.workers, "core"), peers.missing),
      variants);
  const std::vector<Value> ratio = over(figure.columns[0].values, figure.columns[1].values);
  const std::vector<Judgement> competitive =
      each_below(std::vector<Value>(ratio.size(), exact(0.8)), ratio);
  figure.claims.push_back({"On most matrices it is at least 0.8 times as fast as CHOLMOD",
                           most_of(competitive), means_of(figure) + "; on " + tally(competitive)});
  return figure;
}

/// Returns the times of all phases that run once per pattern.
std::vector<Value> analysis_seconds(Measured& measured, std::span<const RunCase> cases) {
  std::vector<Value> once = measured.host_numbers(cases, "/ordering/seconds");
  for (const char* const phase : {"/symbolic/seconds", "/factor/setup_seconds"}) {
    once = plus(once, measured.host_numbers(cases, phase));
  }
  return once;
}

Figure analysis_share(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(datasets),
                fmt::format("Time of the phases that run once per pattern (ordering, symbolic "
                            "factorization, set-up), compared with the numeric factorization, on "
                            "one core group of {}.",
                            counted(bench.workers, "worker")));
  figure.picture = Figure::Picture::bars;
  figure.values_are = "share of the analysis in the time of one analysis and one factorization";
  Measured measured(bench, figure);
  const auto add = [&](const char* label, RunCase what) {
    const std::vector<RunCase> cases = of_all_matrices(bench, std::move(what));
    const std::vector<Value> numeric = measured.factor_seconds(cases);
    const std::vector<Value> once = analysis_seconds(measured, cases);
    figure.columns.push_back({label, Unit::percent, over(once, plus(once, numeric))});
    return over(once, numeric);
  };
  const std::vector<Value> iterations = add("swCholesky", one_group(bench));
  const std::string missing = bench.runs.simulated() ? not_simulated : why_no_cholmod();
  if (missing.empty()) {
    add(cholmod, by_peer(bench, cholmod));
  } else {
    figure.conditions += fmt::format(" Without CHOLMOD: {}.", missing);
  }
  figure.columns.push_back({"factorizations that take as long", Unit::factor, iterations});
  const Value mean = mean_factor(iterations);
  figure.claims.push_back({"At most 3.59 factorizations on average take as long as the analysis",
                           is_below(mean, exact(3.59)),
                           readable(mean.median, Unit::factor) + " on average"});
  return figure;
}

constexpr std::array items{
    Item{"table 2", "the matrices",
         "24 matrices of the SuiteSparse collection, with 0.67 to 35 million entries.", "",
         characteristics},
    Item{"figure 7", "dense kernels: a library's, combined ones and own ones",
         "Average speed-ups over the level-set method on the management core: xMath 38.57, xMath "
         "with combined kernels 34.69, swCHOLBLAS 38.99 (section 4.2).",
         "", libraries},
    Item{"figure 8", "kernel task queues, one after another",
         "On one core group of a SW26010, over the level-set method on its management core: DPQ "
         "23.56, InstQ+DPQ 34.53, InstQ+TPQ+DPQ 38.99 on average (section 4.3).",
         "", queues},
    Item{"figure 9", "SYRK side by side and together",
         "On 64 cores: alone up to order 8, side by side up to 128, together above (section 4.3).",
         "", small_syrk},
    Item{"figure 10", "level sets, H-level sets and kernel task queues",
         "Average speed-ups 18.87, 16.94 and 38.99 (section 4.4.1).", "", methods},
    Item{"figure 11", "against CHOLMOD",
         "swCholesky on two core groups (1.53 Tflop/s) is competitive with CHOLMOD 3.0.11 on a K40 "
         "(1.43 Tflop/s), but not on nd12k and nd24k (section 4.4.2).",
         "", against_cholmod},
    Item{"figure 12", "more core groups",
         "1.49, 1.80 and 2.13 times as fast on 2, 3 and 4 core groups as on one (section 4.5).", "",
         groups},
    Item{"figure 13", "the analysis compared with the factorization",
         "3.59 factorizations on average take as long as the symbolic analysis (section 4.6).", "",
         analysis_share},
};

}  // namespace

}  // namespace swcholesky

Paper swcholesky_paper() {
  return {"swcholesky", "swCholesky",
          "M. Li, Y. Liu, H. Yang, Z. Luan, L. Gan, G. Yang, D. Qian: Accelerating Sparse Cholesky "
          "Factorization on Sunway Manycore Architecture. IEEE Transactions on Parallel and "
          "Distributed Systems 31 (2020)",
          "--as swcholesky: ordering by METIS, single blocks as tasks, queues by size; for the "
          "level-set methods only the ordering and the tasks",
          swcholesky::items};
}

}  // namespace espalier::internal
