// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier {

/// "12.3 ms": three digits with a unit from ns to s.
std::string readable_seconds(double seconds);

}  // namespace espalier
