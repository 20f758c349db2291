// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "reproduce/reproduction.hpp"

namespace espalier::internal {

/// Returns the number and the title of a figure, with the matrix if it is about one.
std::string heading_of(const Made& made);

/// Returns the label of a column, after its group.
std::string heading_of(const Column& column);

/// Returns the verdict, the claim and the numbers that decide.
std::string text_of(const Claim& claim);

/// Returns the figure as text for a terminal: its table, its conditions, the results of the paper,
/// and the claims.
std::string text_of(const Made& made);

/// Returns the facts as lines of text.
std::string text_of(const Facts& facts);

/// Returns a list of the figures. Each line says whether the figure was run, and how many claims
/// were found, not found and not judged.
std::string overview_of(const Reproduction& all);

/// Returns a page with tables and pictures. `data` is the result of json_of(), which the page
/// contains as text.
std::string page_of(const Reproduction& all, const nlohmann::ordered_json& data);

/// Returns the JSON text in a page, or an empty text if there is none.
std::string data_in_page(const std::string& page);

}  // namespace espalier::internal
