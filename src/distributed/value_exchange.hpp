// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "distributed/data.hpp"
#include "distributed/distribution.hpp"
#include "distributed/status_exchange.hpp"
#include "runtime/starpu/memory.hpp"
#include "solver/numeric_factor.hpp"

namespace espalier::internal {

/// Tasks and messages that move the values of A from handles of the application to the ranks that
/// need them. A task on each rank copies the values into one buffer per receiving rank, StarPU-MPI
/// sends the buffers, and the first task of the factorization stores the received values. No rank
/// waits on the host.
class ValueExchange {
 public:
  /// `routes` are those of the matrix. The factor must outlive the object, and the object must
  /// outlive its tasks. Allocates one double per value that the rank sends or receives.
  ValueExchange(const Communicator& comm, NumericFactor& factor,
                std::shared_ptr<const DistributedMatrixData> matrix, ValueRoutes routes);

  const std::shared_ptr<const DistributedMatrixData>& matrix() const { return matrix_; }
  /// Submits the copies and the messages of this rank. `values` may be null if the rank has no
  /// entries. All ranks must call it.
  void submit(starpu_data_handle_t values);
  /// Returns the data that take() needs.
  std::span<const starpu_data_handle_t> received() const { return received_; }
  /// Stores the received values in `to`, in a task that reads received(). Returns the defects
  /// of the values of this rank; `failed` is 1 if a value is not finite.
  SharedStatus take(std::span<const ApplicationView> received, std::span<double> to) const;

 private:
  /// Returns the values of the entries of the part, summed if an entry was given several times.
  std::span<const double> merged(const double* given);
  /// Returns the defects of these values.
  SharedStatus defects_of(std::span<const double> values) const;
  void pack(std::span<const ApplicationView> views);

  const Communicator& comm_;
  NumericFactor& factor_;
  std::shared_ptr<const DistributedMatrixData> matrix_;
  ValueRoutes routes_;
  SharedStatus defects_;           ///< data of StarPU
  Buffer merged_;                  ///< sums of the values, if entries were given several times
  Buffer memory_;                  ///< all buffers, first the buffers that the rank sends
  Handles handles_;                ///< of `defects_`, then of the buffers that have entries
  std::vector<Index> sends_to_;    ///< ranks to which this rank sends a buffer; not itself
  std::vector<Index> takes_from_;  ///< ranks whose buffers it takes; may include itself
  std::vector<starpu_data_handle_t> received_;  ///< `defects_`, then the buffers of takes_from_
};

}  // namespace espalier::internal
