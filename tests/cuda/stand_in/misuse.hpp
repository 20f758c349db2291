// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stand_in {

/// Exit code after a misuse of a device.
inline constexpr int misuse_code = 99;

/// The current work of a thread for a device: a function that was called, or a job on a stream.
struct Place {
  const char* function = "the program";
  int device = 0;
  long stream = -1;  ///< number of the stream, from 0; -1 during the call itself
  long job = 0;      ///< number of earlier jobs of this stream
};

/// Sets the place of this thread while the object lives. Messages of misuse() name it.
class Doing {
 public:
  explicit Doing(const Place& place);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  Place place_;
  const Place* outer_;
};

/// Prints the place of the thread and the message, and ends the process at once with misuse_code,
/// so that the program's handling of failures cannot hide it.
[[noreturn]] void misuse(const std::string& what);

}  // namespace stand_in
