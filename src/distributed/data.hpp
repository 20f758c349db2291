// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/mpi.hpp"
#include "matrix/matrix_part.hpp"
#include "runtime/mpi/communicator.hpp"
#include "runtime/mpi/starpu_mpi_engine.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

struct RanksData {
  explicit RanksData(MPI_Comm of) : comm(of) {}

  Communicator comm;
  std::unique_ptr<StarpuMpiEngine> engine;
  std::unique_ptr<StarpuInstance> starpu;
};

struct DistributedMatrixData {
  /// Gathers the pattern of the whole matrix on the root. `file` is the name of the file of the
  /// whole matrix, or empty. Collective.
  DistributedMatrixData(const Communicator& comm, MatrixPart own, const std::string& file,
                        std::vector<Index> positions = {});

  MatrixPart part;
  /// For each entry, in the order of the application, its position in the part. Empty if the two
  /// orders are the same.
  std::vector<Index> position;
  // These members are set only on the root.
  std::optional<Matrix> pattern;
  std::vector<Index> rank_of_column;  ///< per column, the rank that has its diagonal entry
};

/// Returns the whole matrix with its values on the root, and nothing on other ranks. Memory of the
/// root: 8 bytes per entry, and 16 per entry of the largest part. Collective.
std::optional<Matrix> gathered(const Communicator& comm, const DistributedMatrixData& data);

/// Returns the first column of the whole matrix whose diagonal entry is not positive, or n.
/// Collective.
Index first_bad_diagonal(const Communicator& comm, const MatrixPart& part);

}  // namespace espalier::internal
