// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

namespace espalier::internal {

/// Makes a page that needs no other file, written as XML and as HTML alike; the title is its
/// heading.
std::string html_page(std::string_view title, const std::string& body);

/// Returns a picture with what it shows; the caption may hold markup.
std::string figure(const std::string& svg, std::string_view caption);

/// Draws the charts of one factorization: Gantt on an axis of so many seconds, work by worker,
/// times of tasks, and their predictions.
std::string schedule_figures(const Schedule& schedule, std::string_view name, double seconds);

}  // namespace espalier::internal
