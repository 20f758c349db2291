// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bindings/c/espalier.h"
#include "espalier/espalier.hpp"

/// What the handles of the interface for C are. Rows and columns of these count from 0; `base` is
/// what those of the application count from.

struct espalier_analysis {
  espalier::Matrix pattern;
  espalier::Analysis analysis;
  std::size_t entries;  ///< how many values the application gives
  int base;
};

struct espalier_factor {
  espalier::Runtime runtime;
  espalier::Matrix pattern;
  espalier::Factor factor;  ///< ends before its runtime
  espalier::SolveOptions solve;
  std::size_t entries;
  int base;
};

namespace espalier::internal {

/// Throws UsageError that names an argument which must not be null.
template <class T>
T& expect_given(T* argument, const char* name) {
  if (argument != nullptr) return *argument;
  throw UsageError("the argument " + std::string(name) + " is null");
}

/// Returns an array with this many entries. Throws UsageError if it is null and has entries.
template <class T>
std::span<T> expect_array(T* array, std::size_t entries, const char* name) {
  if (entries > 0) expect_given(array, name);
  return {array, entries};
}

}  // namespace espalier::internal
