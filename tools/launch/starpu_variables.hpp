// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Kind of value that an environment variable may hold.
enum class VariableKind {
  number,     ///< an integer within limits; StarPU reads an empty value as 0
  fraction,   ///< any finite number
  thread,     ///< index of a hardware thread of this machine, from 0
  core,       ///< index of a core, from 0
  cores,      ///< indices of cores or hardware threads and ranges: "0 2", "0-3,8", "4-"
  file,       ///< path of a readable file; a name without a slash is searched elsewhere
  folder,     ///< a folder that is writable or can be created; empty counts as unset
  topology,   ///< a description of a machine that hwloc accepts
  file_name,  ///< part of a file name
  nothing,    ///< must not be set
};

/// A variable whose wrong values would make the program crash or hang.
struct StarpuVariable {
  const char* name = nullptr;
  VariableKind kind = VariableKind::number;
  Count lowest = 0;  ///< [lowest, highest] is the permitted range of a number
  Count highest = std::numeric_limits<int>::max();
};

/// Returns all such variables.
std::span<const StarpuVariable> starpu_variables();

/// Throws UsageError if the variable may not have this value. The message names the variable, the
/// value and the permitted values.
void expect_usable(const StarpuVariable& variable, const std::string& value);

/// Calls expect_usable() for all variables that are set.
void expect_usable_variables();

}  // namespace espalier::internal
