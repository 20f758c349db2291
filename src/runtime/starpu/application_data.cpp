// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/application_data.hpp"

#include <cstddef>
#include <string>

#include "base/scalar.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

[[noreturn]] void refuse(const HandleShape& shape, const std::string& reason) {
  throw UsageError("the handle of " + std::string(shape.name) + " " + reason);
}

void expect_doubles(const HandleShape& shape, std::size_t bytes) {
  if (bytes == static_cast<std::size_t>(scalar.bytes)) return;
  refuse(shape, "has elements of " + std::to_string(bytes) + " bytes; register doubles");
}

void expect_vector(starpu_data_handle_t data, const HandleShape& shape) {
  expect_doubles(shape, starpu_vector_get_elemsize(data));
  const Count entries = starpu_vector_get_nx(data);
  if (entries == shape.rows * shape.columns) return;
  refuse(shape, "is a vector of " + std::to_string(entries) + " entries, but needs " +
                    std::to_string(shape.rows) + " times " + std::to_string(shape.columns));
}

void expect_matrix(starpu_data_handle_t data, const HandleShape& shape) {
  expect_doubles(shape, starpu_matrix_get_elemsize(data));
  const Count rows = starpu_matrix_get_nx(data);
  const Count columns = starpu_matrix_get_ny(data);
  if (rows == shape.rows && columns == shape.columns) return;
  refuse(shape, "is a matrix with nx = " + std::to_string(rows) + " and ny = " +
                    std::to_string(columns) + ", but needs nx = " + std::to_string(shape.rows) +
                    " and ny = " + std::to_string(shape.columns));
}

}  // namespace

void expect_handle(starpu_data_handle_t data, const HandleShape& shape) {
  if (data == nullptr) refuse(shape, "is null; register the data first");
  switch (starpu_data_get_interface_id(data)) {
    case STARPU_VECTOR_INTERFACE_ID: expect_vector(data, shape); break;
    case STARPU_MATRIX_INTERFACE_ID: expect_matrix(data, shape); break;
    default: refuse(shape, "is neither a StarPU vector nor a StarPU matrix");
  }
  if (starpu_data_get_nb_children(data) > 0) {
    refuse(shape,
           "is partitioned; call starpu_data_unpartition() first, or partition it by "
           "starpu_data_partition_plan()");
  }
  if (starpu_data_get_sequential_consistency_flag(data) == 0) {
    refuse(shape,
           "has no sequential consistency, so StarPU cannot order the tasks on it; call "
           "starpu_data_set_sequential_consistency_flag(handle, 1)");
  }
}

ApplicationView view_of_application(const void* buffer) {
  const auto& vector = *static_cast<const starpu_vector_interface*>(buffer);
  if (vector.id == STARPU_VECTOR_INTERFACE_ID) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
    return {reinterpret_cast<double*>(vector.ptr), 0};
  }
  const auto& matrix = *static_cast<const starpu_matrix_interface*>(buffer);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): as above
  return {reinterpret_cast<double*>(matrix.ptr), static_cast<Count>(matrix.ld)};
}

}  // namespace espalier::internal
