// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "espalier/types.hpp"

namespace espalier {

/// An uninitialised array of doubles, aligned to 2 MiB and advised to use huge pages when large:
/// the first touch of a factor then costs a third of what small pages cost.
class Buffer {
 public:
  Buffer() = default;
  /// Throws MemoryError, saying how much was asked for, when the system refuses.
  explicit Buffer(Count entries);

  double* data() const { return data_.get(); }
  Count size() const { return size_; }
  std::span<double> span() const { return {data_.get(), static_cast<std::size_t>(size_)}; }

 private:
  struct Free {
    void operator()(double* data) const;
  };
  std::unique_ptr<double, Free> data_;
  Count size_ = 0;
};

}  // namespace espalier
