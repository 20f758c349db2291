// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "espalier/report.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier {

/// Throws InputError when no file can be made at the path: before long work, not after it. Nothing
/// for an empty path.
void expect_creatable(const std::string& path);

/// Throws UsageError when both paths lead to the same file; `what` names them.
void expect_different(const std::string& path, const std::string& other, const std::string& what);

/// Writes vectors that were computed, interruptibly.
void write_solution(const std::string& path, const DenseVectors& x);

/// Runs `work`, which fills the report as it learns, and writes the report to the path, if any:
/// after a failure too, then with its status and message. The failure is thrown on.
void with_report(const std::string& path, const std::function<void(Report&)>& work);

}  // namespace espalier
