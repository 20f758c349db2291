// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stand_in {

/// What a misuse of a device ends the process with.
inline constexpr int misuse_code = 99;

/// What a thread does for a device: a function that was called, or what it does later on a stream.
struct Place {
  const char* function = "the program";
  int device = 0;
  long stream = -1;  ///< number of the stream, counted from 0; -1 during the call itself
  long job = 0;      ///< how many jobs this stream had before
};

/// The place of this thread while the object lives. Misuses that are found meanwhile name it.
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

/// Says where the thread is and what is wrong there, and ends the process at once, with
/// misuse_code: nothing that the program does about failures of devices can hide it.
[[noreturn]] void misuse(const std::string& what);

}  // namespace stand_in
