// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/shape.hpp"

namespace espalier::internal {

/// Returns the prefix of the names of performance models. The model of a task kind is named by this
/// prefix and the name of the kind; no other model has this prefix. If a policy finds the prefix,
/// it therefore knows that the argument of the task begins with a Shape.
///
/// The tasks and the policy of a program may come from different versions of Espalier, and the
/// Shape of these versions may differ. The prefix therefore contains a fingerprint of the version
/// and of the layout. Tasks of another version count as tasks of other programs.
const std::string& model_symbol_prefix();

}  // namespace espalier::internal
