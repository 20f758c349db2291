// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier/doors.hpp"

namespace espalier {

namespace internal {

namespace {

/// Returns text of the user's for a message: in quotes, its beginning alone, and no character that
/// does something to a terminal.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(text.substr(0, longest));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + result + (text.size() > longest ? "...'" : "'");
}

[[noreturn]] void refuse(std::string_view name, std::string_view value, const char* expected) {
  throw UsageError("the option " + std::string(name) + " has the value " + shown(value) +
                   ", where " + expected + " is expected");
}

/// A name and the text after it.
struct Assignment {
  std::string_view name;
  std::string_view value;
};

template <class Number>
void read(const Assignment& given, Number& number) {
  const char* const end = given.value.data() + given.value.size();
  const auto [at, error] = std::from_chars(given.value.data(), end, number);
  if (error == std::errc() && at == end) return;
  refuse(given.name, given.value, std::is_integral_v<Number> ? "a whole number" : "a number");
}

template <class Number>
void read(const Assignment& given, std::optional<Number>& number) {
  read(given, number.emplace());
}

template <class Number>
void read_four(const Assignment& given, std::array<Number, 4>& numbers) {
  std::string_view rest = given.value;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::size_t comma = rest.find(',');
    const bool last = k + 1 == numbers.size();
    if ((comma == std::string_view::npos) != last) {
      refuse(given.name, given.value, "four numbers with commas between them");
    }
    read({given.name, rest.substr(0, comma)}, numbers[k]);
    if (!last) rest.remove_prefix(comma + 1);
  }
}

AmalgamationOptions& amalgamation(Options& options) {
  auto& chosen = options.analysis.amalgamation;
  return chosen ? *chosen : chosen.emplace();
}

template <class Value>
void choose(const Assignment& given, Value& chosen,
            std::initializer_list<std::pair<std::string_view, Value>> known) {
  for (const auto& [name, value] : known) {
    if (name != given.value) continue;
    chosen = value;
    return;
  }
  std::string names = "one of";
  for (const auto& [name, value] : known) names += " " + std::string(name);
  refuse(given.name, given.value, names.c_str());
}

/// An option and what reads its value.
struct DoorOption : NamedOption {
  void (*read)(const Assignment& given, Options& options) = nullptr;
};

using Given = const Assignment&;
using Source = DenseKernels::Source;

/// A structure that is planned for always the same number of workers, and by no tuning, is always
/// the same itself.
void plan_for_workers(Options& options) {
  constexpr Index workers_of_deterministic = 4;
  const bool deterministic = options.factor.deterministic;
  options.analysis.workers = deterministic ? workers_of_deterministic : options.runtime.workers;
  options.analysis.tuned = !deterministic;
}

constexpr auto whole = "a whole number";
constexpr auto number = "a number";
constexpr auto four = "four numbers with commas between them";

constexpr DoorOption all_options[] = {
    {{"ordering", "auto dissection scotch metis amd natural, or a file", "how columns are ordered"},
     [](Given g, Options& o) { o.analysis.ordering = g.value; }},
    {{"factorizations", whole, "how many factorizations an ordering has to pay for"},
     [](Given g, Options& o) { read(g, o.analysis.factorizations); }},
    {{"panel-width", whole, "the most columns of a panel"},
     [](Given g, Options& o) { read(g, o.analysis.panel_width); }},
    {{"narrow-panel-width", whole, "the same where a panel is much of all the work"},
     [](Given g, Options& o) { read(g, o.analysis.narrow_panel_width); }},
    {{"amalgamation-widths", four, "the most columns of merged supernodes"},
     [](Given g, Options& o) { read_four(g, amalgamation(o).widths); }},
    {{"amalgamation-zeros", four, "the largest shares of zeros in these"},
     [](Given g, Options& o) { read_four(g, amalgamation(o).zeros); }},
    {{"workers", whole, "CPU workers; 0 are all cores"},
     [](Given g, Options& o) {
       read(g, o.runtime.workers);
       plan_for_workers(o);
     }},
    {{"deterministic", "0 or 1", "the same bits on every run", true},
     [](Given g, Options& o) {
       choose(g, o.factor.deterministic, {{"0", false}, {"1", true}});
       plan_for_workers(o);
     }},
    {{"sched", "the name of a policy", "the scheduling policy of StarPU"},
     [](Given g, Options& o) { o.runtime.scheduler = g.value; }},
    {{"sched-option", "KEY=VALUE", "an option of the policy", false, true},
     [](Given g, Options& o) { o.runtime.scheduler_options.emplace_back(g.value); }},
    {{"cuda-devices", whole, "CUDA devices that run tasks, too"},
     [](Given g, Options& o) { read(g, o.runtime.cuda_devices); }},
    {{"granularity", "auto panel tile block", "what tasks work on"},
     [](Given g, Options& o) {
       using enum Granularity;
       choose(g, o.factor.granularity,
              {{"auto", automatic}, {"panel", panel}, {"tile", tile}, {"block", block}});
     }},
    {{"subtrees-per-worker", number, "the least number of sequential subtrees of a worker"},
     [](Given g, Options& o) { read(g, o.factor.subtrees_per_worker); }},
    {{"tile-rows", whole, "the fewest rows of a tile"},
     [](Given g, Options& o) { read(g, o.factor.tile_rows); }},
    {{"kernels", "auto own blas mixed", "whose dense kernels CPU workers use"},
     [](Given g, Options& o) {
       choose(g, o.factor.kernels.from,
              {{"auto", Source::automatic},
               {"own", Source::own},
               {"blas", Source::blas},
               {"mixed", Source::mixed}});
     }},
    {{"trsm-panel", "64 128 256 512", "columns of a panel of combined TRSM"},
     [](Given g, Options& o) { read(g, o.factor.kernels.panel1); }},
    {{"potrf-panel", "64 128 256 512", "columns of a panel of combined POTRF"},
     [](Given g, Options& o) { read(g, o.factor.kernels.panel2); }},
    {{"memory-limit", whole, "bytes that the factor may take; 0 is no limit"},
     [](Given g, Options& o) { read(g, o.factor.memory_limit); }},
    {{"refine", whole, "the most steps of iterative refinement"},
     [](Given g, Options& o) { read(g, o.solve.refinement_steps); }},
};

std::string all_names() {
  std::string names;
  for (const DoorOption& option : all_options) {
    names += (names.empty() ? "" : ", ") + std::string(option.name);
  }
  return names;
}

const DoorOption& option_named(std::string_view name) {
  const auto* const option = std::ranges::find(all_options, name, &DoorOption::name);
  if (option != std::end(all_options)) return *option;
  throw UsageError("unknown option " + shown(name) + "; there are " + all_names());
}

}  // namespace

}  // namespace internal

void Options::set(std::string_view name, std::string_view value) {
  internal::option_named(name).read({name, value}, *this);
}

void Options::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const internal::DoorOption& option = internal::option_named(name);
  if (equals == std::string_view::npos) {
    throw UsageError("the option " + std::string(name) + " has no value; write " +
                     std::string(name) + "=VALUE");
  }
  option.read({name, assignment.substr(equals + 1)}, *this);
}

std::span<const NamedOption> named_options() {
  static const std::vector<NamedOption> options(std::begin(internal::all_options),
                                                std::end(internal::all_options));
  return options;
}

}  // namespace espalier
