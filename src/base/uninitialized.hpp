// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier::internal {

/// Allocator whose elements are not initialised if they are constructed without a value.
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T>);

  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
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

/// Array whose resize() neither sets nor touches new elements. Threads that fill it in parallel
/// then share the page faults, and pages without use cost nothing.
template <typename T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace espalier::internal
