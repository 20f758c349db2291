// SPDX-License-Identifier: BSD-3-Clause

// The functions that libFuzzer calls. They use the two functions of a target.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/target.hpp"

extern "C" {

/// Changes some bytes in place. Returns the new size.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  espalier::fuzz::try_input({data, size});
  return 0;
}

/// Changes bytes if the other input is too long, because most truncated inputs would be refused.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  espalier::fuzz::Dice dice(seed);
  const auto other = espalier::fuzz::other_input({data, data + size}, dice);
  if (!other || other->size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(other->begin(), other->end(), data);
  return other->size();
}
}
