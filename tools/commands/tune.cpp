// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/printable.hpp"
#include "base/readable.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/commands.hpp"
#include "compare/measure.hpp"
#include "compare/program_run.hpp"
#include "espalier/espalier.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/tuning_file.hpp"
#include "tune/policy_search.hpp"
#include "tune/problems.hpp"
#include "tune/workbench.hpp"

namespace espalier::internal {

namespace {

constexpr const char* makespan_objective = "makespan";
constexpr const char* paper_objective = "paper";

struct TuneSettings : Options {  ///< the options in the base class are those of each rank
  std::vector<std::string> matrices;
  Index ranks = 1;
  Coprocessors coprocessors;  ///< of each rank
  Index seconds = 60;
  Index iterations = 0;
  Index seed = 1;
  Index rounds = 5;
  Index repeat = 9;
  std::string objective = makespan_objective;
  std::string policy;   ///< the policy whose options are searched; empty: search the plan
  std::string machine;  ///< simulated machine on which the policy runs; empty: real runs
  std::string out;
  bool quiet = false;
};

constexpr const char* tune_examples = R"(Examples:
  espalier tune A.mtx laplace3d:40          search for a minute; solve, analyze and compare use the result
  espalier tune A.mtx --time 600            search for ten minutes
  espalier tune A.mtx --out here.json       write the result to a file instead
  espalier tune A.mtx --objective paper --kernels own --out here.json
                                            minimize the model of swCholesky, with its kernels
  espalier tune A.mtx --sched ktq           search the options of a scheduler instead
  espalier tune A.mtx --sched fanout --machine h100-8 --cuda-devices 1
                                            search its thresholds for a simulated GPU
  espalier tune A.mtx --ranks 2 --workers 4 for two ranks with four CPU workers each
  espalier tune A.mtx --coprocessors 1      for one coprocessor
Tune on matrices like your own, and run nothing else meanwhile. All later runs with the same number
of workers, ranks and devices use the result. If nothing is faster, the defaults stay.
Predictions leave out messages and devices: they assume one process with as many CPU workers as all
ranks and devices have workers. Therefore measurements decide. With ranks or devices, these are runs
of espalier solve.
With --sched, the search changes the scheduler's limits, batches or device thresholds. It runs the
program for every try, prints the options that were faster, and keeps nothing.
With --objective paper, nrelax[i] is amalgamation_width_i+1, in [1, 512], the last one in [513, 1023];
zrelax[0], [1] and [2], in (0, 1), are amalgamation_zeros_2, _3 and _4; zrelax[3], in (0.8, 1), is
amalgamation_zeros_1; panel1 is trsm_panel and panel2 is potrf_panel, powers of two in [64, 1024].
Kernels have these panels with --kernels own or mixed.)";

std::string shown(double value) {
  return value == std::numeric_limits<Index>::max() ? "any" : fmt::format("{}", value);
}

void print_parameters(const Tuning& tuning) {
  fmt::print("\n{:<22}{:>10}{:>10}\n", "parameter", "default", "found");
  for (const TuningParameter& parameter : tuning_parameters()) {
    fmt::print("{:<22}{:>10}{:>10}\n", parameter.name, shown(parameter.of({})),
               shown(parameter.of(tuning)));
  }
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void print_gain(const std::string& name, const std::array<std::string, 4>& seconds,
                double predicted, double measured) {
  fmt::print("{:<22}{:>10}{:>10}{:>9}{:>12}{:>10}{:>9}\n", printable(name), seconds[0], seconds[1],
             percent(predicted), seconds[2], seconds[3], percent(measured));
}

void print(const Tuning& tuning, const std::vector<MatrixGain>& gains) {
  print_parameters(tuning);
  fmt::print("\n{:<22}{:>29}{:>31}\n{:<22}{:>10}{:>10}{:>9}{:>12}{:>10}{:>9}\n", "", "predicted",
             "measured", "matrix", "default", "found", "gain", "default", "found", "gain");
  for (const MatrixGain& gain : gains) {
    print_gain(gain.matrix,
               {readable_seconds(gain.predicted_default), readable_seconds(gain.predicted_tuned),
                readable_seconds(gain.measured_default), readable_seconds(gain.measured_tuned)},
               gain.predicted(), gain.measured());
  }
  if (gains.size() > 1) print_gain("all", {}, predicted_gain(gains), measured_gain(gains));
}

Workbench workbench_of(const TuneSettings& settings) {
  const bool has_cuda = settings.runtime.cuda_devices > 0;
  expect_cuda_for(settings.runtime.cuda_devices);
  const RunPlace place{settings.ranks, settings.runtime.workers,
                       has_cuda ? settings.runtime.cuda_devices : settings.coprocessors.count,
                       has_cuda};
  const DenseKernels::Source kernels = settings.factor.kernels.from;
  return place.is_this_process() ? own_workbench(settings.runtime, kernels)
                                 : workbench_at(place, settings.coprocessors, kernels);
}

/// The whole command, from reading the matrices to writing the file.
class Tune {
 public:
  explicit Tune(const TuneSettings& settings)
      : settings_(settings),
        bench_(workbench_of(settings)),
        file_(settings.out.empty() ? user_tuning_file(bench_.place) : settings.out),
        progress_(!settings.quiet) {
    if (file_.empty()) {
      throw UsageError(
          "neither XDG_DATA_HOME nor HOME says where to keep the result; give --out FILE");
    }
    expect_creatable(file_, folders);
    if (!settings.quiet) print_warnings(bench_.warnings);
  }

  void run() {
    Problems problems(settings_.matrices, bench_, progress_);
    std::optional<Finding> best;
    for (Index round = 0; round < settings_.rounds; ++round) {
      std::optional<Finding> next = tried(problems, round, best);
      if (!next) break;
      if (!best || better(next->gains, best->gains)) best = std::move(next);
    }
    if (!best) {
      say([] { fmt::print("nothing is predicted to be better than the defaults\n"); });
      return keep_defaults();
    }
    if (settings_.rounds > 1 && objection(best->gains).empty()) {
      // The best of several rounds may only have been measured at a lucky time.
      best->gains =
          remeasured(std::move(best->gains),
                     problems.measured(best->tuning, 2 * settings_.repeat, progress_).gains);
    }
    say([&] { print(best->tuning, best->gains); });
    const std::string reason = objection(best->gains);
    if (reason.empty()) return keep(best->tuning, best->gains);
    say([&] { fmt::print("not used: {}\n", reason); });
    keep_defaults();
  }

 private:
  /// Searches for a candidate and measures its gain. The search knows all earlier measurements.
  /// Returns nothing if it finds no new candidate.
  std::optional<Finding> tried(Problems& problems, Index round,
                               const std::optional<Finding>& best) {
    const SearchOptions search{static_cast<double>(settings_.seconds) / settings_.rounds,
                               settings_.iterations, static_cast<unsigned>(settings_.seed + round)};
    const bool usable = best && objection(best->gains).empty();
    std::optional<Candidate> candidate;
    if (settings_.objective == paper_objective) {
      candidate = problems.found_as_in_the_paper(search, progress_);
    } else {
      candidate = problems.found(usable ? best->tuning : Tuning{}, search, progress_);
    }
    progress_.end();
    if (!candidate || (best && equal(candidate->tuning, best->tuning))) return std::nullopt;
    Finding finding = problems.measured(candidate->tuning, settings_.repeat, progress_);
    const std::string reason = objection(finding.gains);
    say([&] {
      fmt::print("round {}: {} predicted, {} measured{}\n", round + 1,
                 percent(predicted_gain(finding.gains)), percent(measured_gain(finding.gains)),
                 reason.empty() ? "" : "; " + reason);
    });
    return finding;
  }

  void keep(const Tuning& tuning, const std::vector<MatrixGain>& gains) {
    const TuningFile file{
        cpu_name(),           today(), bench_.place, settings_.matrices, predicted_gain(gains),
        measured_gain(gains), tuning};
    write_text(
        file_, [&] { return to_json(file); }, folders);
    say([&] { fmt::print("written to {}\n", printable(file_)); });
  }

  /// Removes the result of an earlier search, because it would not pass the same checks now.
  void keep_defaults() {
    const bool removed = settings_.out.empty() && std::filesystem::remove(file_);
    say([&] {
      fmt::print("the defaults are kept{}\n", removed ? "; removed " + printable(file_) : "");
    });
  }

  void say(const std::function<void()>& print) const {
    if (settings_.quiet) return;
    print();
    std::fflush(stdout);
  }

  static constexpr Folders folders = Folders::made;
  const TuneSettings& settings_;
  Workbench bench_;
  std::string file_;
  Progress progress_;
};

/// The search of a policy's options.
class TunePolicy {
 public:
  explicit TunePolicy(const TuneSettings& settings)
      : settings_(settings),
        bench_(policy_bench(place_of(settings), mode_of(settings), settings.matrices)),
        progress_(!settings.quiet) {}

  void run() {
    const OptionValues values = searched();
    if (values.empty()) return say("nothing was faster than the options as they are\n");
    progress_.begin("measuring");
    const std::vector<MatrixGain> gains =
        option_gains(bench_, seconds(), values, bench_.mode.simulated() ? 1 : settings_.repeat);
    progress_.end();
    print(values, gains);
  }

 private:
  static RunCase place_of(const TuneSettings& settings) {
    const Index devices = std::max(settings.runtime.cuda_devices, settings.coprocessors.count);
    RunCase what{.policy = settings.policy,
                 .ranks = settings.ranks,
                 .workers = settings.runtime.workers,
                 .devices = devices};
    if (settings.machine.empty()) {
      expect_cuda_for(settings.runtime.cuda_devices);
      what.options = words_of({.devices = settings.coprocessors.count}, settings.coprocessors);
    }
    return what;
  }

  static RunMode mode_of(const TuneSettings& settings) {
    return {settings.machine, settings.runtime.cuda_devices > 0, warming_runs + timed_runs, false};
  }

  OptionSeconds seconds() const {
    return [this](const std::string& matrix, const OptionValues& values) {
      return measured_seconds(bench_, matrix, values);
    };
  }

  OptionValues searched() {
    progress_.begin("searching");
    const OptionValues found =
        search_options(bench_, seconds(),
                       {static_cast<double>(settings_.seconds), settings_.iterations,
                        static_cast<unsigned>(settings_.seed)},
                       [&](double share, double gain) {
                         progress_.rename(fmt::format("searching, gain so far {}", percent(gain)));
                         progress_.done(share);
                       });
    progress_.end();
    return found;
  }

  void print(const OptionValues& values, const std::vector<MatrixGain>& gains) const {
    if (!settings_.quiet) {
      fmt::print("\n{:<22}{:>10}{:>10}\n", "option", "before", "found");
      for (const auto& [key, before] : bench_.before) {
        fmt::print("{:<22}{:>10}{:>10}\n", key, before,
                   values.contains(key) ? values.at(key) : before);
      }
      fmt::print("\n{:<22}{:>10}{:>10}{:>9}\n", "matrix", "before", "found", "gain");
      for (const MatrixGain& gain : gains) {
        fmt::print("{:<22}{:>10}{:>10}{:>9}\n", printable(gain.matrix),
                   readable_seconds(gain.measured_default), readable_seconds(gain.measured_tuned),
                   percent(gain.measured()));
      }
    }
    const std::string reason = objection(gains);
    if (!reason.empty()) return say(fmt::format("not better: {}\n", reason));
    std::string words = settings_.quiet ? "" : "\nuse:";
    const PolicyChoice found = parse_policies(bench_.policy_with(values), true).front();
    for (const std::string& word : found.words()) words += " " + word;
    fmt::print("{}\n", words);
  }

  void say(const std::string& text) const {
    if (!settings_.quiet) fmt::print("{}", text);
  }

  const TuneSettings& settings_;
  PolicyBench bench_;
  Progress progress_;
};

/// Throws UsageError for options that need another one, or that exclude each other.
void expect_together(const TuneSettings& settings) {
  const bool kernels = settings.factor.kernels.from != DenseKernels::Source::automatic;
  if (!settings.policy.empty() && (kernels || !settings.out.empty())) {
    throw UsageError("--sched searches the options of a scheduler and keeps no file; leave out " +
                     std::string(kernels ? "--kernels" : "--out"));
  }
  if (settings.policy.empty() && !settings.machine.empty()) {
    throw UsageError(
        "--machine needs --sched NAME: only options of a scheduler are searched there");
  }
  if (kernels && settings.out.empty()) {
    throw UsageError(
        "--kernels needs --out FILE, because solves without --kernels would use a kept result, "
        "too; then "
        "run solve with --tuning FILE and the same --kernels");
  }
}

void run(const TuneSettings& settings) {
  expect_alone("tune");
  expect_together(settings);
  std::vector<NamedPath> paths{{"--out", settings.out}};
  for (const std::string& matrix : settings.matrices) paths.push_back({"MATRIX", matrix});
  expect_different(paths);
  if (settings.policy.empty()) return Tune(settings).run();
  TunePolicy(settings).run();
}

void add_places(CLI::App& command, TuneSettings& settings) {
  add_options(command, settings, {"workers", "kernels"});
  add_number(command, "ranks", "P", settings.ranks, {1, 1024},
             "number of ranks, started by mpirun; --workers and devices count per rank");
  add_devices(command, settings, settings.coprocessors);
  command.get_option("--cuda-devices")->excludes(command.get_option("--coprocessors"));
}

}  // namespace

Command add_tune(CLI::App& program) {
  auto settings = std::make_shared<TuneSettings>();
  CLI::App* const command = program.add_subcommand(
      "tune", "Search the panel widths, amalgamation limits and task sizes that factor fastest.");
  add_matrices(*command, settings->matrices);
  add_number(*command, "time", "SECONDS", settings->seconds, {1, 86400},
             "time of all searches, without ordering and measurements");
  add_number(*command, "rounds", "K", settings->rounds, {1, 1000},
             "number of searches; each uses the measurements after the previous ones");
  add_number(*command, "iterations", "K", settings->iterations, {0, 1e9},
             "number of evaluations per search; 0: until its time is over");
  add_number(*command, "seed", "N", settings->seed, {0, 1e9}, "random seed of the first search");
  choose_from(
      command
          ->add_option("--objective", settings->objective,
                       "quantity that the searches minimize. makespan: the predicted makespan; "
                       "paper: swCholesky's model of supernodes, for its ten parameters")
          ->type_name("NAME"),
      {makespan_objective, paper_objective});
  add_places(*command, *settings);
  command
      ->add_option("--sched", settings->policy,
                   "search the options of this scheduler instead: NAME:KEY=VALUE:... or as=NAME")
      ->type_name("NAME");
  command
      ->add_option("--machine", settings->machine,
                   "with --sched: run on this simulated machine, with --ranks as its nodes")
      ->type_name("NAME");
  add_number(
      *command, "repeat", "K", settings->repeat, {1, 1000000},
      "number of timed factorizations after each search; with --sched, of processes with the "
      "old and with the new options");
  command
      ->add_option("--out", settings->out,
                   "write the result to this file, not to the user's data folder")
      ->type_name("FILE");
  command->add_flag("--quiet", settings->quiet, "print only errors");
  command->footer(tune_examples);
  return {command, [settings] { run(*settings); }};
}

}  // namespace espalier::internal
