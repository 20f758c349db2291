// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier {

/// While any object of this class lives, the BLAS runs each call on the thread that makes it; after
/// the last one it has the number of threads back that it had before the first. Thread-safe.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

/// Library and core type, as the BLAS states them.
std::string blas_description();

}  // namespace espalier
