// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stand_in {

/// Whether this call of the function is to fail: STAND_IN_FAILS is "FUNCTION:CALLS", a function
/// that succeeds so many times and then no more.
bool fails(const char* function);

}  // namespace stand_in
