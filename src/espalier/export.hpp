// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Marks what applications may link to: all other symbols of the library are hidden.
#define ESPALIER_EXPORT __attribute__((visibility("default")))
