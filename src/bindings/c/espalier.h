// SPDX-License-Identifier: BSD-3-Clause
#ifndef ESPALIER_H
#define ESPALIER_H

#include <stdint.h>

/// \file
/// The interface of Espalier for C, and for all languages that call C. It solves A x = b for a
/// sparse, symmetric matrix A that is positive definite or indefinite. An analysis finds the
/// structure of the factor L from the pattern of A. A factor holds the memory and the tasks for L,
/// and solves with L.
///
/// For an indefinite matrix, give the option factorization=ldlt. Then A = L J L' is factored
/// instead of A = L L', with signs on the diagonal of J. For a quasi-definite matrix,
/// espalier_set_signs() gives the signs. Otherwise the factorization chooses its pivots and finds
/// the signs; L and its diagonal are then not available. The option factorization=auto tries
/// A = L L' first. If a pivot is not positive, this and all later factorizations with the same
/// factor are A = L J L' with chosen pivots. espalier_factorize() then takes the time of both.
///
/// To count the eigenvalues of A below sigma, factorize() the values of A - sigma I with the same
/// analysis and factor. espalier_inertia() returns their number as that of negative eigenvalues.
///
/// Functions return 0 on success, and one of the codes of espalier_code on failure. The codes are
/// the exit codes of the program `espalier`. After a failure, espalier_last_error() returns a
/// sentence that explains it. No exception or signal leaves a function, and nothing is printed. On
/// failure, output arguments keep their values unless the function says otherwise.
///
/// Several threads may use different factors at the same time, but only one thread at a time may
/// use one factor. Any number of threads may use one analysis. All factors of a process share one
/// private StarPU, which is shut down when the last of them is freed. Alternatively, all factors
/// use the StarPU of the application.
///
/// Options are strings "name=value" in a list that ends with a null pointer. A null list has no
/// options. The names are those of the program's long options. A list may hold options of all
/// phases; each call uses the options of its phase:
///
/// - the analysis: ordering, factorizations, workers, matching (0 or 1; see
///   espalier_analyze_values()), panel-width, narrow-panel-width, amalgamation-widths,
///   amalgamation-zeros (four numbers with commas), deterministic (0 or 1);
/// - the factor: factorization, regularization (four numbers with commas), workers, cuda-devices,
///   sched, sched-option (KEY=VALUE, may be given several times), device-memory, halo,
///   on-device-full, granularity, subtrees-per-worker, tile-rows, kernels, trsm-panel, potrf-panel,
///   deterministic, memory-limit (bytes, "500M" or "2.5G");
/// - the solve: refine (maximum number of steps of iterative refinement), given with the factor.
///
/// `espalier solve --help` explains each option, with its default and its range.

#if defined(__GNUC__)
#define ESPALIER_API __attribute__((visibility("default")))
#else
#define ESPALIER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names of C
/// Codes that functions return.
enum espalier_code {
  ESPALIER_OK = 0,                     ///< Success.
  ESPALIER_INACCURATE = 1,             ///< The backward error of a solution is above 1e-10.
  ESPALIER_USAGE = 2,                  ///< An argument, an option or a call is not allowed.
  ESPALIER_INPUT = 3,                  ///< The content of an array or a file is not valid.
  ESPALIER_NOT_POSITIVE_DEFINITE = 4,  ///< The matrix is not positive definite, or a pivot is zero
                                       ///< or has the wrong sign.
  ESPALIER_MEMORY = 5,                 ///< The memory limit or the free memory is too small.
  ESPALIER_SCHEDULER = 6,              ///< StarPU does not know the scheduling policy.
  ESPALIER_RUNTIME = 7                 ///< The runtime system or a device failed.
};

/// Systems that espalier_solve() solves, with P A P' = L L' or P A P' = L J L'. The numbers are
/// those of CHOLMOD.
enum espalier_system {
  ESPALIER_A = 0,   ///< A x = b, with refinement.
  ESPALIER_L = 4,   ///< L x = b, in the numbering of L.
  ESPALIER_LT = 5,  ///< L' x = b, in the numbering of L.
  ESPALIER_P = 7,   ///< x = P b, from the numbering of A to that of L.
  ESPALIER_PT = 8   ///< x = P' b, from the numbering of L to that of A.
};
// NOLINTEND(readability-identifier-naming)

/// The structure of L for one pattern of A.
typedef struct espalier_analysis espalier_analysis;

/// The factor L in memory, with the tasks that compute it.
typedef struct espalier_factor espalier_factor;

/// Analyzes the pattern of a symmetric n-by-n matrix in compressed columns. The arrays are copied.
/// Compressed rows can be passed as compressed columns of the other triangle. Returns
/// ESPALIER_INPUT if the arrays do not hold such a pattern, or ESPALIER_USAGE or ESPALIER_MEMORY.
///
/// \param n Number of rows and of columns.
/// \param colptr The n + 1 offsets of the columns in `row`, counted from `base`.
/// \param row Rows, counted from `base`. The rows of column j (0-based) are row[colptr[j] - base]
///   to row[colptr[j+1] - base - 1], in any order.
/// \param base First number of rows, columns and offsets: 0 or 1.
/// \param uplo Entries in the arrays: 'L' for the lower triangle, 'U' for the upper one, 'F' for
///   all. With 'F' each entry needs a mirror on the other side of the diagonal.
///   espalier_factorize() then checks that both differ by at most 1e-10 of the larger one.
/// \param options Options, or null.
/// \param analysis Set to the new analysis.
/// \return A code of espalier_code.
ESPALIER_API int espalier_analyze(int64_t n, const int64_t* colptr, const int32_t* row, int base,
                                  char uplo, const char* const* options,
                                  espalier_analysis** analysis);

/// Analyzes a pattern as espalier_analyze() does, but with offsets of 32 bits.
ESPALIER_API int espalier_analyze_i32(int64_t n, const int32_t* colptr, const int32_t* row,
                                      int base, char uplo, const char* const* options,
                                      espalier_analysis** analysis);

/// Analyzes a pattern as espalier_analyze() does, and uses the values of a matrix to pair columns,
/// for factorizations that choose their pivots. The option matching is 1 unless it is given. The
/// array `values` has the value of each entry, in the order of `row`. They are not kept:
/// factorizations get their values from espalier_factorize().
ESPALIER_API int espalier_analyze_values(int64_t n, const int64_t* colptr, const int32_t* row,
                                         const double* values, int base, char uplo,
                                         const char* const* options, espalier_analysis** analysis);

/// Analyzes as espalier_analyze_values() does, but with offsets of 32 bits.
ESPALIER_API int espalier_analyze_values_i32(int64_t n, const int32_t* colptr, const int32_t* row,
                                             const double* values, int base, char uplo,
                                             const char* const* options,
                                             espalier_analysis** analysis);

/// Analyzes a pattern as espalier_analyze() does, and reuses the order of a previous analysis for
/// the parts of the matrix that have not changed. Without a separator tree of several parts, an
/// order is reused only if no entry has changed. If too much has changed, the matrix is ordered
/// anew, as without a previous analysis. The previous analysis remains valid. The array
/// `previous_column` has the number in the previous matrix of each column, counted from the base of
/// the previous arrays, or this base minus 1 for new columns. If it is null, the numbers are equal,
/// and both matrices must have the same size.
ESPALIER_API int espalier_analyze_again(int64_t n, const int64_t* colptr, const int32_t* row,
                                        int base, char uplo, const char* const* options,
                                        const espalier_analysis* previous,
                                        const int32_t* previous_column,
                                        espalier_analysis** analysis);

/// Sets the number of entries of L, explicit zeros included, and the number of floating-point
/// operations of a factorization. Either pointer may be null.
ESPALIER_API int espalier_analysis_size(const espalier_analysis* analysis, int64_t* factor_entries,
                                        double* flops);

/// Sets permutation[k] to the column of A at position k of L, for all n positions. Columns count
/// from the base of the analyzed arrays.
ESPALIER_API int espalier_permutation(const espalier_analysis* analysis, int32_t* permutation);

/// Sets the fill-reducing order of the columns and its separator tree. Part k has the positions
/// first[k] to end[k] - 1 of the order: a separator, or a leaf. Its parent is a part with a larger
/// number, or -1 for the last part, which is the root. Numbers of parts and positions count from 0,
/// columns from the base of the analyzed arrays. The number of parts is at most 2 n + 1. It is 1 if
/// the ordering does not dissect, and 0 if it merges no columns, like "natural". The array `order`
/// has n columns, and `parent`, `first` and `end` have an entry for each part. Each pointer may be
/// null. espalier_permutation() sets another order, which has the same fill.
ESPALIER_API int espalier_separator_tree(const espalier_analysis* analysis, int32_t* order,
                                         int32_t* parts, int32_t* parent, int32_t* first,
                                         int32_t* end);

/// Writes the result of espalier_separator_tree() to a text file, compressed if the name ends in
/// ".gz". The option "ordering=FILE" then gives the same matrix the same L. Returns ESPALIER_INPUT
/// if the file cannot be created, or ESPALIER_RUNTIME if it cannot be written.
ESPALIER_API int espalier_save_ordering(const espalier_analysis* analysis, const char* file);

/// Frees an analysis and sets the pointer to null. Factors made from it remain valid. A null
/// pointer is allowed.
ESPALIER_API void espalier_analysis_free(espalier_analysis** analysis);

/// Plans the factorization and allocates L. The first factor of a process starts StarPU with the
/// options of this call. Returns ESPALIER_USAGE if a later call gives other options while StarPU
/// runs, or for other wrong options or arguments. Other codes are ESPALIER_MEMORY,
/// ESPALIER_SCHEDULER and ESPALIER_RUNTIME.
ESPALIER_API int espalier_factor_create(const espalier_analysis* analysis,
                                        const char* const* options, espalier_factor** factor);

/// Makes a factor as espalier_factor_create() does, in the StarPU that the application has started
/// by starpu_init(). The tasks of the factor run together with the tasks of the application.
/// Espalier does not pause, restart or shut down this StarPU, which must run until the factor is
/// freed. The options workers, sched, sched-option and cuda-devices have no effect on it. Also
/// returns ESPALIER_USAGE if no StarPU runs.
ESPALIER_API int espalier_factor_create_inside_application(const espalier_analysis* analysis,
                                                           const char* const* options,
                                                           espalier_factor** factor);

/// Sets the signs of the pivots for factorization=ldlt. They are copied. For a quasi-definite
/// matrix, they are the signs of its diagonal blocks: 1 in the positive definite block, -1 in the
/// negative definite one. There is no factor until the next espalier_factorize(). Returns
/// ESPALIER_USAGE if the factor has another kind of factorization, or if a sign is neither 1 nor
/// -1.
///
/// \param factor Factor that was created with the option factorization=ldlt.
/// \param signs One sign per row of A, in the order of the rows.
/// \return A code of espalier_code.
ESPALIER_API int espalier_set_signs(espalier_factor* factor, const signed char* signs);

/// Computes L for these values, which are copied. They have the order of the analyzed arrays. Later
/// calls reuse the memory. Sets bad_column to -1 unless it is null. If the matrix is not positive
/// definite, sets it to a column that shows this, counted from the base, and returns
/// ESPALIER_NOT_POSITIVE_DEFINITE. With factorization=ldlt, the column has a pivot that is zero or
/// has the wrong sign, and the code is the same. If the factorization chooses its pivots, it also
/// succeeds for a singular matrix; espalier_inertia() then is not certain, and
/// espalier_singular_column() names a column. Returns ESPALIER_INPUT if a value is not finite, or
/// with 'F' if an entry differs from its mirror. Other codes are ESPALIER_MEMORY and
/// ESPALIER_RUNTIME.
ESPALIER_API int espalier_factorize(espalier_factor* factor, const double* values,
                                    int64_t* bad_column);

/// Solves one of the systems of espalier_system for nrhs vectors. Returns ESPALIER_INACCURATE if
/// the backward error is above 1e-10; x and backward_error are set then, too. Returns
/// ESPALIER_INPUT if b has a value that is not finite, except for ESPALIER_P and ESPALIER_PT.
/// Returns ESPALIER_USAGE before a successful factorization, or if an argument is wrong. Another
/// code is ESPALIER_MEMORY.
///
/// \param factor Factor with L.
/// \param system A value of espalier_system.
/// \param nrhs Number of vectors, at least 1.
/// \param b Right-hand sides.
/// \param ldb Distance between the first entries of consecutive right-hand sides, at least n.
/// \param x Solutions. It may be b if ldb and ldx are equal.
/// \param ldx Distance between the first entries of consecutive solutions, at least n.
/// \param backward_error Set, unless it is null, to max|b-Ax| / (|A| max|x| + max|b|), the largest
///   of all vectors, for ESPALIER_A, and to 0 for the other systems.
/// \return A code of espalier_code.
ESPALIER_API int espalier_solve(espalier_factor* factor, int system, int64_t nrhs, const double* b,
                                int64_t ldb, double* x, int64_t ldx, double* backward_error);

/// Sets the inertia of A. It is not certain if the regularization changed A, or if rounding errors
/// of the factorization could make A singular. Takes seven solves. Returns ESPALIER_USAGE before a
/// successful factorization.
///
/// \param factor Factor with L.
/// \param positive Set to the number of positive eigenvalues, unless it is null.
/// \param negative Set to the number of negative eigenvalues, unless it is null.
/// \param zero Set to the number of eigenvalues that are zero except for rounding errors, unless it
///   is null. If it is not 0, the numbers are not certain.
/// \param certain Set to 1 if the numbers are those of A. Set to 0 if they may differ.
/// \return A code of espalier_code.
ESPALIER_API int espalier_inertia(espalier_factor* factor, int64_t* positive, int64_t* negative,
                                  int64_t* zero, int* certain);

/// Sets the growth of the factorization: the largest sum of squares of a row of L over the largest
/// magnitude of an entry of A. It is 1 for A = L L'. Returns ESPALIER_USAGE before a successful
/// factorization.
ESPALIER_API int espalier_growth(espalier_factor* factor, double* growth);

/// Sets the number of replaced pivots, and their columns. The regularization replaces pivots. A
/// factorization that chooses its pivots replaces pivots that are too small. Call it with a null
/// array first, to get the size of the array. Returns ESPALIER_USAGE before a successful
/// factorization.
///
/// \param factor Factor with L.
/// \param count Set to the number of replaced pivots.
/// \param column Set to the columns of A with these pivots, ascending and counted from the base,
///   unless it is null.
/// \return A code of espalier_code.
ESPALIER_API int espalier_replaced_pivots(espalier_factor* factor, int64_t* count, int32_t* column);

/// Sets the column that shows that A is singular to rounding. A factorization that chooses its
/// pivots also succeeds for a singular A. Then pivots were zero except for rounding errors, or
/// pivots were replaced and no x was found for which A x is close to a random vector. Takes up to
/// 41 solves, but none if no pivot was replaced. Returns ESPALIER_USAGE before a successful
/// factorization.
///
/// \param factor Factor with L.
/// \param column Set to the column, counted from the base, or to -1 if A is regular, or if the
///   factorization did not choose its pivots. espalier_replaced_pivots() also returns this column.
/// \return A code of espalier_code.
ESPALIER_API int espalier_singular_column(espalier_factor* factor, int64_t* column);

/// Sets the natural logarithm of |det A|, -infinity if A is singular except for rounding errors.
/// Returns ESPALIER_USAGE before a successful factorization.
ESPALIER_API int espalier_logdet(espalier_factor* factor, double* logarithm);

/// Sets the determinant of A as mantissa * 2^exponent. The magnitude of the mantissa is at least
/// 1/2 and less than 1, or it is 0. Replaced pivots count with their new values. Returns
/// ESPALIER_USAGE before a successful factorization.
ESPALIER_API int espalier_determinant(espalier_factor* factor, double* mantissa, int64_t* exponent);

/// Sets the n diagonal entries of L, in the order of L. Returns ESPALIER_USAGE before a successful
/// factorization.
ESPALIER_API int espalier_diagonal(espalier_factor* factor, double* diagonal);

/// Sets the number of entries of L, and L in compressed columns. Unless zeros are kept, call it
/// with null arrays first, to get the size of the arrays. Returns ESPALIER_USAGE before a
/// successful factorization.
///
/// \param factor Factor with L.
/// \param keep_zeros 1 for all stored entries; espalier_analysis_size() returns their number. 0 for
///   the entries that are not zero.
/// \param entries Set to the number of entries.
/// \param colptr Set to the n + 1 offsets of the columns, counted from the base, unless it is null.
/// \param row Set to the row of each entry, counted from the base, unless it is null. The rows of a
///   column ascend.
/// \param values Set to the value of each entry, unless it is null.
/// \return A code of espalier_code.
ESPALIER_API int espalier_lower(espalier_factor* factor, int keep_zeros, int64_t* entries,
                                int64_t* colptr, int32_t* row, double* values);

/// Frees a factor and sets the pointer to null. A null pointer is allowed.
ESPALIER_API void espalier_factor_free(espalier_factor** factor);

/// Returns a sentence that explains the last failure of a call by this thread. It is empty before
/// the first failure, and lives until the next one.
ESPALIER_API const char* espalier_last_error(void);

/// Stores a sentence for espalier_last_error(), cut to 2047 bytes, and returns the code. Interfaces
/// for other languages use it for checks that C cannot make, such as for lengths of arrays.
ESPALIER_API int espalier_note_failure(int code, const char* sentence);

/// Returns the version of the library as "major.minor.patch".
ESPALIER_API const char* espalier_version(void);

#ifdef __cplusplus
}
#endif

#endif
