// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "codelets/cuda/kernel_functors.hpp"
#include "cuda/stand_in/memory.hpp"
#include "cuda/stand_in/order.hpp"

namespace stand_in {

/// Translates the addresses of a kernel to those of the stand-in. Checks the range that each
/// argument reads or writes, and the lists.
class There {
 public:
  explicit There(int device) : device_(device) {}

  espalier::internal::cuda::Scatter translated(espalier::internal::cuda::Scatter work);
  espalier::internal::cuda::Scatters translated(espalier::internal::cuda::Scatters work);
  espalier::internal::cuda::Outcome translated(espalier::internal::cuda::Outcome work);
  espalier::internal::cuda::Zeros translated(espalier::internal::cuda::Zeros work);
  espalier::internal::cuda::PivotColumns translated(espalier::internal::cuda::PivotColumns work);
  espalier::internal::cuda::PivotOutcome translated(espalier::internal::cuda::PivotOutcome work);
  espalier::internal::cuda::SignedCopy translated(espalier::internal::cuda::SignedCopy work);

  template <class T>
  const T* reads(const T* memory, long count, const char* what) const {
    return find(memory, count, what, false);
  }
  template <class T>
  T* writes(T* memory, long count, const char* what) {
    T* const found = const_cast<T*>(find(memory, count, what, true));
    if (count > 0) {
      written_.push_back(
          {reinterpret_cast<char*>(found), static_cast<std::size_t>(count) * sizeof(T)});
    }
    return found;
  }

  /// Range from the first to the last byte that an argument writes.
  struct Written {
    char* begin;
    std::size_t bytes;
  };
  const std::vector<Written>& written() const { return written_; }

 private:
  template <class T>
  const T* find(const T* memory, long count, const char* what, bool writes) const {
    if (count <= 0) return memory;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    touch(memory, bytes, writes);
    return reinterpret_cast<const T*>(reach(memory, bytes, device_, what));
  }
  const espalier::Index* ascending(const espalier::Index* list, long count, const char* what) const;

  int device_;
  std::vector<Written> written_;
};

}  // namespace stand_in
