// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace espalier::internal {

/// Allocator whose vectors leave new elements uninitialized if no value is given.
template <typename T>
struct RawAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

/// Vector for arrays that several threads fill. resize() does not touch the new elements.
template <typename T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace espalier::internal
