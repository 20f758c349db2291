// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reproduce/value.hpp"

namespace espalier::internal {

/// Whether the runs show a claim of a paper. They decide nothing if their spread is too large.
enum class Verdict { found, not_found, not_judged };

/// Returns "found", "not found" or "not judged".
std::string name_of(Verdict verdict);

/// Decision on a claim, or on a part of it.
struct Judgement {
  Verdict verdict = Verdict::not_judged;
  std::string reason{};  ///< why the claim is not judged; empty if it is
};

/// Returns a judgement of a claim that these runs cannot decide.
Judgement not_judged(std::string reason);

/// Decides whether `less` is below `more`. It is if their ranges are disjoint in this order, and it
/// is not if they are disjoint in the other order. Nothing is decided if the ranges overlap, if a
/// value is missing, or if a value has a single run, because its spread is then unknown. Values
/// without spread always decide; equal ones are not below each other.
Judgement is_below(const Value& less, const Value& more);

/// Returns is_below() for each pair.
std::vector<Judgement> each_below(const std::vector<Value>& less, const std::vector<Value>& more);

/// Decides whether all parts hold: one part that does not hold decides against the claim. Without
/// such a part, one part that is not judged leaves the claim undecided. No parts decide nothing.
Judgement all_of(const std::vector<Judgement>& parts);

/// Decides whether more than half of the parts hold. Nothing is decided while the parts that are
/// not judged could change the majority.
Judgement most_of(const std::vector<Judgement>& parts);

/// Returns the number of parts that hold: "5 of 6", and the number without a judgement: "4
/// of 6, 1 not judged".
std::string tally(const std::vector<Judgement>& parts);

/// A claim of a paper about a figure, and whether these runs show it.
struct Claim {
  std::string text;
  Judgement judgement;
  std::string numbers;  ///< the numbers that decide
};

}  // namespace espalier::internal
