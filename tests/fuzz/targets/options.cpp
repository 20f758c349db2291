// SPDX-License-Identifier: BSD-3-Clause

// Command lines, one word per line of the input, for the options that subcommands share, and
// options of policies. The library must accept all options that the program accepts.

#include "base/options.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "cli/options.hpp"
#include "schedulers/options.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

struct Settings : Options {
  Coprocessors coprocessors;
  std::vector<Index> numbers;
  std::string matrix, report;
  bool quiet = false;

  void add_to(CLI::App& command) {
    add_options(command, *this, {"workers", "deterministic", "memory-limit", "refine"});
    add_devices(command, *this, coprocessors);
    add_task_options(command, *this);
    add_scheduler_options(command, *this);
    add_analysis_options(command, *this);
    add_matrix(command, matrix);
    add_output_options(command, report, quiet);
    add_numbers(command, "numbers", "N", numbers, {1, 1000}, "some numbers");
  }
};

/// Returns whether the parser accepts the words.
bool parse(CLI::App& command, std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    command.parse(words);
    return true;
  } catch (const CLI::ParseError&) {
    return false;
  }
}

void expect_valid(const Settings& settings) {
  validate(settings.analysis);
  validate(settings.factor);
  validate(settings.runtime);
  validate(settings.solve);
  expect(settings.coprocessors.count >= 0 && settings.coprocessors.threads >= 1, "coprocessors");
  for (const Index number : settings.numbers) expect(number >= 1 && number <= 1000, "a number");
}

char* no_variable(const char* /*name*/) { return nullptr; }

void read_policy_options(const std::vector<std::string>& assignments, Tally& tally) {
  for (const char* const policy : {"fanout", "ktq", "halo", "levelset", "hlevelset", "espalier"}) {
    const auto settings = accepted(
        [&] { return PolicySettings(policy_options(), policy, assignments, no_variable); });
    if (settings && !assignments.empty()) tally.note("accepted by a policy");
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

constexpr std::array names{"workers",
                           "cuda-devices",
                           "coprocessors",
                           "coprocessor-threads",
                           "coprocessor-workers",
                           "memory-limit",
                           "refine",
                           "granularity",
                           "subtrees-per-worker",
                           "tile-rows",
                           "kernels",
                           "trsm-panel",
                           "potrf-panel",
                           "mapping",
                           "grid",
                           "ordering",
                           "factorizations",
                           "panel-width",
                           "narrow-panel-width",
                           "amalgamation-widths",
                           "amalgamation-zeros",
                           "device-memory",
                           "halo",
                           "on-device-full",
                           "report",
                           "numbers"};

constexpr std::array values{"auto",
                            "panel",
                            "block",
                            "own",
                            "mixed",
                            "each",
                            "one",
                            "block-cyclic",
                            "fan-both",
                            "3d",
                            "2x3",
                            "1,2,4,8",
                            "0.5,0.2,0.1,0",
                            "500M",
                            "2.5G",
                            "1e3",
                            "mdwin",
                            "static1:0.5:1x2x3",
                            "64",
                            "128",
                            "010",
                            "cpu"};

std::string new_words(Dice& dice) {
  std::string text = "A.mtx";
  const std::size_t options = 1 + dice.roll(4);
  for (std::size_t k = 0; k < options; ++k) {
    if (dice.chance(1, 4)) {
      const auto& option = policy_options()[dice.roll(policy_options().size())];
      text += "\n--sched-option\n" + std::string(option.key) + "=";
    } else {
      text += "\n--" + std::string(dice.pick(names)) + (dice.chance(1, 2) ? "\n" : "=");
    }
    text += dice.chance(1, 2)   ? dice.pick(values)
            : dice.chance(1, 2) ? std::to_string(dice.roll(300))
                                : hard_number(dice);
  }
  return text;
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("options");
  tally.input();
  const std::string text = text_of(bytes);
  if (text.find('\0') != std::string::npos) return;
  Settings settings;
  CLI::App command;
  settings.add_to(command);
  const auto parsed = accepted([&] { return parse(command, lines_of(text)); });
  if (!parsed || !*parsed) return;
  tally.note("accepted");
  expect_valid(settings);
  read_policy_options(settings.runtime.scheduler_options, tally);
}

std::optional<std::string> other_input(const std::string& /*input*/, Dice& dice) {
  if (dice.chance(1, 3)) return std::nullopt;
  return new_words(dice);
}

}  // namespace espalier::fuzz
