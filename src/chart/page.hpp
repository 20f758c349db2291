// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

namespace espalier::internal {

/// Returns the version of Espalier, the date, and the command line of this process.
std::string provenance();

/// Returns a page that needs no other file and is valid as XML and as HTML. The title is also its
/// heading. The page ends with its provenance.
std::string html_page(std::string_view title, const std::string& body);

/// Returns a picture with a caption. The caption may contain markup.
std::string figure(const std::string& svg, std::string_view caption);

/// Returns the charts of one factorization: a Gantt chart on an axis of `seconds` seconds, the work
/// of each worker, the times of tasks, and their predictions.
std::string schedule_figures(const Schedule& schedule, std::string_view name, double seconds);

}  // namespace espalier::internal
