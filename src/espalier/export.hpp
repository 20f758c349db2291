// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/language.hpp"

/// \file
/// The macro that marks the public interface.

/// Marks a class or function that applications may link to. All other symbols of the library are
/// hidden. Types nested in a marked class are marked, too, unless their definition says otherwise.
#define ESPALIER_EXPORT __attribute__((visibility("default")))
