// SPDX-License-Identifier: BSD-3-Clause

#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "cli/tuning.hpp"
#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "perfmodels/machine_file.hpp"
#include "report/factor_report.hpp"
#include "schedulers/options.hpp"
#include "solver/option_table.hpp"

namespace espalier::internal {

namespace {

/// Returns the message of the UsageError that `read` throws, or an empty string if it throws none.
/// CLI11 puts the name of the option in front of the message.
template <class Read>
std::string refusal(Read read) {
  try {
    read();
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

/// Adds the option --NAME `symbol`, whose text `read` parses.
template <class Read>
CLI::Option* add_text(CLI::App& command, const std::string& name, const std::string& symbol,
                      Read read, const std::string& help) {
  const auto take = [=](const CLI::results_t& given) {
    for (const std::string& text : given) {
      const std::string why = refusal([&] { read(text); });
      if (!why.empty()) throw CLI::ValidationError("--" + name, why);
    }
    return true;
  };
  return command.add_option("--" + name, CLI::callback_t(take), help)->type_name(symbol);
}

/// Returns the values that `read` returns for the parts of a text between commas.
template <class Read>
auto list_of(const std::string& text, Read read) {
  std::vector<decltype(read(text))> values;
  for (const auto part : std::views::split(text, ',')) {
    values.push_back(read(std::string(part.begin(), part.end())));
  }
  return values;
}

std::string help_with(const Limits& limits, const std::string& help) {
  return fmt::format("{} ({} to {})", help, limits.lowest, limits.highest);
}

/// Adds an option that takes the name of one of the values.
template <class Value>
void add_choice(CLI::App& command, const std::string& name, Value& value,
                const std::vector<Value>& values, const std::string& help) {
  std::vector<std::string> words(values.size());
  std::ranges::transform(values, words.begin(), [](Value known) { return name_of(known); });
  const auto read = [&value, values, words](const std::string& text) {
    value = values[position_among(words, text)];
  };
  suggest(add_text(command, name, "NAME", read, help)->default_str(name_of(value)),
          {.words = words});
}

/// Returns the help of an option, with other options written as on the command line: --NAME VALUE.
std::string help_of(const OptionRow& option) {
  std::string help = option.help;
  for (const OptionRow& other : option_table()) {
    const std::string assigned = " " + other.name + "=";
    const std::size_t at = help.find(assigned);
    if (at != std::string::npos) help.replace(at, assigned.size(), " --" + other.name + " ");
  }
  return help;
}

void add_option(CLI::App& command, const OptionRow& row, Options& options) {
  const auto read = [&](const std::string& text) { row.read(text, options); };
  if (row.is_flag()) {
    command.add_flag_callback(
        "--" + row.name, [=] { read("1"); }, help_of(row));
    return;
  }
  CLI::Option* const option = add_text(command, row.name, row.symbol, read, help_of(row));
  option->default_str(row.fallback);
  if (row.repeated) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  using Kind = Suggestions::Kind;
  if (!row.words.empty()) suggest(option, {row.takes_file ? Kind::files : Kind::words, row.words});
}

std::string matrix_help() {
  return "a file (Matrix Market, Rutherford-Boeing or Harwell-Boeing, plain or gzipped) or a "
         "generated test matrix:\n" +
         generator_usage();
}

}  // namespace

void add_options(CLI::App& command, Options& options,
                 std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) add_option(command, option_row(name), options);
}

CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                        Index& value, const Limits& limits, const std::string& help) {
  const auto read = [&value, limits](const std::string& text) {
    value = whole_number(text, limits);
  };
  return add_text(command, name, symbol, read, help_with(limits, help))
      ->default_str(std::to_string(value));
}

CLI::Option* add_numbers(CLI::App& command, const std::string& name, const std::string& symbol,
                         std::vector<Index>& values, const Limits& limits,
                         const std::string& help) {
  const auto read = [&values, limits](const std::string& text) {
    values = list_of(text, [&](const std::string& part) { return whole_number(part, limits); });
  };
  return add_text(command, name, symbol, read, help_with(limits, help))
      ->default_str(fmt::format("{}", fmt::join(values, ",")));
}

CLI::Option* add_reals(CLI::App& command, const std::string& name, const std::string& symbol,
                       std::vector<double>& values, const std::string& help) {
  const auto read = [&values](const std::string& text) { values = list_of(text, finite_number); };
  return add_text(command, name, symbol, read, help);
}

CLI::Option* choose_from(CLI::Option* option, const std::vector<std::string>& words) {
  option->check(
      [words](const std::string& text) { return refusal([&] { position_among(words, text); }); });
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

void add_devices(CLI::App& command, Options& options, Coprocessors& coprocessors) {
  add_options(command, options, {"cuda-devices"});
  add_number(command, "coprocessors", "N", coprocessors.count, {0, 16},
             "number of further processes that run tasks for this one, by StarPU's TCP/IP mode");
  add_coprocessor_threads(command, coprocessors);
}

void expect_cuda_for(Index cuda_devices) {
  if (cuda_devices == 0 || cuda::is_built()) return;
  throw UsageError(
      "this espalier is built without CUDA and cannot use CUDA devices; build one with CUDA by "
      "tools/gpu/build.sh, or leave out --cuda-devices");
}

void add_coprocessor_threads(CLI::App& command, Coprocessors& coprocessors) {
  add_number(command, "coprocessor-threads", "T", coprocessors.threads, {1, 256},
             "number of threads per coprocessor");
  add_choice(command, "coprocessor-workers", coprocessors.workers,
             std::vector{CoprocessorWorkers::each, CoprocessorWorkers::one},
             "each: every thread is a worker with its own tasks; one: all threads of a coprocessor "
             "run each task together");
}

void add_ordering_options(CLI::App& command, Options& options) {
  add_options(command, options, {"ordering", "factorizations"});
}

void add_save_ordering(CLI::App& command, std::string& file) {
  command
      .add_option("--save-ordering", file,
                  "write the order of the columns and its separators, for --ordering FILE")
      ->type_name("FILE");
}

void add_structure_options(CLI::App& command, Options& options) {
  add_options(command, options,
              {"panel-width", "narrow-panel-width", "amalgamation-widths", "amalgamation-zeros"});
}

void add_analysis_options(CLI::App& command, Options& options) {
  add_ordering_options(command, options);
  add_structure_options(command, options);
}

void add_task_options(CLI::App& command, Options& options) {
  add_options(command, options,
              {"granularity", "subtrees-per-worker", "tile-rows", "kernels", "trsm-panel",
               "potrf-panel", "mapping", "grid"});
}

void add_scheduler_options(CLI::App& command, Options& options) {
  add_options(command, options, {"sched", "sched-option"});
  for (const PolicyShorthand& shorthand : policy_shorthands()) {
    add_options(command, options, {shorthand.name});
  }
  suggest(command.get_option("--sched"), {.policies = true});
}

CLI::Option* add_tuning(CLI::App& command, std::string& tuning) {
  CLI::Option* const option = command
                                  .add_option("--tuning", tuning,
                                              "file of espalier tune, for all parameters that no "
                                              "option sets; none: the defaults; without "
                                              "--tuning: the result of espalier tune for this "
                                              "number of workers, ranks and devices, "
                                              "if there is one")
                                  ->type_name("FILE");
  return suggest(option, {Suggestions::Kind::files, {no_tuning}});
}

namespace {

/// Refuses "-" as a matrix, because several runs read it.
CLI::Option* refuse_streams(CLI::Option* matrix) {
  return matrix->check([](const std::string& text) {
    return text == "-" ? "is read once per run, so it cannot be standard input; give a file"
                       : std::string();
  });
}

}  // namespace

void add_matrix_or_stream(CLI::App& command, std::string& matrix) {
  suggest_matrices(
      command.add_option("MATRIX", matrix, matrix_help() + "\n-: a file from standard input")
          ->required()
          ->type_name(""));
}

void add_format(CLI::App& command, FileFormat& format) {
  using enum FileFormat;
  add_choice(
      command, "format", format, std::vector{automatic, matrix_market, harwell_boeing},
      "format of the matrix file: auto recognizes it by its first lines; harwell-boeing also "
      "reads Rutherford-Boeing");
}

void add_matrix(CLI::App& command, std::string& matrix) {
  refuse_streams(suggest_matrices(
      command.add_option("MATRIX", matrix, matrix_help())->required()->type_name("")));
}

CLI::Option* add_matrices(CLI::App& command, std::vector<std::string>& matrices) {
  return refuse_streams(suggest_matrices(
      command.add_option("MATRIX", matrices, matrix_help())->required()->type_name("")));
}

void add_machine(CLI::App& command, std::string& machine, const std::string& otherwise) {
  const std::vector<std::string> names = shipped_machine_names();
  suggest(command
              .add_option("--machine", machine,
                          fmt::format("a machine that comes with Espalier ({}), or a file; without "
                                      "it {}",
                                      fmt::join(names, ", "), otherwise))
              ->type_name("NAME|FILE"),
          {Suggestions::Kind::files, names});
}

void add_output_options(CLI::App& command, std::string& report, bool& quiet) {
  command.add_option("--report", report, "write all results and measurements as JSON")
      ->type_name("FILE");
  command.add_flag("--quiet", quiet, "print only errors");
}

void add_verbose(CLI::App& command, bool& verbose) {
  command.add_flag("--verbose", verbose,
                   "print a longer summary: supernodes, tasks, kernels, time model, all runs");
}

namespace {

struct NamedGroup {
  const char* heading;
  std::vector<const char*> names;
};

const std::vector<NamedGroup>& named_groups() {
  static const std::vector<NamedGroup> groups{
      {"Method",
       {"--format", "--as", "--ordering", "--save-ordering", "--matching", "--shift",
        "--shift-matrix", "--refine", "--deterministic", "--factorizations", "--repeat"}},
      {"Ranks and devices",
       {"--cuda-devices", "--coprocessors", "--coprocessor-threads", "--coprocessor-workers",
        "--device-memory", "--on-device-full", "--mapping", "--grid", "--watchdog"}},
      {"Scheduling", {"--sched", "--sched-option", "--halo", "--granularity"}},
      {"Time model and tuning", {"--costs", "--device-costs", "--tune", "--tuning"}},
      {"Structure and kernels (for experts)",
       {"--panel-width", "--narrow-panel-width", "--amalgamation-widths", "--amalgamation-zeros",
        "--subtrees-per-worker", "--tile-rows", "--kernels", "--trsm-panel", "--potrf-panel"}},
  };
  return groups;
}

}  // namespace

std::vector<CLI::Option*> options_of_runs_after(CLI::App& command, std::size_t own) {
  std::vector<CLI::Option*> options = command.get_options();
  options.erase(options.begin(), options.begin() + static_cast<std::ptrdiff_t>(own));
  for (CLI::Option* const option : options) {
    option->group("Options of each run, as in espalier solve");
  }
  return options;
}

void group_options(CLI::App& command) {
  for (const NamedGroup& group : named_groups()) {
    for (const char* const name : group.names) {
      CLI::Option* const option = command.get_option_no_throw(name);
      if (option != nullptr) option->group(group.heading);
    }
  }
}

}  // namespace espalier::internal
