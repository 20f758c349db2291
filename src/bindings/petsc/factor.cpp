// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/petsc/factor.hpp"

#include <petsc/private/matimpl.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings/petsc/engine.hpp"
#include "bindings/petsc/failure.hpp"
#include "bindings/petsc/options.hpp"
#include "bindings/petsc/rows.hpp"

namespace espalier::internal {

namespace {

/// Data of the matrix that stands for the factor.
struct FactorContent {
  std::unique_ptr<Engine> engine;
  Factorization factorization = Factorization::llt;  ///< LDLᵀ chooses its pivots
  Count matrix_entries = 0;                          ///< number of entries of one triangle of A
  double backward_error = -1;  ///< backward error of the last solve; -1 before the first
};

MPI_Comm comm_of(Mat factor) { return PetscObjectComm((PetscObject)factor); }

FactorContent& content_of(Mat factor) { return *static_cast<FactorContent*>(factor->data); }

PetscErrorCode count_entries(Mat factor, const UpperRows& rows, Count& entries) {
  auto own = static_cast<Count>(rows.column.size());
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&own, &entries, 1, MPI_INT64_T, MPI_SUM, comm_of(factor)));
  PetscFunctionReturn(0);
}

std::string sentence_of(const FactorContent& content, Index column) {
  return content.factorization == Factorization::llt ? failed_pivot(column, Factorization::llt)
                                                     : singular_pivot(column);
}

PetscErrorCode note_status(Mat factor, Mat matrix, const FactorStatus& status) {
  PetscFunctionBegin;
  if (!status.ok()) {
    const std::string sentence = sentence_of(content_of(factor), status.bad_column);
    PetscCheck(!matrix->erroriffailure, comm_of(factor), PETSC_ERR_MAT_CH_ZRPVT, "Espalier: %s",
               sentence.c_str());
    PetscCall(PetscInfo(factor, "%s\n", sentence.c_str()));
    factor->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    factor->factorerror_zeropivot_row = status.bad_column;
    factor->factorerror_zeropivot_value = 0;  // the value is not known
  }
  PetscFunctionReturn(0);
}

/// Calls `work`. A lack of memory is noted in the factor, unless the program wants errors raised.
template <class Work>
PetscErrorCode guarded_factorization(Mat factor, Mat matrix, Work work) {
  return guarded(comm_of(factor), [&] {
    try {
      work();
    } catch (const MemoryError&) {
      if (matrix->erroriffailure) throw;
      factor->factorerrortype = MAT_FACTOR_OUTMEMORY;
    }
  });
}

/// Factors the matrix. Uses PETSc's arrays directly, if possible.
PetscErrorCode factor_numeric(Mat factor, Mat matrix, const MatFactorInfo* /*info*/) {
  Engine& engine = *content_of(factor).engine;
  WholeRows whole;
  UpperRows upper;
  FactorStatus status;
  bool done = false;
  PetscFunctionBegin;
  factor->factorerrortype = MAT_FACTOR_NOERROR;
  PetscCall(view_whole_rows(matrix, whole));
  PetscCall(guarded_factorization(factor, matrix, [&] { done = engine.factorize(whole, status); }));
  if (!done && factor->factorerrortype == MAT_FACTOR_NOERROR) {
    PetscCall(read_upper_rows(matrix, upper));
    PetscCall(guarded_factorization(factor, matrix,
                                    [&] { status = engine.factorize(std::move(upper)); }));
  }
  PetscCall(note_status(factor, matrix, status));
  factor->assembled = PETSC_TRUE;
  factor->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode solve_vectors(Mat factor, const LocalVectors& vectors) {
  FactorContent& content = content_of(factor);
  PetscFunctionBegin;
  PetscCall(
      guarded(comm_of(factor), [&] { content.backward_error = content.engine->solve(vectors); }));
  PetscCall(PetscInfo(factor, "backward error %g\n", content.backward_error));
  PetscFunctionReturn(0);
}

PetscErrorCode solve(Mat factor, Vec b, Vec x) {
  LocalVectors vectors;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &vectors.b));
  PetscCall(VecGetArray(x, &vectors.x));
  PetscCall(solve_vectors(factor, vectors));
  PetscCall(VecRestoreArray(x, &vectors.x));
  PetscCall(VecRestoreArrayRead(b, &vectors.b));
  PetscFunctionReturn(0);
}

PetscErrorCode solve_dense(Mat factor, Mat b, Mat x) {
  LocalVectors vectors;
  PetscInt count = 0;
  PetscInt ldb = 0;
  PetscInt ldx = 0;
  PetscBool dense = PETSC_FALSE;
  PetscFunctionBegin;
  for (Mat vector : {b, x}) {
    PetscCall(PetscObjectTypeCompareAny((PetscObject)vector, &dense, MATSEQDENSE, MATMPIDENSE, ""));
    PetscCheck(dense, comm_of(factor), PETSC_ERR_ARG_WRONG,
               "Espalier needs dense matrices for right-hand sides and solutions; convert yours");
  }
  PetscCall(MatGetSize(b, nullptr, &count));
  PetscCall(MatDenseGetLDA(b, &ldb));
  PetscCall(MatDenseGetLDA(x, &ldx));
  PetscCall(MatDenseGetArrayRead(b, &vectors.b));
  PetscCall(MatDenseGetArrayWrite(x, &vectors.x));
  vectors.count = static_cast<Index>(count);
  vectors.ldb = ldb;
  vectors.ldx = ldx;
  if (count > 0) PetscCall(solve_vectors(factor, vectors));
  PetscCall(MatDenseRestoreArrayWrite(x, &vectors.x));
  PetscCall(MatDenseRestoreArrayRead(b, &vectors.b));
  PetscFunctionReturn(0);
}

/// Sets the numbers that are not null. Raises PETSC_ERR_ARG_WRONGSTATE if the inertia is uncertain,
/// because the numbers may then be wrong and PETSc has no place for their status.
PetscErrorCode get_inertia(Mat factor, PetscInt* negative, PetscInt* zero, PetscInt* positive) {
  Inertia inertia;
  PetscFunctionBegin;
  PetscCheck(factor->factorerrortype == MAT_FACTOR_NOERROR, comm_of(factor),
             PETSC_ERR_ARG_WRONGSTATE,
             "Espalier: the inertia is not known, because the factorization failed; ask "
             "MatFactorGetError() for the reason");
  PetscCall(guarded(comm_of(factor), [&] { inertia = content_of(factor).engine->inertia(); }));
  PetscCheck(inertia.status == Inertia::Status::exact, comm_of(factor), PETSC_ERR_ARG_WRONGSTATE,
             "Espalier: the inertia is uncertain, because the matrix is nearly singular; if it is "
             "A - sigma B, choose a sigma farther from the eigenvalues");
  if (negative != nullptr) *negative = inertia.negative;
  if (zero != nullptr) *zero = inertia.zero;
  if (positive != nullptr) *positive = inertia.positive;
  PetscFunctionReturn(0);
}

PetscErrorCode factor_symbolic(Mat factor, Mat matrix, IS /*ordering*/,
                               const MatFactorInfo* /*info*/) {
  FactorContent& content = content_of(factor);
  Options options;
  UpperRows rows;
  PetscFunctionBegin;
  PetscCall(read_petsc_options(factor, options));
  PetscCall(read_upper_pattern(matrix, rows));
  if (options.analysis.matching) PetscCall(read_upper_rows(matrix, rows));
  content.factorization = options.factor.factorization;
  PetscCall(count_entries(factor, rows, content.matrix_entries));
  PetscCall(guarded(comm_of(factor), [&] {
    int ranks = 1;
    MPI_Comm_size(comm_of(factor), &ranks);
    content.engine.reset();  // first, because the new engine may need another StarPU
    content.engine = ranks == 1 ? local_engine(options) : rank_engine(comm_of(factor), options);
    content.engine->analyze(std::move(rows));
  }));
  factor->ops->choleskyfactornumeric = factor_numeric;
  factor->ops->getinertia = get_inertia;
  factor->ops->solve = solve;
  factor->ops->solvetranspose = solve;
  factor->ops->matsolve = solve_dense;
  factor->ops->matsolvetranspose = solve_dense;
  PetscFunctionReturn(0);
}

/// Returns the numbers of all ranks together, for MAT_LOCAL, too.
PetscErrorCode get_info(Mat factor, MatInfoType /*flag*/, MatInfo* info) {
  const FactorContent& content = content_of(factor);
  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof *info));
  info->block_size = 1;
  if (content.engine) {
    const auto entries = static_cast<PetscLogDouble>(content.engine->factor_entries());
    info->nz_allocated = entries;
    info->nz_used = entries;
    info->memory = entries * sizeof(PetscScalar);
    info->fill_ratio_needed = entries / static_cast<PetscLogDouble>(content.matrix_entries);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode print(PetscViewer viewer, const FactorContent& content, const Report& report) {
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "Espalier %s run parameters:\n", version()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  ordering: %s\n", report.ordering.method.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  nnz(L): %lld\n",
                                   static_cast<long long>(content.engine->factor_entries())));
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "  floating-point operations: %g\n", report.symbolic.flops));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  CPU workers of all ranks: %d\n",
                                   static_cast<int>(report.machine.cpu_workers)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  scheduler: %s\n", report.scheduler.active.c_str()));
  if (content.backward_error >= 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  backward error of the last solve: %g\n",
                                     content.backward_error));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode view(Mat factor, PetscViewer viewer) {
  const FactorContent& content = content_of(factor);
  PetscBool text = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  Report report;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &text));
  if (!text || !content.engine) PetscFunctionReturn(0);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) {
    PetscFunctionReturn(0);
  }
  PetscCall(guarded(comm_of(factor), [&] { report = content.engine->report(); }));
  PetscCall(print(viewer, content, report));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Mat factor) {
  PetscFunctionBegin;
  PetscCall(guarded(comm_of(factor), [&] { delete &content_of(factor); }));
  factor->data = nullptr;
  PetscCall(PetscObjectComposeFunction((PetscObject)factor, "MatFactorGetSolverType_C", nullptr));
  PetscFunctionReturn(0);
}

PetscErrorCode get_solver_type(Mat /*factor*/, MatSolverType* type) {
  PetscFunctionBegin;
  *type = solver_type;
  PetscFunctionReturn(0);
}

/// Makes `factor` a matrix of this solver type, without content.
PetscErrorCode describe(Mat factor) {
  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(solver_type, &((PetscObject)factor)->type_name));
  PetscCall(MatSetUp(factor));
  factor->factortype = MAT_FACTOR_CHOLESKY;
  PetscCall(PetscFree(factor->solvertype));
  PetscCall(PetscStrallocpy(solver_type, &factor->solvertype));
  factor->canuseordering = PETSC_FALSE;
  PetscCall(PetscStrallocpy(MATORDERINGEXTERNAL,
                            (char**)&factor->preferredordering[MAT_FACTOR_CHOLESKY]));
  PetscCall(
      PetscObjectComposeFunction((PetscObject)factor, "MatFactorGetSolverType_C", get_solver_type));
  factor->ops->choleskyfactorsymbolic = factor_symbolic;
  factor->ops->getinfo = get_info;
  factor->ops->view = view;
  factor->ops->destroy = destroy;
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode create_factor(Mat matrix, MatFactorType /*type*/, Mat* factor) {
  Mat made = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)matrix), &made));
  PetscCall(MatSetSizes(made, matrix->rmap->n, matrix->cmap->n, matrix->rmap->N, matrix->cmap->N));
  PetscCall(describe(made));
  PetscCall(guarded(comm_of(made), [&] { made->data = new FactorContent; }));
  *factor = made;
  PetscFunctionReturn(0);
}

}  // namespace espalier::internal
