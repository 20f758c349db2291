// SPDX-License-Identifier: BSD-3-Clause
//
// Simulates an OpenBLAS that does not recognize the processor. It is preloaded, and reports the
// kernels of an old processor unless OPENBLAS_CORETYPE names another one.

#include <cstdlib>
#include <string>

namespace {

const char* core() {
  const char* const named = std::getenv("OPENBLAS_CORETYPE");
  return named != nullptr ? named : "Prescott";
}

}  // namespace

extern "C" {

char* openblas_get_corename() {
  static std::string name = core();
  return name.data();
}

char* openblas_get_config() {
  static std::string text = std::string("puzzled OpenBLAS ") + core();
  return text.data();
}
}
