// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "espalier/bindings.hpp"

namespace espalier {

std::string failed_pivot(Index column, Factorization factorization, Index base) {
  const std::string pivot = "the pivot of column " + std::to_string(Count{column} + base) +
                            ", counted from " + std::to_string(base) + ", ";
  if (factorization == Factorization::llt) {
    return "the matrix is not positive definite: " + pivot +
           "is not positive, or is below the rounding error";
  }
  return "the matrix does not have the given signs: " + pivot +
         "is zero or has the other sign; check the signs, or replace such pivots by the option "
         "regularization";
}

}  // namespace espalier
