// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/shape.hpp"

namespace espalier::internal {

/// Returns the beginning of the names of models. The model of a task kind is called this and the
/// name of the kind, and no other model is: a policy that meets it knows that the argument of the
/// task begins with a Shape. The policy may be a plugin's, and the task that of a program with
/// another version of Espalier, whose Shape is another one. So the name has a fingerprint of the
/// version and of the layout, and tasks of other versions are foreign tasks.
const std::string& model_symbol_prefix();

}  // namespace espalier::internal
