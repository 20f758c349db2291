// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reproduce/circumstances.hpp"
#include "reproduce/figure.hpp"
#include "reproduce/paper.hpp"

namespace espalier::internal {

/// An item of a paper with its reproduced figure.
struct Made {
  Item item;
  Figure figure{};
  Moment moment{};
  bool is_made = false;  ///< false while the figure is missing

  /// Returns the reason why the figure is not reproduced, or an empty text.
  std::string not_run() const {
    return item.not_run.empty() ? figure.not_run : std::string(item.not_run);
  }
};

/// The figures of a paper, and all that a reader must know about them.
struct Reproduction {
  Paper paper;
  std::string machine;  ///< name of the simulated machine; empty for this one
  Facts facts;
  nlohmann::ordered_json conditions;  ///< as conditions_of() returns them
  std::vector<Made> figures{};
  std::string ending{};  ///< reason of an early end, for readers; may be empty

  /// Returns the names of the missing figures: "figure 9, figure 10", or an empty text.
  std::string missing() const;
};

// Figures and runs as JSON. All functions that read throw nlohmann::json::exception or
// std::exception if the text is not the result of a writer.

nlohmann::ordered_json json_of(const Made& made);

/// Fills in the figure that json_of() wrote, and its moment.
void restore(Made& made, const nlohmann::ordered_json& json);

/// Returns everything as JSON. `runs` is the result of Runs::stored().
nlohmann::ordered_json json_of(const Reproduction& all, nlohmann::ordered_json runs);

/// Takes over the figures and the runs of a report or a page that an earlier command wrote. Figures
/// with failed runs are left out, so that these run again. Throws InputError if the file is
/// neither, and UsageError if it was made under other conditions.
void resume(const std::string& file, Reproduction& all, Runs& runs);

}  // namespace espalier::internal
