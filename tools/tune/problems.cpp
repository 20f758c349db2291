// SPDX-License-Identifier: BSD-3-Clause
#include "tune/problems.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/parallel.hpp"
#include "calibrate/supernode_model.hpp"
#include "cli/failure.hpp"

namespace espalier::internal {

Problems::Problems(std::vector<std::string> names, const Workbench& bench, Progress& progress)
    : bench_(bench), names_(std::move(names)) {
  AnalysisOptions options;
  options.workers = bench.place.all_workers();
  for (const std::string& name : names_) {
    progress.begin("reading and ordering " + name);
    matrices_.push_back(load_to_measure(name));
    problems_.emplace_back(matrices_.back(), options, bench.costs.table,
                           names_.size() > 1 ? 1 : bench.threads);
  }
  progress.end();
}

std::optional<Candidate> Problems::found(const Tuning& start, const SearchOptions& options,
                                         Progress& progress) {
  const std::vector<double> defaults = predicted({});
  const auto objective = [&](const Tuning& tuning) {
    const std::vector<double> seconds = predicted(tuning);
    double sum = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) sum += seconds[i] / defaults[i];
    return sum / static_cast<double>(seconds.size());
  };
  progress.begin("searching");
  return search(start, objective, options, [&](double share, double gain) {
    progress.rename(fmt::format("searching, gain so far {:.1f} %", 100 * gain));
    progress.done(share);
  });
}

Candidate Problems::found_as_in_the_paper(const SearchOptions& options, Progress& progress) const {
  const auto objective = [&](const Tuning& tuning) {
    double sum = 0;
    for (const TuningProblem& problem : problems_) sum += problem.paper_objective(tuning);
    return sum;
  };
  progress.begin("searching");
  return search_from_anywhere(objective, options, paper_parameters());
}

Finding Problems::measured(const Tuning& tuning, Index rounds, Progress& progress) {
  Finding finding{tuning, {}};
  const std::vector<double> defaults = predicted({});
  const std::vector<double> seconds = predicted(tuning);
  progress.begin("measuring");
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    progress.rename("measuring " + matrices_[i].name());
    const Trial trial = bench_.measure(names_[i], matrices_[i], tuning, rounds);
    problems_[i].learn(trial.tasks);
    finding.gains.push_back(
        {matrices_[i].name(), defaults[i], seconds[i], trial.with_defaults, trial.tuned});
    progress.done(static_cast<double>(i + 1) / static_cast<double>(seconds.size()));
  }
  progress.end();
  return finding;
}

std::vector<double> Problems::predicted(const Tuning& tuning) {
  std::vector<double> seconds(problems_.size());
  parallel_for(static_cast<Index>(problems_.size()), bench_.threads,
               [&](Index i) { seconds[i] = problems_[i].predicted_seconds(tuning); });
  return seconds;
}

}  // namespace espalier::internal
