// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/output_folder.hpp"
#include "common/outputs.hpp"
#include "common/phases.hpp"
#include "espalier/report.hpp"

namespace espalier {

/// The page and the trace of a factorization, those of them that are wanted.
class ScheduleFiles {
 public:
  /// Makes the folder of the trace. Empty paths are of what is not wanted. Throws InputError where
  /// nothing can be written.
  ScheduleFiles(const std::string& html, const std::string& trace_folder);

  /// For expect_different().
  static std::vector<NamedPath> paths(const std::string& html, const std::string& trace_folder);

  bool wanted() const { return !html_.empty() || !trace_.empty(); }
  /// The schedule began at `factorization_begin`, by the clock of the phases.
  void write(const Report& report, const Schedule& schedule, const Phases& phases,
             double factorization_begin) const;

 private:
  std::string html_;
  std::string trace_;
  std::string gantt_;
  OutputFolder folder_;
};

}  // namespace espalier
