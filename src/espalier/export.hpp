// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/language.hpp"

/// \file
/// This header has the macro that marks the public interface.

/// Marks what applications may link to: all other symbols of the library are hidden. Types nested
/// in a marked class are marked with it, unless their definition says otherwise.
#define ESPALIER_EXPORT __attribute__((visibility("default")))
