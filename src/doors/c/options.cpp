// SPDX-License-Identifier: BSD-3-Clause
#include "doors/c/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "espalier/error.hpp"

namespace espalier::internal {

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

AmalgamationOptions& amalgamation(DoorOptions& options) {
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
struct DoorOption {
  std::string_view name;
  void (*read)(const Assignment& given, DoorOptions& options);
};

using Given = const Assignment&;
using Source = DenseKernels::Source;

constexpr DoorOption all_options[] = {
    {"ordering", [](Given g, DoorOptions& o) { o.analysis.ordering = g.value; }},
    {"factorizations", [](Given g, DoorOptions& o) { read(g, o.analysis.factorizations); }},
    {"panel-width", [](Given g, DoorOptions& o) { read(g, o.analysis.panel_width); }},
    {"narrow-panel-width", [](Given g, DoorOptions& o) { read(g, o.analysis.narrow_panel_width); }},
    {"amalgamation-widths", [](Given g, DoorOptions& o) { read_four(g, amalgamation(o).widths); }},
    {"amalgamation-zeros", [](Given g, DoorOptions& o) { read_four(g, amalgamation(o).zeros); }},
    {"workers",
     [](Given g, DoorOptions& o) {
       read(g, o.runtime.workers);
       o.analysis.workers = o.runtime.workers;
     }},
    {"deterministic",
     [](Given g, DoorOptions& o) {
       choose(g, o.factor.deterministic, {{"0", false}, {"1", true}});
     }},
    {"sched", [](Given g, DoorOptions& o) { o.runtime.scheduler = g.value; }},
    {"sched-option",
     [](Given g, DoorOptions& o) { o.runtime.scheduler_options.emplace_back(g.value); }},
    {"cuda-devices", [](Given g, DoorOptions& o) { read(g, o.runtime.cuda_devices); }},
    {"granularity",
     [](Given g, DoorOptions& o) {
       using enum Granularity;
       choose(g, o.factor.granularity,
              {{"auto", automatic}, {"panel", panel}, {"tile", tile}, {"block", block}});
     }},
    {"subtrees-per-worker", [](Given g, DoorOptions& o) { read(g, o.factor.subtrees_per_worker); }},
    {"tile-rows", [](Given g, DoorOptions& o) { read(g, o.factor.tile_rows); }},
    {"kernels",
     [](Given g, DoorOptions& o) {
       choose(g, o.factor.kernels.from,
              {{"auto", Source::automatic},
               {"own", Source::own},
               {"blas", Source::blas},
               {"mixed", Source::mixed}});
     }},
    {"trsm-panel", [](Given g, DoorOptions& o) { read(g, o.factor.kernels.panel1); }},
    {"potrf-panel", [](Given g, DoorOptions& o) { read(g, o.factor.kernels.panel2); }},
    {"memory-limit", [](Given g, DoorOptions& o) { read(g, o.factor.memory_limit); }},
    {"refine", [](Given g, DoorOptions& o) { read(g, o.solve.refinement_steps); }},
};

std::string all_names() {
  std::string names;
  for (const DoorOption& option : all_options) {
    names += (names.empty() ? "" : ", ") + std::string(option.name);
  }
  return names;
}

void read_option(std::string_view text, DoorOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto* const option = std::ranges::find(all_options, name, &DoorOption::name);
  if (option == std::end(all_options)) {
    throw UsageError("unknown option " + shown(name) + "; there are " + all_names());
  }
  if (equals == std::string_view::npos) {
    throw UsageError("the option " + std::string(name) + " has no value; write " +
                     std::string(name) + "=VALUE");
  }
  option->read({name, text.substr(equals + 1)}, options);
}

}  // namespace

DoorOptions read_options(const char* const* options) {
  DoorOptions result;
  if (options == nullptr) return result;
  for (const char* const* option = options; *option != nullptr; ++option) {
    read_option(*option, result);
  }
  if (result.factor.deterministic) {
    result.analysis.workers = 4;  // always the same, so that the structure is
    result.analysis.tuned = false;
  }
  return result;
}

}  // namespace espalier::internal
