// SPDX-License-Identifier: BSD-3-Clause

#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "report/factor_report.hpp"
#include "schedulers/options.hpp"

namespace espalier {

namespace {

constexpr std::array granularities{Granularity::automatic, Granularity::panel, Granularity::tile,
                                   Granularity::block};

std::string help_of(std::string_view name) {
  const OptionInfo& info = option(name);
  return fmt::format("{} ({} to {})", info.help, info.lowest, info.highest);
}

/// Reads all of `text` as a number in the range of the option; `kind` is "whole number" or
/// "number".
template <class Number>
Number parse(std::string_view name, std::string_view text, std::string_view kind) {
  using Wide = std::conditional_t<std::is_integral_v<Number>, Count, double>;
  Wide value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) {
    const OptionInfo& info = option(name);
    throw UsageError(fmt::format("{} is '{}', where a {} from {} to {} is expected", name, text,
                                 kind, info.lowest, info.highest));
  }
  expect_in_range(name, static_cast<double>(value));
  return static_cast<Number>(value);
}

/// A number that a tuning chooses where it is left empty.
template <class Number>
void add_tuned(CLI::App& command, const std::string& name, const std::string& symbol,
               std::optional<Number>& value, Number otherwise) {
  const auto take = [&value, name](const std::string& text) {
    constexpr std::string_view kind = std::is_integral_v<Number> ? "whole number" : "number";
    value = parse<Number>(name, text, kind);
  };
  command.add_option_function<std::string>("--" + name, take, help_of(name))
      ->type_name(symbol)
      ->default_str(fmt::format("{}", otherwise));
}

/// Four of the limits, separated by commas: --`flag` a,b,c,d. Their range is that of the line
/// `name`. The others have their defaults then: limits belong together.
template <class Number>
void add_four(CLI::App& command, const std::string& flag, const std::string& name,
              std::optional<AmalgamationOptions>& limits,
              std::array<Number, 4> AmalgamationOptions::*chosen) {
  const auto take = [&limits, chosen, flag, name](const std::string& text) {
    constexpr std::string_view kind = std::is_integral_v<Number> ? "whole number" : "number";
    if (!limits) limits.emplace();
    std::array<Number, 4>& values = (*limits).*chosen;
    std::string_view rest = text;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      values[k] = parse<Number>(name, rest.substr(0, comma), kind);
      const bool last = k + 1 == values.size();
      if (last != (comma == rest.size())) {
        throw UsageError(flag + " is '" + text + "', where four numbers a,b,c,d are expected");
      }
      rest.remove_prefix(last ? comma : comma + 1);
    }
  };
  command.add_option_function<std::string>("--" + flag, take, help_of(name))
      ->type_name("A,B,C,D")
      ->default_str(fmt::format("{}", fmt::join(AmalgamationOptions{}.*chosen, ",")));
}

Granularity parse_granularity(const std::string& text) {
  std::string known;
  for (const Granularity granularity : granularities) {
    const std::string name = name_of(granularity);
    if (text == name) return granularity;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw UsageError("granularity is '" + text + "'; choose one of " + known);
}

Mapping parse_mapping(const std::string& text) {
  for (const Mapping mapping : {Mapping::proportional, Mapping::block_cyclic}) {
    if (text == name_of(mapping)) return mapping;
  }
  throw UsageError("mapping is '" + text + "'; choose one of proportional, block-cyclic");
}

std::array<Index, 2> parse_grid(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) {
    throw UsageError("grid is '" + text + "', where rows and columns RxC are expected");
  }
  const auto side = [&](std::string_view part) {
    return parse<Index>("grid", part, "whole number");
  };
  const std::string_view whole = text;
  return {side(whole.substr(0, cross)), side(whole.substr(cross + 1))};
}

std::string matrix_help() {
  return "a file (.mtx, .rb, .rsa, .psa, each also .gz) or a test matrix:\n" + generator_usage();
}

/// Those that stand for options of policies.
void add_device_options(CLI::App& command, std::vector<std::string>& values) {
  const auto take_memory = [&values](const std::string& text) {
    const Count bytes = parse_bytes(text);
    expect_in_range("device-memory", static_cast<double>(bytes));
    values.push_back(fmt::format("device_memory={}", bytes));
  };
  command
      .add_option_function<std::string>("--device-memory", take_memory,
                                        std::string(option("device-memory").help))
      ->type_name("BYTES");
  const auto take_division = [&values](const std::string& text) {
    values.push_back("halo=" + text);
  };
  command
      .add_option_function<std::string>(
          "--halo", take_division,
          "the part of devices under --sched halo: mdwin, static0:SHARE or static1:SHARE")
      ->type_name("DIVISION");
  const auto take_full = [&values](const std::string& text) {
    values.push_back("on_device_full=" + text);
  };
  command
      .add_option_function<std::string>(
          "--on-device-full", take_full,
          "what becomes of a task that does not fit then: cpu or fail")
      ->type_name("NAME");
}

}  // namespace

void add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                Index& value) {
  const auto take = [&value, name](const std::string& text) {
    value = parse<Index>(name, text, "whole number");
  };
  command.add_option_function<std::string>("--" + name, take, help_of(name))
      ->type_name(symbol)
      ->default_str(std::to_string(value));
}

void add_bytes(CLI::App& command, const std::string& name, Count& value) {
  const auto take = [&value, name](const std::string& text) {
    value = parse_bytes(text);
    expect_in_range(name, static_cast<double>(value));
  };
  command.add_option_function<std::string>("--" + name, take, std::string(option(name).help))
      ->type_name("BYTES")
      ->default_str(std::to_string(value));
}

void add_task_options(CLI::App& command, FactorOptions& options) {
  const auto take = [&options](const std::string& text) {
    options.granularity = parse_granularity(text);
  };
  command
      .add_option_function<std::string>("--granularity", take,
                                        "what tasks work on: auto, panel, tile or block")
      ->type_name("NAME")
      ->default_str(name_of(options.granularity));
  const Tuning defaults;
  add_tuned(command, "subtrees-per-worker", "X", options.subtrees_per_worker,
            defaults.subtrees_per_worker);
  add_tuned(command, "tile-rows", "ROWS", options.tile_rows, defaults.tile_rows);
}

void add_mapping(CLI::App& command, Mapping& mapping, std::array<Index, 2>& grid) {
  const auto take = [&mapping](const std::string& text) { mapping = parse_mapping(text); };
  command
      .add_option_function<std::string>("--mapping", take,
                                        "how ranks share the work: proportional or block-cyclic")
      ->type_name("NAME")
      ->default_str(name_of(mapping));
  const auto take_grid = [&grid](const std::string& text) { grid = parse_grid(text); };
  command
      .add_option_function<std::string>("--grid", take_grid,
                                        "grid of the ranks under --mapping block-cyclic")
      ->type_name("RxC");
}

void add_scheduler_options(CLI::App& command, std::vector<std::string>& values) {
  std::string help = "option of an own policy, may be repeated; else ESPALIER_KEY:";
  for (const PolicyOption& option : policy_options()) {
    help += fmt::format("\n{} ({}; {}): {}", option.key, option.policies, values_of(option),
                        option.help);
  }
  command.add_option("--sched-option", values, help)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_device_options(command, values);
}

void add_analysis_options(CLI::App& command, AnalysisOptions& options) {
  command
      .add_option(
          "--ordering", options.ordering,
          "auto, dissection, scotch, metis, amd, natural, a file with a permutation, or, to "
          "solve, ptscotch: by all ranks together")
      ->type_name("NAME")
      ->capture_default_str();
  add_number(command, "factorizations", "K", options.factorizations);
  const Tuning defaults;
  add_tuned(command, "panel-width", "COLUMNS", options.panel_width, defaults.panel_width);
  add_tuned(command, "narrow-panel-width", "COLUMNS", options.narrow_panel_width,
            defaults.narrow_panel_width);
  add_four(command, "amalgamation-widths", "amalgamation-width", options.amalgamation,
           &AmalgamationOptions::widths);
  add_four(command, "amalgamation-zeros", "amalgamation-zeros", options.amalgamation,
           &AmalgamationOptions::zeros);
}

void add_matrix(CLI::App& command, std::string& matrix) {
  command.add_option("MATRIX", matrix, matrix_help())->required()->type_name("");
}

void add_matrices(CLI::App& command, std::vector<std::string>& matrices) {
  command.add_option("MATRIX", matrices, matrix_help())->required()->type_name("");
}

void add_output_options(CLI::App& command, std::string& report, bool& quiet) {
  command.add_option("--report", report, "write everything known of the run as JSON")
      ->type_name("FILE");
  command.add_flag("--quiet", quiet, "print nothing but errors");
}

}  // namespace espalier
