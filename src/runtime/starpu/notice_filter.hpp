// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>

namespace espalier::internal {

/// Removes StarPU's notices from the standard error stream during its lifetime. StarPU prints them
/// when it starts on a new machine or on one core. Only the environment variable STARPU_SILENT
/// turns them off, and a library must not set it. All other text passes. If STARPU_SILENT is set,
/// the filter does nothing. Other threads may print meanwhile. Only one object filters at a time; a
/// second one does nothing.
class NoticeFilter {
 public:
  NoticeFilter();
  ~NoticeFilter();
  NoticeFilter(const NoticeFilter&) = delete;
  NoticeFilter& operator=(const NoticeFilter&) = delete;

 private:
  std::FILE* before_ = nullptr;  ///< the original stream, if this object filters
};

}  // namespace espalier::internal
