// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "reproduce/paper.hpp"

namespace espalier::internal {

/// Facts about all runs of a reproduction: name and text. A reader can repeat the runs from them.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Returns the facts: machine, BLAS, calibrations, options, rounds, date and command.
Facts facts_of(const Paper& paper, const Bench& bench, const std::string& provenance);

/// Returns all values that results depend on, besides the choice of figures: version, machine and
/// options. Stored results may be used again only if these are equal.
nlohmann::ordered_json conditions_of(const Paper& paper, const Bench& bench);

/// When a figure was made, and how busy the machine was meanwhile.
struct Moment {
  std::string begin;   ///< local date and time
  double seconds = 0;  ///< duration
  double other_cores =
      0;  ///< cores that other programs used on average; -1 if unknown or too short
};

/// Returns a sentence about the moment.
std::string readable(const Moment& moment);

/// Measures a moment from its construction on. Counts the processor time of all programs and that
/// of this process and its ended children.
class MomentWatch {
 public:
  MomentWatch();
  Moment moment() const;

 private:
  std::string begin_;
  Stopwatch watch_;
  double busy_;  ///< processor seconds of all programs so far; -1 if unknown
  double own_;
};

}  // namespace espalier::internal
