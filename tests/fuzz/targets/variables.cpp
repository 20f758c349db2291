// SPDX-License-Identifier: BSD-3-Clause

// Values of StarPU's variables. The first byte of the input chooses the variable, the rest is its
// value. If a value is accepted as a number, strtol() and strtof(), which StarPU uses, must accept
// it, too. Variables about this machine's cores are left out, because each check of a value is
// slow.

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "launch/starpu_variables.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

using enum VariableKind;

const std::vector<StarpuVariable>& chosen_variables() {
  static const std::vector<StarpuVariable> chosen = [] {
    std::vector<StarpuVariable> some;
    for (const StarpuVariable& variable : starpu_variables()) {
      const VariableKind kind = variable.kind;
      if (kind != thread && kind != core && kind != topology) some.push_back(variable);
    }
    return some;
  }();
  return chosen;
}

void expect_number(const StarpuVariable& variable, const std::string& value) {
  errno = 0;
  char* end = nullptr;
  const long number = std::strtol(value.c_str(), &end, 10);
  expect(*end == '\0' && errno == 0, "no number: " + value);
  expect(variable.lowest <= number && number <= variable.highest, "not within limits: " + value);
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("variables");
  if (bytes.empty()) return;
  tally.input();
  const auto& all = chosen_variables();
  const StarpuVariable& variable = all[bytes[0] % all.size()];
  // the environment ends the value at a zero
  const std::string value = text_of(bytes.subspan(1)).c_str();
  const auto usable = accepted([&] {
    expect_usable(variable, value);
    return true;
  });
  if (!usable) return;
  tally.note("accepted");
  expect(variable.kind != nothing, "a variable that must not be set");
  if (variable.kind == number) expect_number(variable, value);
  if (variable.kind == fraction) {
    char* end = nullptr;
    expect(std::isfinite(std::strtof(value.c_str(), &end)) && *end == '\0',
           "no fraction: " + value);
  }
}

std::optional<std::string> other_input(const std::string& /*input*/, Dice& dice) {
  if (dice.chance(1, 2)) return std::nullopt;
  std::string text(1, static_cast<char>(dice.roll(256)));
  const std::size_t words = 1 + dice.roll(3);
  for (std::size_t k = 0; k < words; ++k) {
    if (k > 0) text += " ,-"[dice.roll(3)];
    text += dice.chance(1, 2) ? std::to_string(dice.roll(5000)) : hard_number(dice);
  }
  return text;
}

}  // namespace espalier::fuzz
