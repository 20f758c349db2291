// SPDX-License-Identifier: BSD-3-Clause
#include "solver/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/memory.hpp"
#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "codelets/cpu/combined.hpp"
#include "espalier/error.hpp"
#include "ordering/ordering.hpp"
#include "perfmodels/cost_model.hpp"
#include "plan/plan.hpp"
#include "schedulers/configurations.hpp"
#include "schedulers/options.hpp"
#include "schedulers/registry.hpp"
#include "solver/configured_options.hpp"

namespace espalier {

namespace internal {

namespace {

using Words = std::vector<std::string>;

constexpr Limits no_limits;

/// Returns "number from 0 to 1" or "whole number from 1 to 8".
std::string number_within(const Limits& limits, const char* s = "") {
  return fmt::format("{}number{} from {} to {}", limits.whole ? "whole " : "", s, limits.lowest,
                     limits.highest);
}

/// Returns the decimal number in a text, or nothing if the text has anything else or if the number
/// is outside the limits.
std::optional<double> number_in(std::string_view text, const Limits& limits) {
  Count whole = 0;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = limits.whole ? std::from_chars(text.data(), end, whole)
                                        : std::from_chars(text.data(), end, number);
  if (limits.whole) number = static_cast<double>(whole);
  const bool within = limits.lowest <= number && number <= limits.highest;  // false for NaN
  return error == std::errc() && at == end && within ? std::optional(number) : std::nullopt;
}

/// Returns the character between several numbers. The symbol of the option shows it: "A,B,C,D",
/// "RxC".
std::string separator_of(const OptionRow& row) {
  const std::size_t at = row.symbol.find_first_of(",x");
  return at == std::string::npos ? "" : row.symbol.substr(at, 1);
}

/// Reads `count` numbers. Returns whether the text has this number of them, each within the limits.
template <class Number>
bool read_numbers(const OptionRow& row, std::string_view text, Number* numbers, std::size_t count) {
  const std::string separator = separator_of(row);
  for (std::size_t k = 0; k < count; ++k) {
    const bool last = k + 1 == count;
    const std::size_t end = last ? text.size() : text.find(separator);
    if (end == std::string_view::npos) return false;
    const auto number = number_in(text.substr(0, end), row.limits);
    if (!number) return false;
    numbers[k] = static_cast<Number>(*number);
    if (!last) text.remove_prefix(end + 1);
  }
  return true;
}

/// An enumeration or a flag. The words of its option have the order of its values.
template <class Value>
concept Choice = std::is_enum_v<Value> || std::is_same_v<Value, bool>;

/// Sets a value from text. Returns false if the option does not allow this text.
template <class Value>
bool read_value(const OptionRow& row, const std::string& text, Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    if (row.is_choice()) position_among(row.words, text);
    value = text;
  } else if constexpr (std::is_same_v<Value, Words>) {
    const bool bytes = row.symbol == "BYTES";  // options of policies are whole numbers of bytes
    value.push_back(row.key + (bytes ? std::to_string(parse_bytes(text)) : text));
  } else if constexpr (std::is_same_v<Value, Count>) {
    value = parse_bytes(text);
  } else if constexpr (Choice<Value>) {
    value = static_cast<Value>(position_among(row.words, text));
  } else if constexpr (requires { value.emplace(); }) {
    return read_value(row, text, value.emplace());
  } else if constexpr (requires { value.data(); }) {
    return read_numbers(row, text, value.data(), value.size());
  } else if (row.words.empty()) {
    return read_numbers(row, text, &value, 1);
  } else {
    value = std::stoi(row.words[position_among(row.words, text)]);
  }
  return true;
}

/// Returns the text of a value. It is empty if a user cannot give this value.
template <class Value>
std::string text_of(const OptionRow& row, const Value& value) {
  if constexpr (Choice<Value>) {
    return row.words[static_cast<std::size_t>(value)];
  } else if constexpr (requires { value.value(); }) {
    return fmt::format("{}", *value);
  } else if constexpr (requires { std::tuple_size<Value>::value; }) {
    const bool allowed = row.limits.lowest <= value[0];
    return allowed ? fmt::format("{}", fmt::join(value, separator_of(row))) : "";
  } else if constexpr (std::is_same_v<Value, Words>) {
    return "";
  } else {
    return fmt::format("{}", value);
  }
}

/// Returns a description of the allowed values.
std::string values_of(const OptionRow& row) {
  const std::string separator = separator_of(row);
  if (row.is_choice()) return fmt::format("one of {}", fmt::join(row.words, ", "));
  if (row.symbol == "BYTES") return "a number of bytes, as 1500000, 500M or 2.5G";
  if (row.symbol == "FILE") return fmt::format("FILE or {}", fmt::join(row.words, " or "));
  if (row.limits.highest == 0) return row.takes_file ? row.symbol + " or FILE" : row.symbol;
  return separator.empty() ? "a " + number_within(row.limits)
                           : row.symbol + " with " + number_within(row.limits, "s");
}

/// Returns "KEY=VALUE" for each option of a policy and each of its values, or "KEY=" if its values
/// cannot be listed.
Words policy_settings() {
  Words settings;
  for (const PolicyOption& option : policy_options()) {
    const std::string key = std::string(option.key) + "=";
    if (option.choices.empty()) settings.push_back(key);
    for (const std::string& choice : words_of(option.choices)) settings.push_back(key + choice);
  }
  return settings;
}

Words kernel_panels() {
  Words words;
  for (const Index width : cpu::panel_widths()) words.push_back(std::to_string(width));
  return words;
}

std::string kernel_panels_help(std::string_view kernel) {
  return fmt::format("panel width of blocked {}, with kernels=own or mixed: {}", kernel,
                     fmt::join(kernel_panels(), ", "));
}

AmalgamationOptions& amalgamation(Options& options) {
  auto& chosen = options.analysis.amalgamation;
  return chosen ? *chosen : chosen.emplace();
}

using Value = OptionValue;

std::vector<OptionRow> analysis_rows() {
  return {
      {.name = "ordering",
       .symbol = "NAME",
       .help = "ordering method: auto, dissection, scotch, metis, amd, natural, or a file with a "
               "permutation; solve also accepts ptscotch, which all ranks run together",
       .value = [](Options& o) -> Value { return &o.analysis.ordering; },
       .words = ordering_methods(),
       .takes_file = true},
      {"factorizations", "K",
       "expected number of factorizations; more of them justify a slower, better ordering",
       [](Options& o) -> Value { return &o.analysis.factorizations; }, limits::factorizations},
      {"matching", "",
       "pair columns with large off-diagonal entries, for indefinite matrices; not for ptscotch",
       [](Options& o) -> Value { return &o.analysis.matching; }, no_limits, words_of("0 1")},
      {"panel-width", "COLUMNS",
       "maximum panel width; wider supernodes are split; the default with CUDA devices is 512 or "
       "1024, except under sched=halo",
       [](Options& o) -> Value { return &o.analysis.panel_width; }, limits::panel_width},
      {"narrow-panel-width", "COLUMNS",
       "minimum panel width; a panel is narrowed down to it if it would hold too large a share of "
       "the work",
       [](Options& o) -> Value { return &o.analysis.narrow_panel_width; }, limits::panel_width},
      {"amalgamation-widths", "A,B,C,D",
       "maximum widths of merged supernodes, for four levels of allowed fill",
       [](Options& o) -> Value { return &amalgamation(o).widths; }, limits::amalgamation_widths},
      {"amalgamation-zeros", "A,B,C,D",
       "maximum shares of explicit zeros in merged supernodes, for the same four levels",
       [](Options& o) -> Value { return &amalgamation(o).zeros; }, limits::amalgamation_zeros},
      {std::string(configuration_option), "NAME",
       "do as a paper does: its ordering, tasks, kernels, mapping, policy and limits, except for "
       "options that are set, too; halo needs devices",
       [](Options& o) -> Value { return &o.analysis.configuration.name; }, no_limits,
       paper_configuration_names()},
  };
}

std::vector<OptionRow> runtime_rows() {
  return {
      {"workers", "N", "number of CPU workers; 0: STARPU_NCPU if it is set, else one per core",
       [](Options& o) -> Value { return &o.runtime.workers; }, limits::workers},
      {"cuda-devices", "N",
       "number of CUDA devices per rank that run tasks; if the machine has fewer, all of them",
       [](Options& o) -> Value { return &o.runtime.cuda_devices; }, limits::cuda_devices},
      {"sched", "NAME",
       std::string("scheduling policy; without it STARPU_SCHED, else ") + default_scheduler,
       [](Options& o) -> Value { return &o.runtime.scheduler; }},
      {.name = "costs",
       .symbol = "FILE",
       .help =
           "time model of CPU workers: a file of espalier calibrate, or 'estimates'; without it "
           "the calibration of this machine",
       .value = [](Options& o) -> Value { return &o.runtime.costs.host; },
       .words = {built_in_estimates},
       .takes_file = true},
      {.name = "device-costs",
       .symbol = "FILE",
       .help = "time model of devices: a file of espalier calibrate, or 'estimates'",
       .value = [](Options& o) -> Value { return &o.runtime.costs.devices; },
       .words = {built_in_estimates},
       .takes_file = true},
  };
}

Value policy_settings_in(Options& options) { return &options.runtime.scheduler_options; }

std::vector<OptionRow> policy_rows() {
  std::vector<OptionRow> rows{
      {.name = "sched-option",
       .symbol = "KEY=VALUE",
       .help = "option of an Espalier policy, may be repeated; without it the environment "
               "variable ESPALIER_KEY; 'espalier help schedulers' lists the keys",
       .value = policy_settings_in,
       .words = policy_settings(),
       .repeated = true}};
  for (const PolicyShorthand& shorthand : policy_shorthands()) {
    rows.push_back({.name = std::string(shorthand.name),
                    .symbol = std::string(shorthand.symbol),
                    .help = shorthand.help,
                    .value = policy_settings_in,
                    .words = shorthand.words,
                    .key = std::string(shorthand.key) + "="});
  }
  return rows;
}

std::vector<OptionRow> task_rows() {
  return {
      {"granularity", "NAME",
       "data of one task: a panel, a tile, or a block; auto chooses by predicted time",
       [](Options& o) -> Value { return &o.factor.granularity; }, no_limits,
       words_of("auto panel tile block")},
      {"subtrees-per-worker", "X",
       "minimum number of sequential subtrees per worker; with fast devices the default is chosen "
       "from 12 to 3072",
       [](Options& o) -> Value { return &o.factor.subtrees_per_worker; },
       limits::subtrees_per_worker},
      {"tile-rows", "ROWS",
       "minimum number of rows of a tile; by default 512, or 128 to 1024 with several ranks",
       [](Options& o) -> Value { return &o.factor.tile_rows; }, limits::tile_rows},
      {"kernels", "NAME",
       "dense kernels of CPU workers: own, blas, mixed (Espalier's blocked TRSM and POTRF over the "
       "BLAS), or auto",
       [](Options& o) -> Value { return &o.factor.kernels.from; }, no_limits,
       words_of("auto own blas mixed")},
      {"trsm-panel", "COLUMNS", kernel_panels_help("TRSM (panel1 of swCholesky)"),
       [](Options& o) -> Value { return &o.factor.kernels.panel1; }, no_limits, kernel_panels()},
      {"potrf-panel", "COLUMNS", kernel_panels_help("POTRF (panel2 of swCholesky)"),
       [](Options& o) -> Value { return &o.factor.kernels.panel2; }, no_limits, kernel_panels()},
  };
}

std::vector<OptionRow> factor_rows() {
  return {
      {"factorization", "NAME",
       "llt for positive definite matrices, ldlt for indefinite ones; auto: llt, then ldlt if that "
       "fails",
       [](Options& o) -> Value { return &o.factor.factorization; }, no_limits,
       words_of("llt ldlt auto")},
      {"regularization", "C,P,T,R",
       "for factorization=ldlt with signs s: add s (C + P max|a_jj|) to the diagonal, and replace "
       "pivots d with s d <= T by s R; Clarabel uses 1e-8,4.9e-32,1e-13,2e-7",
       [](Options& o) -> Value { return &o.factor.regularization; }, limits::regularization},
      {"mapping", "NAME",
       "distribution over ranks: proportional, block-cyclic, fan-both, or 3d (layers of ranks, "
       "each with its own subtrees); block-cyclic with granularity=block is symPACK's fan-out",
       [](Options& o) -> Value { return &o.factor.mapping; }, no_limits,
       words_of("proportional block-cyclic fan-both 3d")},
      {"grid", "RxC",
       "grid of ranks, for mapping=block-cyclic or fan-both; for mapping=3d the grid of each layer",
       [](Options& o) -> Value { return &o.factor.grid; }, limits::grid},
      {"deterministic", "", "compute the same bits of x in every run, for any number of workers",
       [](Options& o) -> Value { return &o.factor.deterministic; }, no_limits, words_of("0 1")},
      {"memory-limit", "BYTES", "maximum predicted peak of memory (500M, 2.5G); 0: no limit",
       [](Options& o) -> Value { return &o.factor.memory_limit; }},
      {"refine", "K",
       "maximum number of refinement steps; refinement stops earlier if a step does not halve the "
       "error",
       [](Options& o) -> Value { return &o.solve.refinement_steps; }, limits::refinement_steps},
  };
}

/// Sets the fields of a row that follow from its value and its limits.
void complete(OptionRow& row) {
  Options options;
  options.analysis = completed(options.analysis, Tuning{});
  options.factor = completed(options.factor, Tuning{});
  row.values = values_of(row);
  row.fallback =
      std::visit([&](const auto* value) { return text_of(row, *value); }, row.value(options));
  if (row.limits.highest == 0) return;
  row.help += fmt::format(" ({} to {})", row.limits.lowest, row.limits.highest);
}

std::vector<OptionRow> all_rows() {
  std::vector<OptionRow> rows;
  for (auto* const make : {analysis_rows, runtime_rows, policy_rows, task_rows, factor_rows}) {
    std::ranges::move(make(), std::back_inserter(rows));
  }
  std::ranges::for_each(rows, complete);
  return rows;
}

/// Sets the number of workers for the analysis. A deterministic structure is planned for a fixed
/// number of workers and without tuning, so that it is always the same.
void plan_for_workers(Options& options) {
  const bool deterministic = options.factor.deterministic;
  options.analysis.workers = deterministic ? deterministic_workers : options.runtime.workers;
  options.analysis.tuned = !deterministic;
}

}  // namespace

void OptionRow::read(const std::string& text, Options& options) const {
  Options changed = options;
  assign(text, changed);
  note_given(*this, text, changed);
  options = std::move(changed);
}

void OptionRow::assign(const std::string& text, Options& options) const {
  Options changed = options;
  const bool is_value =
      std::visit([&](auto* known) { return read_value(*this, text, *known); }, value(changed));
  if (!is_value) throw UsageError(internal::quoted(text) + " is not " + values);
  if (name == "workers" || name == "deterministic") plan_for_workers(changed);
  options = std::move(changed);
}

std::span<const OptionRow> option_table() {
  static const std::vector<OptionRow> rows = all_rows();
  return rows;
}

const OptionRow& option_row(std::string_view name) {
  Words names;
  for (const OptionRow& row : option_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw UsageError(fmt::format("unknown option {}; {}there are {}", internal::quoted(name),
                               did_you_mean(name, names), fmt::join(names, ", ")));
}

Index whole_number(const std::string& text, const Limits& limits) {
  if (const auto number = number_in(text, limits)) return static_cast<Index>(*number);
  throw UsageError(internal::quoted(text) + " is not a " + number_within(limits));
}

double finite_number(const std::string& text) {
  constexpr double largest = std::numeric_limits<double>::max();
  if (const auto number = number_in(text, {-largest, largest, false})) return *number;
  throw UsageError(internal::quoted(text) + " is not a finite number");
}

std::size_t position_among(const Words& words, const std::string& text) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return found - words.begin();
  throw UsageError(fmt::format("{} is unknown; {}choose one of {}", internal::quoted(text),
                               did_you_mean(text, words), fmt::join(words, ", ")));
}

}  // namespace internal

void Options::set(std::string_view name, std::string_view value) {
  const internal::OptionRow& row = internal::option_row(name);
  try {
    row.read(std::string(value), *this);
  } catch (const UsageError& error) {
    throw UsageError(row.name + ": " + error.what());
  }
}

void Options::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const internal::OptionRow& row = internal::option_row(name);
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format("the option {0} has no value; write {0}=VALUE", row.name));
  }
  set(name, assignment.substr(equals + 1));
}

std::span<const NamedOption> named_options() {
  static const std::vector<NamedOption> options = [] {
    std::vector<NamedOption> all;
    for (const internal::OptionRow& row : internal::option_table()) {
      all.push_back({row.name, row.values, row.help, row.is_flag(), row.repeated, row.fallback});
    }
    return all;
  }();
  return options;
}

}  // namespace espalier
