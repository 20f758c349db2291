// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::internal {

namespace {

Judgement decided(bool holds) { return {holds ? Verdict::found : Verdict::not_found}; }

auto count_of(const std::vector<Judgement>& parts, Verdict verdict) {
  return std::ranges::count(parts, verdict, &Judgement::verdict);
}

}  // namespace

std::string name_of(Verdict verdict) {
  if (verdict == Verdict::not_judged) return "not judged";
  return verdict == Verdict::found ? "found" : "not found";
}

Judgement not_judged(std::string reason) { return {Verdict::not_judged, std::move(reason)}; }

Judgement is_below(const Value& less, const Value& more) {
  if (less.missing() || more.missing()) return not_judged("a value is missing");
  if (less.runs == 1 || more.runs == 1) {
    return not_judged("a single round has no spread; use at least two --rounds");
  }
  if (less.runs == 0 && more.runs == 0) return decided(less.median < more.median);
  if (less.highest < more.lowest) return decided(true);
  if (less.lowest > more.highest) return decided(false);
  return not_judged("the ranges of the rounds overlap");
}

std::vector<Judgement> each_below(const std::vector<Value>& less, const std::vector<Value>& more) {
  std::vector<Judgement> parts;
  for (std::size_t k = 0; k < less.size(); ++k) parts.push_back(is_below(less[k], more[k]));
  return parts;
}

Judgement all_of(const std::vector<Judgement>& parts) {
  if (parts.empty()) return not_judged("there is nothing to compare");
  if (count_of(parts, Verdict::not_found) > 0) return decided(false);
  const auto open = std::ranges::find(parts, Verdict::not_judged, &Judgement::verdict);
  return open == parts.end() ? decided(true) : *open;
}

Judgement most_of(const std::vector<Judgement>& parts) {
  if (parts.empty()) return not_judged("there is nothing to compare");
  if (2 * count_of(parts, Verdict::found) > std::ssize(parts)) return decided(true);
  if (2 * count_of(parts, Verdict::not_found) >= std::ssize(parts)) return decided(false);
  return *std::ranges::find(parts, Verdict::not_judged, &Judgement::verdict);
}

std::string tally(const std::vector<Judgement>& parts) {
  const auto open = count_of(parts, Verdict::not_judged);
  return fmt::format("{} of {}{}", count_of(parts, Verdict::found), parts.size(),
                     open == 0 ? "" : fmt::format(", {} not judged", open));
}

}  // namespace espalier::internal
