// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// This header checks that the compiler uses C++20. GCC 10 reports 201709 for C++20.

#if __cplusplus < 201709L
#error \
    "Espalier's headers need C++20; compile with -std=c++20, or in CMake link to espalier::espalier"
#endif
