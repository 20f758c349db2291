// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <span>

#include "espalier/starpu.hpp"
#include "runtime/starpu/application_data.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/data.hpp"
#include "solver/factor_data.hpp"
#include "solver/local_system.hpp"
#include "solver/matrix.hpp"
#include "solver/pivots.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

namespace {

/// Throws UsageError if StarPU pauses between calls of Espalier. Tasks of the application would not
/// run then.
void expect_inside_application(const FactorState& state) {
  if (state.starpu->is_of_application()) return;
  throw UsageError(
      "a factor takes handles only in the StarPU of the application; start StarPU by starpu_init() "
      "and make the factor with Runtime::inside_application()");
}

/// Makes the matrix that holds a copy of the values in handles, unless it exists.
void make_matrix(FactorData& data) {
  if (data.matrix_of_handles) return;
  auto matrix = std::make_shared<MatrixData>();
  matrix->pattern = data.analysis->pattern;
  matrix->own(matrix->pattern->buffer_for(matrix->pattern->entries()));
  data.matrix_of_handles = std::move(matrix);
}

/// Records the result of the previous factorization, whose values are overwritten now. Copies the
/// values of a handle, and returns the values that the factorization gets, or null if they are not
/// symmetric. Runs in a task.
const double* take_values(FactorData& data, const double* given) {
  record_outcome(data);
  data.log.open();
  const SharedPattern& pattern = *data.analysis->pattern;
  const std::span<double> copy = data.matrix_of_handles->copied_value.span();
  try {
    pattern.put_in_order({given, static_cast<std::size_t>(pattern.given())}, copy);
    return scaled_if_needed(data, *data.matrix_of_handles);
  } catch (const InputError&) {
    data.log.refused = std::current_exception();
  } catch (const std::bad_alloc&) {
    data.log.refused = std::current_exception();
  }
  return nullptr;
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

void submit_factorize(Factor& factor, DataHandle values) {
  FactorData& data = Internals::data(factor);
  expect_inside_application(data.state);
  expect_one_kind(data.state);
  expect_regularizable(data.state);
  expect_handle(values, {"the values", data.analysis->pattern->given(), 1});
  make_matrix(data);
  if (chooses_pivots(data.state)) prepare_pivots(*data.state.numeric);
  if (data.matrix != data.matrix_of_handles) data.earlier_matrix = std::move(data.matrix);
  data.matrix = data.matrix_of_handles;
  data.state.norm = -1;
  data.seconds = 0;
  data.state.factored = false;
  data.state.numeric->submit_factorize(std::span(&values, 1),
                                       [&data](std::span<const ApplicationView> given) {
                                         return take_values(data, given.front().data);
                                       });
  data.state.factored = true;
}

void submit_solve(Factor& factor, DataHandle b, DataHandle x, Index count) {
  FactorData& data = Internals::data(factor);
  expect_inside_application(data.state);
  expect_factor(data.state);
  const Index n = data.analysis->symbolic.n;
  if (count < 1) throw UsageError("count is " + std::to_string(count) + "; it must be at least 1");
  expect_handle(b, {"b", n, count});
  expect_handle(x, {"x", n, count});
  const auto vector_bytes = [&](Index columns) { return block_vector_bytes(data, columns, 1); };
  const Index most = columns_in_memory(data.state, LocalSystem(data), {count, vector_bytes});
  const auto submit = [&](Index first, Index columns) {
    data.state.numeric->submit_solve(NumericFactor::HandleSolve{b, x, first, columns});
  };
  for_each_block(count, submit, most);
}

}  // namespace espalier
