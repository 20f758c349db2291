// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Reads strings "name=value" up to a null pointer. A null list has no strings. Throws as
/// Options::set() does.
inline Options read_options(const char* const* options) {
  Options result;
  if (options == nullptr) return result;
  for (const char* const* option = options; *option != nullptr; ++option) result.set(*option);
  return result;
}

}  // namespace espalier::internal
