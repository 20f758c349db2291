// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What a variable of the environment has to hold.
enum class VariableKind {
  number,     ///< a whole number, within limits; StarPU takes an empty value for 0
  fraction,   ///< any finite number
  thread,     ///< the number of a hardware thread of this machine, from 0
  core,       ///< that of a core
  cores,      ///< numbers of cores or hardware threads, from 0, and ranges: "0 2", "0-3,8", "4-"
  file,       ///< a path of a file that can be read; a name without a slash is looked for elsewhere
  folder,     ///< a folder that can be written to, or be made; empty counts as unset
  topology,   ///< what hwloc can take for a description of a machine
  file_name,  ///< part of the name of a file
  nothing,    ///< it must not be set
};

/// One of the variables at whose wrong values the program would crash or hang.
struct StarpuVariable {
  const char* name = nullptr;
  VariableKind kind = VariableKind::number;
  Count lowest = 0;  ///< [lowest, highest] is what a number may be
  Count highest = std::numeric_limits<int>::max();
};

/// All of them.
std::span<const StarpuVariable> starpu_variables();

/// Throws UsageError, which names the variable, its value and what is expected, where it must not
/// have that value.
void expect_usable(const StarpuVariable& variable, const std::string& value);

/// Does so for all of them that are set.
void expect_usable_variables();

}  // namespace espalier::internal
