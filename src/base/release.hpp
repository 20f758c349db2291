// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace espalier {

/// Frees the memory of an array, which assigning {} would keep for the next entries.
template <typename T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace espalier
