// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <new>

#include "espalier/types.hpp"

namespace espalier::support {

/// Addresses for doubles without memory behind them: enough to compute where entries would be.
class AddressSpace {
 public:
  explicit AddressSpace(Count entries)
      : bytes_(static_cast<std::size_t>(entries) * sizeof(double)),
        begin_(
            mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~AddressSpace() { munmap(begin_, bytes_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  double* begin() const { return static_cast<double*>(begin_); }

 private:
  std::size_t bytes_;
  void* begin_;
};

}  // namespace espalier::support
