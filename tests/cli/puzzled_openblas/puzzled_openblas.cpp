// SPDX-License-Identifier: BSD-3-Clause
//
// An OpenBLAS that does not know the processor: preloaded, it says that it has kernels for an old
// one, unless OPENBLAS_CORETYPE named another.

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
