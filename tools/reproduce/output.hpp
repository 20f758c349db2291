// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduce/paper.hpp"

namespace espalier::internal {

/// An item of a paper with its reproduced figure, which is empty if it was not run.
struct Made {
  Item item;
  Figure figure;
};

/// Returns the figure as text for a terminal: its table, its conditions, the results of the paper,
/// and the claims.
std::string text_of(const Made& made);

/// Returns a list of the figures. Each line says whether the figure was run, and how many claims
/// hold.
std::string overview_of(const std::vector<Made>& all, bool simulated);

/// Returns everything as JSON.
std::string reproduction_json(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all);

/// Returns a page with tables and pictures.
std::string reproduction_page(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all);

}  // namespace espalier::internal
