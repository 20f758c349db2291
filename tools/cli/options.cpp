// SPDX-License-Identifier: BSD-3-Clause

#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/halo_division.hpp"
#include "base/memory.hpp"
#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "cli/tuning.hpp"
#include "codelets/cpu/combined.hpp"
#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "ordering/ordering.hpp"
#include "report/factor_report.hpp"
#include "schedulers/options.hpp"

namespace espalier::internal {

namespace {

std::string help_with(const Limits& limits, const std::string& help) {
  return fmt::format("{} ({} to {})", help, limits.lowest, limits.highest);
}

/// Accepts decimal numbers within the limits. CLI::Range accepts nan, too, takes 010 for eight and
/// says 1.000000 for 1.
template <class Number>
CLI::Validator within(const Limits& limits) {
  const auto check = [limits](std::string& text) -> std::string {
    using Wide = std::conditional_t<std::is_integral_v<Number>, Count, double>;
    Wide value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    const auto number = static_cast<double>(value);
    if (error == std::errc() && at == end && limits.lowest <= number && number <= limits.highest) {
      text = fmt::format("{}", value);
      return "";
    }
    return fmt::format("{} is not {} from {} to {}", internal::quoted(text),
                       std::is_integral_v<Number> ? "a whole number" : "a number", limits.lowest,
                       limits.highest);
  };
  return {check, ""};
}

/// Adds a number that a tuning chooses where it is left empty.
template <class Number>
void add_tuned(CLI::App& command, const std::string& name, const std::string& symbol,
               std::optional<Number>& value, Number otherwise, const Limits& limits,
               const std::string& help) {
  command.add_option("--" + name, value, help_with(limits, help))
      ->transform(within<Number>(limits))
      ->type_name(symbol)
      ->default_str(fmt::format("{}", otherwise));
}

/// Adds four of the limits, separated by commas: --NAME a,b,c,d. The others have their defaults
/// then: limits belong together.
template <class Number>
void add_four(CLI::App& command, const std::string& name, std::optional<AmalgamationOptions>& to,
              std::array<Number, 4> AmalgamationOptions::*chosen, const Limits& limits,
              const std::string& help) {
  const auto take = [&to, chosen](const std::array<Number, 4>& values) {
    if (!to) to.emplace();
    (*to).*chosen = values;
  };
  command.add_option_function<std::array<Number, 4>>("--" + name, take, help_with(limits, help))
      ->delimiter(',')
      ->transform(within<Number>(limits))
      ->type_name("A,B,C,D")
      ->default_str(fmt::format("{}", fmt::join(AmalgamationOptions{}.*chosen, ",")));
}

/// Adds an option that takes one of the values by its name.
template <class Value>
void add_choice(CLI::App& command, const std::string& name, Value& value,
                std::initializer_list<Value> values, const std::string& help) {
  CLI::TransformPairs<Value> names;
  for (const Value known : values) names.emplace_back(name_of(known), known);
  CLI::Option* const option = command.add_option("--" + name, value, help)
                                  ->transform(CLI::Transformer(names).description(""))
                                  ->type_name("NAME")
                                  ->default_str(name_of(value));
  std::vector<std::string> words;
  for (const auto& [known, of] : names) words.push_back(known);
  choose_from(option, words);
}

/// Adds the width of the panels of a combined kernel.
void add_panel(CLI::App& command, const std::string& name, Index& width, const std::string& help) {
  CLI::Option* const option =
      command
          .add_option("--" + name, width,
                      fmt::format("{}, under --kernels own or mixed: {}", help,
                                  fmt::join(cpu::panel_widths(), ", ")))
          ->type_name("COLUMNS")
          ->capture_default_str();
  std::vector<std::string> widths;
  for (const Index known : cpu::panel_widths()) widths.push_back(std::to_string(known));
  choose_from(option, widths);
}

/// Reads a number of bytes. CLI::AsSizeValue knows no fractions and accepts a suffix without a
/// number.
CLI::Validator bytes() {
  const auto read = [](std::string& text) {
    text = std::to_string(parse_bytes(text));
    return std::string();
  };
  return {read, ""};
}

std::string matrix_help() {
  return "a file (Matrix Market, Rutherford-Boeing or Harwell-Boeing, plain or gzipped, of any "
         "name) or a test matrix:\n" +
         generator_usage();
}

/// Returns the values of a policy's option that can be listed.
std::vector<std::string> choices_of(std::string_view key) {
  const auto option = std::ranges::find(policy_options(), key, &PolicyOption::key);
  std::istringstream words{std::string(option->choices)};
  return {std::istream_iterator<std::string>(words), {}};
}

/// Returns "KEY=VALUE" for each value that can be listed, else "KEY=".
Suggestions policy_settings_to_suggest() {
  Suggestions settings;
  for (const PolicyOption& option : policy_options()) {
    const std::string key = std::string(option.key) + "=";
    if (option.choices.empty()) settings.words.push_back(key);
    for (const std::string& choice : choices_of(option.key)) settings.words.push_back(key + choice);
  }
  return settings;
}

/// Adds the options that stand for options of policies.
void add_device_options(CLI::App& command, std::vector<std::string>& values) {
  const auto add = [&](const char* name, const char* key, const char* symbol,
                       const std::string& help) {
    const auto take = [&values, key](const std::string& text) {
      values.push_back(fmt::format("{}={}", key, text));
    };
    return command.add_option_function<std::string>(name, take, help)->type_name(symbol);
  };
  add("--device-memory", "device_memory", "BYTES",
      "bytes of data (500M, 2.5G) that each device may have; under halo the tiles that its workers "
      "read at once may come beside: offload.device_bytes in the report")
      ->transform(bytes());
  suggest(add("--halo", "halo", "DIVISION",
              "the part of devices under --sched halo: " + std::string(halo_divisions)),
          {.words = {halo_division_words.begin(), halo_division_words.end()}});
  suggest(add("--on-device-full", "on_device_full", "NAME",
              "what becomes of a task that does not fit then: cpu or fail"),
          {.words = choices_of("on_device_full")});
}

}  // namespace

CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                        Index& value, const Limits& limits, const std::string& help) {
  return command.add_option("--" + name, value, help_with(limits, help))
      ->transform(within<Index>(limits))
      ->type_name(symbol)
      ->capture_default_str();
}

CLI::Option* add_numbers(CLI::App& command, const std::string& name, const std::string& symbol,
                         std::vector<Index>& values, const Limits& limits,
                         const std::string& help) {
  return command.add_option("--" + name, values, help_with(limits, help))
      ->delimiter(',')
      ->transform(within<Index>(limits))
      ->type_name(symbol)
      ->default_str(fmt::format("{}", fmt::join(values, ",")));
}

CLI::Option* choose_from(CLI::Option* option, const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return "";
    return fmt::format("{} is unknown; {}choose one of {}", internal::quoted(text),
                       did_you_mean(text, words), fmt::join(words, ", "));
  };
  // What is added to the front runs before another value may take the place of the word.
  option->transform(CLI::Validator([check](std::string& text) { return check(text); }, ""));
  return suggest(option, {.words = words});
}

std::vector<std::string> words_that_give(const std::vector<CLI::Option*>& options,
                                         const std::vector<std::string>& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string name = line[at].substr(0, line[at].find('='));
    const bool wanted = std::ranges::any_of(options, [&](const CLI::Option* option) {
      return name.starts_with("--") && option->check_lname(name.substr(2));
    });
    if (!wanted) continue;
    words.push_back(line[at]);
    if (name == line[at] && at + 1 < line.size()) words.push_back(line[++at]);
  }
  return words;
}

CLI::Option* suggest_matrices(CLI::Option* option) {
  Suggestions suggestions{Suggestions::Kind::files};
  for (const std::string& name : generator_names()) suggestions.words.push_back(name + ":");
  return suggest(option, suggestions);
}

void add_workers(CLI::App& command, Index& workers) {
  add_number(command, "workers", "N", workers, limits::workers,
             "CPU workers; 0: as many as STARPU_NCPU says, else as there are cores");
}

void add_devices(CLI::App& command, Index& cuda_devices, Coprocessors& coprocessors) {
  add_number(
      command, "cuda-devices", "N", cuda_devices, limits::cuda_devices,
      "CUDA devices that run tasks, of each rank; where there are fewer, all that there are");
  add_number(command, "coprocessors", "N", coprocessors.count, {0, 16},
             "other processes that run tasks for this one, by StarPU's TCP/IP mode");
  add_coprocessor_threads(command, coprocessors);
}

void expect_cuda_for(Index cuda_devices) {
  if (cuda_devices == 0 || cuda::is_built()) return;
  throw UsageError(
      "this espalier is built without CUDA, so that no CUDA device can run its tasks; build "
      "another one with tools/gpu/build.sh, or leave out --cuda-devices");
}

void add_coprocessor_threads(CLI::App& command, Coprocessors& coprocessors) {
  add_number(command, "coprocessor-threads", "T", coprocessors.threads, {1, 256},
             "threads of each of them");
  add_choice(command, "coprocessor-workers", coprocessors.workers,
             {CoprocessorWorkers::each, CoprocessorWorkers::one},
             "each: of these threads each is a worker with tasks of its own; one: they are one "
             "worker and do each task together");
}

void add_memory_limit(CLI::App& command, Count& bytes_allowed) {
  command
      .add_option("--memory-limit", bytes_allowed,
                  "bytes (500M, 2.5G) that the predicted peak may not pass; 0: no limit")
      ->transform(bytes())
      ->type_name("BYTES")
      ->capture_default_str();
}

void add_task_options(CLI::App& command, FactorOptions& options) {
  using enum Granularity;
  add_choice(command, "granularity", options.granularity, {automatic, panel, tile, block},
             "what tasks work on: auto, panel, tile or block");
  const Tuning defaults;
  add_tuned(
      command, "subtrees-per-worker", "X", options.subtrees_per_worker,
      defaults.subtrees_per_worker, limits::subtrees_per_worker,
      "least number of subtrees that a worker's share is cut into; unless set, 12 to 3072 beside "
      "fast devices");
  add_tuned(command, "tile-rows", "ROWS", options.tile_rows, defaults.tile_rows, limits::tile_rows,
            "least rows of a tile; unless set, twice as many under several ranks");
  using Source = DenseKernels::Source;
  add_choice(
      command, "kernels", options.kernels.from,
      {Source::automatic, Source::own, Source::blas, Source::mixed},
      "dense kernels of CPU workers: auto, own, blas, or mixed: combined TRSM and POTRF made "
      "of kernels of the BLAS");
  add_panel(command, "trsm-panel", options.kernels.panel1,
            "columns of a panel of combined TRSM (panel1 of swCholesky)");
  add_panel(command, "potrf-panel", options.kernels.panel2,
            "columns of a panel of combined POTRF (panel2 of swCholesky)");
}

void add_mapping(CLI::App& command, Mapping& mapping, std::array<Index, 2>& grid) {
  add_choice(command, "mapping", mapping, {Mapping::proportional, Mapping::block_cyclic},
             "how ranks share the work: proportional or block-cyclic, which with --granularity "
             "block is the fan-out of symPACK");
  command.add_option("--grid", grid, "grid of the ranks under --mapping block-cyclic")
      ->delimiter('x')
      ->transform(within<Index>({1, 65536}))
      ->type_name("RxC");
}

void add_scheduler_options(CLI::App& command, std::vector<std::string>& values) {
  std::string help = "option of an own policy, may be repeated; else ESPALIER_KEY:";
  for (const PolicyOption& option : policy_options()) {
    help += fmt::format("\n{} ({}; {}): {}", option.key, option.policies, values_of(option),
                        option.help);
  }
  CLI::Option* const option = command.add_option("--sched-option", values, help)
                                  ->type_name("KEY=VALUE")
                                  ->expected(1)
                                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  suggest(option, policy_settings_to_suggest());
  add_device_options(command, values);
}

void add_analysis_options(CLI::App& command, AnalysisOptions& options) {
  CLI::Option* const ordering =
      command
          .add_option(
              "--ordering", options.ordering,
              "auto, dissection, scotch, metis, amd, natural, a file with a permutation, or, to "
              "solve, ptscotch: by all ranks together")
          ->type_name("NAME")
          ->capture_default_str();
  suggest(ordering, {Suggestions::Kind::files, ordering_methods()});
  add_number(command, "factorizations", "K", options.factorizations, limits::factorizations,
             "factorizations expected to follow; decides how much ordering pays");
  const Tuning defaults;
  add_tuned(command, "panel-width", "COLUMNS", options.panel_width, defaults.panel_width,
            limits::panel_width,
            "wider supernodes are split into panels of about this many columns; 512 or 1024 "
            "beside CUDA devices, except under --sched halo");
  add_tuned(command, "narrow-panel-width", "COLUMNS", options.narrow_panel_width,
            defaults.narrow_panel_width, limits::panel_width,
            "panels that would be too much of all the work may be this narrow");
  add_four(command, "amalgamation-widths", options.amalgamation, &AmalgamationOptions::widths,
           limits::amalgamation_widths, "four limits on the columns of a merged supernode");
  add_four(command, "amalgamation-zeros", options.amalgamation, &AmalgamationOptions::zeros,
           limits::amalgamation_zeros, "four limits on its share of explicit zeros");
}

CLI::Option* add_tuning(CLI::App& command, std::string& tuning) {
  CLI::Option* const option =
      command
          .add_option(
              "--tuning", tuning,
              "widths, limits and sizes of tasks that no option sets are those of this file of "
              "espalier tune, or none: the defaults; else those that it has kept for as many "
              "workers, ranks and devices")
          ->type_name("FILE");
  return suggest(option, {Suggestions::Kind::files, {no_tuning}});
}

namespace {

/// Lets no matrix be "-".
CLI::Option* refuse_streams(CLI::Option* matrix) {
  return matrix->check([](const std::string& text) {
    return text == "-" ? "is read once for each run, and cannot be standard input; give a file"
                       : std::string();
  });
}

}  // namespace

void add_matrix_or_stream(CLI::App& command, std::string& matrix) {
  suggest_matrices(
      command.add_option("MATRIX", matrix, matrix_help() + "\n-: such a file from standard input")
          ->required()
          ->type_name(""));
}

void add_format(CLI::App& command, FileFormat& format) {
  using enum FileFormat;
  add_choice(command, "format", format, {automatic, matrix_market, harwell_boeing},
             "format of the matrix file: auto looks at its first lines; harwell-boeing is "
             "Rutherford-Boeing, too");
}

void add_matrix(CLI::App& command, std::string& matrix) {
  refuse_streams(suggest_matrices(
      command.add_option("MATRIX", matrix, matrix_help())->required()->type_name("")));
}

void add_matrices(CLI::App& command, std::vector<std::string>& matrices) {
  refuse_streams(suggest_matrices(
      command.add_option("MATRIX", matrices, matrix_help())->required()->type_name("")));
}

void add_output_options(CLI::App& command, std::string& report, bool& quiet) {
  command.add_option("--report", report, "write everything known of the run as JSON")
      ->type_name("FILE");
  command.add_flag("--quiet", quiet, "print nothing but errors");
}

}  // namespace espalier::internal
