// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "espalier/report.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier {

/// Throws InputError when no file can be made at the path: before long work, not after it. Nothing
/// for an empty path.
void expect_creatable(const std::string& path);

struct NamedPath {
  std::string name;  ///< for the message
  std::string path;  ///< may be empty
};

/// Throws UsageError when two of the paths lead to the same file, be it there or not.
void expect_different(const std::vector<NamedPath>& paths);

/// Writes vectors that were computed, interruptibly.
void write_solution(const std::string& path, const DenseVectors& x);

/// Writes what `text` returns, interruptibly; nothing, without calling it, for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text);

/// Runs `work`, which fills the report as it learns, and writes the report to the path, if any:
/// after a failure too, then with its status and message. The failure is thrown on.
void with_report(const std::string& path, const std::function<void(Report&)>& work);

}  // namespace espalier
