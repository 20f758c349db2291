// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>

namespace espalier::internal {

/// Drops from the standard error stream, for the life of this object, the notices with which StarPU
/// starts on a new machine or on one core: only STARPU_SILENT turns them off, which a library must
/// not set. All else passes. If STARPU_SILENT is set, it decides alone. Other threads may print
/// meanwhile. One object filters at a time; a second one does nothing.
class NoticeFilter {
 public:
  NoticeFilter();
  ~NoticeFilter();
  NoticeFilter(const NoticeFilter&) = delete;
  NoticeFilter& operator=(const NoticeFilter&) = delete;

 private:
  std::FILE* before_ = nullptr;  ///< the stream that this one stands for, if it filters
};

}  // namespace espalier::internal
