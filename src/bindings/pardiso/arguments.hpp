// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "bindings/pardiso/parameters.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Integers in an array of a caller, of 32 or 64 bits. An empty array stands for a null pointer.
template <class Narrow, class Wide>
class IntegerArray {
 public:
  IntegerArray() = default;
  explicit IntegerArray(Narrow* array) : narrow_(array) {}
  explicit IntegerArray(Wide* array) : wide_(array) {}

  bool empty() const { return narrow_ == nullptr && wide_ == nullptr; }
  Count operator[](Count k) const { return wide_ != nullptr ? wide_[k] : Count{narrow_[k]}; }
  /// Stores a number, which must fit into the integers of the array.
  void set(Count k, Index number) const {
    if (wide_ != nullptr) {
      wide_[k] = number;
    } else {
      narrow_[k] = number;
    }
  }

 private:
  Narrow* narrow_ = nullptr;
  Wide* wide_ = nullptr;
};

using ConstantIntegers = IntegerArray<const std::int32_t, const std::int64_t>;
using MutableIntegers = IntegerArray<std::int32_t, std::int64_t>;

/// Arguments of one call, as the manuals of PARDISO name them.
struct Call {
  Dialect dialect = Dialect::panua;
  void** pt = nullptr;        ///< the caller's handle: 64 pointers; only the first is used
  Count maxfct = 0;           ///< maximum number of factors that the handle keeps
  Count mnum = 0;             ///< number of the factor, counted from 1
  Count mtype = 0;            ///< matrix type
  Count phase = 0;            ///< see run()
  Count n = 0;                ///< number of rows
  const double* a = nullptr;  ///< values of the upper triangle by rows
  ConstantIntegers ia{};      ///< offsets of the rows in `ja` and `a`, and their end
  ConstantIntegers ja{};      ///< columns
  MutableIntegers perm{};     ///< permutation; used only if iparm(5) asks for it
  Count nrhs = 0;             ///< number of right-hand sides
  Parameters& iparm;
  Count msglvl = 0;         ///< whether to print statistics
  double* b = nullptr;      ///< right-hand sides, one after another
  double* x = nullptr;      ///< solutions, one after another
  double* dparm = nullptr;  ///< 64 more parameters of Panua's PARDISO; null in MKL's
};

}  // namespace espalier::internal
