// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "runtime/mpi/communicator.hpp"
#include "runtime/starpu/memory.hpp"
#include "solver/numeric_factor.hpp"
#include "solver/outcome_log.hpp"

namespace espalier::internal {

/// Result of a factorization on one rank, or on several ranks together. Its members are doubles,
/// because it is data of StarPU. `none` is larger than each row and column.
struct SharedStatus {
  static constexpr double none = std::numeric_limits<double>::infinity();

  double failed = 0;             ///< 1 if the factorization failed, else 0
  double column_of_l = none;     ///< first column of L whose pivot check failed
  double column_of_a = none;     ///< the same column in A
  double bad_diagonal = none;    ///< first column of A whose diagonal entry is not positive
  double refused_column = none;  ///< first entry of A that is not finite
  double refused_row = none;

  /// Keeps the first failure of this and the other result.
  void add(const SharedStatus& other);
  /// Returns the status, or the error of the values. It is good if only devices failed.
  Outcome outcome() const;
};

/// Tasks and messages so that all ranks agree on the result of each factorization on handles. Each
/// rank reports to rank 0, which sends the common result to all ranks. No rank waits on the host.
class StatusExchange {
 public:
  /// All arguments must outlive the object, and the object must outlive its tasks.
  StatusExchange(const Communicator& comm, NumericFactor& factor);

  /// Submits the exchange after the last factorization. `own` returns the result of this rank, and
  /// `take` gets the common one. Both run in tasks, and later tasks of the factor wait for `take`.
  /// All ranks must call it. Cost: two messages per rank.
  void submit(std::function<SharedStatus()> own, std::function<void(const SharedStatus&)> take);

 private:
  void submit_gathering();

  const Communicator& comm_;
  NumericFactor& factor_;
  /// Status of each rank on the root, and of this rank elsewhere. The last one is the common one.
  std::vector<SharedStatus> status_;
  Handles handles_;
};

}  // namespace espalier::internal
