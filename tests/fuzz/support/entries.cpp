// SPDX-License-Identifier: BSD-3-Clause

// What libFuzzer calls, and what it has for its users, for the two functions of a target.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/target.hpp"

extern "C" {

/// Changes some bytes in place; returns the new size.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  espalier::fuzz::try_input({data, size});
  return 0;
}

/// Bytes change, too, where the other input has no room: most that are cut off would be refused.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  espalier::fuzz::Dice dice(seed);
  const auto other = espalier::fuzz::other_input({data, data + size}, dice);
  if (!other || other->size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(other->begin(), other->end(), data);
  return other->size();
}
}
