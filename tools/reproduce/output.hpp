// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduce/paper.hpp"

namespace espalier::internal {

/// A figure of a paper with what was made of it, nothing where it was not run.
struct Made {
  Item item;
  Figure figure;
};

/// Returns the figure as people read it on a terminal: its table, what it was made with, what the
/// paper reports, and which of its claims hold.
std::string text_of(const Made& made);

/// Returns a list of the figures: which were run, and what became of their claims.
std::string overview_of(const std::vector<Made>& all, bool simulated);

/// Returns all of it as JSON.
std::string reproduction_json(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all);

/// Makes a page with tables and pictures.
std::string reproduction_page(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all);

}  // namespace espalier::internal
