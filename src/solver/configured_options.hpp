// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solver/option_table.hpp"

namespace espalier::internal {

/// Records that a user has set an option, whose value the options already have. If the options
/// follow a configuration, or begin to follow one by this option, sets the options of the
/// configuration that the user has not set, and lists the differences. The order in which a user
/// sets options has no effect. Throws UsageError if the options already follow another
/// configuration.
void note_given(const OptionRow& row, const std::string& text, Options& options);

}  // namespace espalier::internal
