// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reproduce/paper.hpp"
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

const std::vector<std::string> every_block{"--granularity", "block"};

/// Returns the baseline: the level-set method on one core. The paper runs it on the one management
/// core of a core group.
RunCase baseline() { return {.policy = "levelset", .workers = 1, .options = every_block}; }

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
                            "ESPALIER_MATRICES; if there are none, five generated problems.");
  const std::vector<RunCase> cases = of_all_matrices(bench, {});
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
  std::vector<RunCase> all = of_all_matrices(bench, baseline());
  const std::size_t count = all.size();
  for (const Variant& variant : variants) {
    const std::vector<RunCase> cases = of_all_matrices(bench, variant.what);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  const std::vector<double> seconds = Measured(bench, figure).factor_seconds(all);
  const std::vector<double> base(seconds.begin(), seconds.begin() + static_cast<long>(count));
  auto at = seconds.begin() + static_cast<long>(count);
  for (const Variant& variant : variants) {
    const std::vector<double> mine(at, at + static_cast<long>(count));
    figure.columns.push_back({variant.label, Unit::factor, over(base, mine)});
    at += static_cast<long>(count);
  }
  return figure;
}

std::string means_of(const Figure& figure) {
  std::string text = "mean speed-ups";
  for (const Column& column : figure.columns) {
    text += fmt::format("{} {} {:.2f}", &column == figure.columns.data() ? "" : ",", column.label,
                        mean_factor(column.values));
  }
  return text;
}

/// Adds the claim that each column is larger than the previous one for every matrix.
void claim_growing(Figure& figure, const std::string& text) {
  Claim claim{text, true, means_of(figure)};
  for (std::size_t k = 1; k < figure.columns.size(); ++k) {
    const Below order = below(figure.columns[k - 1].values, figure.columns[k].values);
    claim.holds = claim.holds && order.all;
    claim.found += fmt::format("; {} above {} on {}", figure.columns[k].label,
                               figure.columns[k - 1].label, order.text);
  }
  figure.claims.push_back(std::move(claim));
}

Figure queues(Bench& bench) {
  const auto ktq = [&](const char* queues) {
    return RunCase{.policy = std::string("ktq:queues=") + queues,
                   .workers = bench.workers,
                   .options = every_block};
  };
  const std::array variants{Variant{"DPQ", ktq("dpq")}, Variant{"InstQ+DPQ", ktq("inst+dpq")},
                            Variant{"InstQ+TPQ+DPQ", ktq("all")}};
  Figure figure =
      speedups(bench,
               fmt::format("Tasks are the D, F and U of single blocks, as in the paper, on {} "
                           "workers; the baseline is the level-set method on one worker.",
                           bench.workers),
               variants);
  claim_growing(figure, "Each further queue makes the factorization faster");
  return figure;
}

Figure libraries(Bench& bench) {
  const auto with = [&](const char* kernels) {
    return RunCase{.policy = "ktq",
                   .workers = bench.workers,
                   .options = {"--granularity", "block", "--kernels", kernels}};
  };
  const std::array variants{Variant{"BLAS", with("blas")},
                            Variant{"BLAS + combined kernels", with("mixed")},
                            Variant{"own kernels", with("own")}};
  Figure figure = speedups(
      bench,
      fmt::format("Kernel task queues on {} workers with three sets of kernels: the linked BLAS "
                  "and LAPACK, instead of xMath; TRSM and POTRF combined by panels from these; and "
                  "own kernels, combined in the same way. The baseline has the default kernels.",
                  bench.workers),
      variants);
  const double own = mean_factor(figure.columns[2].values);
  const double others = mean_factor(figure.columns[0].values);
  const double combined = mean_factor(figure.columns[1].values);
  figure.claims.push_back({"Own kernels are as fast as those of the library (within 5 %)",
                           own > 0.95 * others, means_of(figure)});
  figure.claims.push_back({"The library inside combined kernels is a little slower than alone",
                           combined < others, means_of(figure)});
  return figure;
}

Figure small_syrk(Bench& bench) {
  constexpr std::array<Index, 8> orders{4, 8, 16, 32, 64, 128, 256, 512};
  Figure figure;
  figure.rows_are = "order";
  figure.picture = Figure::Picture::lines;
  figure.logarithmic = true;
  const Index threads = std::max<Index>(2, bench.workers);
  figure.conditions = fmt::format(
      "Speed-up of SYRK over one thread of this machine, with the kernels of tasks: {} threads "
      "with separate matrices, or all on one matrix, with a barrier after each SYRK.",
      threads);
  figure.columns = {{"task parallel", Unit::factor, {}}, {"data parallel", Unit::factor, {}}};
  for (const Index order : orders) {
    const SyrkSeconds seconds = measure_syrk(order, threads);
    figure.rows.push_back(std::to_string(order));
    figure.columns[0].values.push_back(seconds.alone / seconds.side_by_side);
    figure.columns[1].values.push_back(seconds.alone / seconds.together);
  }
  const std::vector<double>& apart = figure.columns[0].values;
  const std::vector<double>& together = figure.columns[1].values;
  figure.claims.push_back({"Small matrices are slower on all threads together than on one",
                           together.front() < 1,
                           fmt::format("{:.2f} times as fast at order 4", together.front())});
  figure.claims.push_back({"Above order 128 all threads together are faster than side by side",
                           together[6] > apart[6] && together[7] > apart[7],
                           fmt::format("{:.2f} and {:.2f} at order 256, {:.2f} and {:.2f} at 512",
                                       together[6], apart[6], together[7], apart[7])});
  return figure;
}

Figure methods(Bench& bench) {
  const auto with = [&](const char* policy) {
    return RunCase{.policy = policy, .workers = bench.workers, .options = every_block};
  };
  const std::array variants{Variant{"Level-set", with("levelset")},
                            Variant{"H-levelset", with("hlevelset")},
                            Variant{"swCholesky", with("ktq:partitions=hlevelset")}};
  Figure figure =
      speedups(bench,
               fmt::format("All three use the same blocks and {} workers. For swCholesky, with "
                           "kernel task queues in w-partitions, these workers are one core group. "
                           "The baseline is the level-set method on one worker.",
                           bench.workers),
               variants);
  const Below level = below(figure.columns[0].values, figure.columns[2].values);
  const Below coarse = below(figure.columns[1].values, figure.columns[2].values);
  figure.claims.push_back({"Kernel task queues are faster than both level-set methods",
                           level.all && coarse.all,
                           fmt::format("{}; above Level-set on {}, above H-levelset on {}",
                                       means_of(figure), level.text, coarse.text)});
  return figure;
}

Figure groups(Bench& bench) {
  Figure figure;
  figure.rows_are = "workers";
  figure.picture = Figure::Picture::lines;
  figure.logarithmic = true;
  figure.conditions =
      "Speed-up of kernel task queues over one core group. Each worker is a core group with its "
      "own w-partitions. The paper's core groups have 65 cores.";
  std::vector<Index> workers;
  for (Index count = 1; count <= bench.workers; count *= 2) {
    workers.push_back(count);
    figure.rows.push_back(std::to_string(count));
  }
  std::vector<double> last;
  for (const std::string& matrix : bench.matrices(datasets)) {
    std::vector<RunCase> cases;
    for (const Index count : workers) {
      cases.push_back({.matrix = matrix,
                       .policy = fmt::format("ktq:partitions=hlevelset:groups={}", count),
                       .workers = count});
    }
    std::vector<double> seconds = Measured(bench, figure).factor_seconds(cases);
    const double alone = seconds.front();
    for (double& value : seconds) value = alone / value;
    last.push_back(seconds.back());
    figure.columns.push_back({matrix, Unit::factor, std::move(seconds)});
  }
  figure.claims.push_back(
      {"More core groups are faster, and less than linearly",
       mean_factor(last) > 1 && mean_factor(last) < workers.back(),
       fmt::format("mean speed-up {:.2f} on {} workers", mean_factor(last), workers.back())});
  return figure;
}

Figure analysis_share(Bench& bench) {
  Figure figure =
      by_matrix(bench.matrices(datasets),
                fmt::format("Time of the phases that run once per pattern (ordering, symbolic "
                            "factorization, set-up), compared with the numeric factorization, on "
                            "{} workers with kernel task queues.",
                            bench.workers));
  figure.picture = Figure::Picture::bars;
  const std::vector<RunCase> cases =
      of_all_matrices(bench, {.policy = "ktq", .workers = bench.workers});
  Measured measured(bench, figure);
  const std::vector<double> numeric = measured.factor_seconds(cases);
  std::vector<double> once = measured.numbers(cases, "/ordering/seconds");
  for (const char* const phase : {"/symbolic/seconds", "/factor/setup_seconds"}) {
    const std::vector<double> more = measured.numbers(cases, phase);
    std::ranges::transform(once, more, once.begin(), std::plus<>());
  }
  std::vector<double> share;
  for (std::size_t k = 0; k < once.size(); ++k) share.push_back(once[k] / (once[k] + numeric[k]));
  const double iterations = mean_factor(over(once, numeric));
  figure.columns = {{"analysis", Unit::percent, share},
                    {"factorizations that take as long", Unit::factor, over(once, numeric)}};
  figure.claims.push_back({"Few factorizations take as long as the analysis (3.59 on average)",
                           iterations <= 3.59, fmt::format("{:.2f} on average", iterations)});
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
    Item{"figure 11", "against CHOLMOD on a device",
         "swCholesky on two core groups (1.53 Tflop/s) is competitive with CHOLMOD 3.0.11 on a K40 "
         "(1.43 Tflop/s), but not on nd12k and nd24k (section 4.4.2).",
         "CHOLMOD is not part of this program; tools/bench compares with it if it is installed"},
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
          swcholesky::items};
}

}  // namespace espalier::internal
