// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bindings/c/espalier.h"
#include "bindings/common/finite_values.hpp"
#include "espalier/espalier.hpp"

/// The objects behind the handles of the interface for C. They count rows and columns from 0; the
/// application counts them from `base`.

struct espalier_analysis {
  espalier::Matrix pattern;
  espalier::Analysis analysis;
  std::size_t entries;  ///< number of values in the application's array
  espalier::internal::EntryNames names;
};

struct espalier_factor {
  espalier::Runtime runtime;
  espalier::Matrix pattern;
  espalier::Factor factor;  ///< destroyed before its runtime
  espalier::SolveOptions solve;
  std::size_t entries;
  espalier::internal::EntryNames names;
  espalier::Factorization factorization;
  bool has_signs = false;  ///< espalier_set_signs() has set the signs of the pivots
};

namespace espalier::internal {

/// Returns the object of an argument. Throws UsageError, which names the argument, if it is null.
template <class T>
T& expect_given(T* argument, const char* name) {
  if (argument != nullptr) return *argument;
  throw UsageError("the argument " + std::string(name) + " is null");
}

/// Returns an array with this many entries. Throws UsageError, which names the argument, if the
/// array is null and should have entries.
template <class T>
std::span<T> expect_array(T* array, std::size_t entries, const char* name) {
  if (entries > 0) expect_given(array, name);
  return {array, entries};
}

}  // namespace espalier::internal
