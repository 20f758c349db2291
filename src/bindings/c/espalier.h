// SPDX-License-Identifier: BSD-3-Clause
#ifndef ESPALIER_H
#define ESPALIER_H

#include <stdint.h>

/// \file
/// The interface of Espalier for C, and for all languages that call C. It solves A x = b for a
/// sparse, symmetric positive definite A: an analysis finds the structure of the factor L for a
/// pattern, a factor has the memory and the tasks for L, and solves with it.
///
/// Functions return 0, or what went wrong as one of the codes below, which are the exit codes of
/// the program; espalier_last_error() then says it in a sentence. No exception and no signal leaves
/// them, and nothing is printed. What they would have returned is left as it was where they fail,
/// unless they say otherwise.
///
/// Different factors may be used from different threads at once, one factor from one thread at a
/// time, and an analysis from any number. All factors of a process share one private StarPU, which
/// is shut down when the last of them is freed, or are all inside the one that the application
/// runs.
///
/// Options are strings "name=value" with the names of the program's long options, in a list that
/// ends with a null pointer; a null list has none. Every list may hold options of all phases, of
/// which each call uses its own:
///
/// - the analysis: ordering, factorizations, workers, panel-width, narrow-panel-width,
///   amalgamation-widths, amalgamation-zeros (four numbers with commas), deterministic (0 or 1);
/// - the factor: workers, cuda-devices, sched, sched-option (KEY=VALUE, may be given several
///   times), device-memory, halo, on-device-full, granularity, subtrees-per-worker, tile-rows,
///   kernels, trsm-panel, potrf-panel, deterministic, memory-limit (bytes, "500M" or "2.5G");
/// - the solve: refine (the most steps of iterative refinement), given with the factor.
///
/// `espalier solve --help` says what each of them does, its default and its range.

#if defined(__GNUC__)
#define ESPALIER_API __attribute__((visibility("default")))
#else
#define ESPALIER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names of C
/// What a function returns.
enum espalier_code {
  ESPALIER_OK = 0,                     ///< It succeeded.
  ESPALIER_INACCURATE = 1,             ///< The backward error of a solution is above 1e-10.
  ESPALIER_USAGE = 2,                  ///< An argument, an option or a call is not allowed.
  ESPALIER_INPUT = 3,                  ///< The arrays or a file do not hold what they should.
  ESPALIER_NOT_POSITIVE_DEFINITE = 4,  ///< The matrix is not positive definite.
  ESPALIER_MEMORY = 5,                 ///< More memory is needed than is allowed or available.
  ESPALIER_SCHEDULER = 6,              ///< StarPU does not know the scheduling policy.
  ESPALIER_RUNTIME = 7                 ///< The runtime system or a device failed.
};

/// What espalier_solve() solves, where P A P' = L L'. The numbers are those of CHOLMOD.
enum espalier_system {
  ESPALIER_A = 0,   ///< A x = b, with refinement
  ESPALIER_L = 4,   ///< L x = b, in the numbering of L
  ESPALIER_LT = 5,  ///< L' x = b, in the numbering of L
  ESPALIER_P = 7,   ///< x = P b, from the numbering of A to that of L
  ESPALIER_PT = 8   ///< x = P' b, from the numbering of L to that of A
};
// NOLINTEND(readability-identifier-naming)

/// The structure of L for a pattern.
typedef struct espalier_analysis espalier_analysis;

/// L in memory, with the tasks that compute it.
typedef struct espalier_factor espalier_factor;

/// Analyzes the pattern of a symmetric n-by-n matrix: the rows of column j are row[colptr[j] -
/// base] to row[colptr[j+1] - base - 1], in any order; rows and colptr count from base, 0 or 1.
/// uplo says which entries these are: 'L' the lower triangle, 'U' the upper one, 'F' all of them.
/// With 'F' each entry needs its mirror at the other side of the diagonal, and espalier_factorize()
/// compares both: they may differ by 1e-10 of the larger one. Compressed rows are compressed
/// columns of the other triangle. The arrays are copied. Codes: ESPALIER_INPUT for arrays that hold
/// no such pattern, ESPALIER_USAGE, ESPALIER_MEMORY.
ESPALIER_API int espalier_analyze(int64_t n, const int64_t* colptr, const int32_t* row, int base,
                                  char uplo, const char* const* options,
                                  espalier_analysis** analysis);

/// Does the same for offsets of 32 bits.
ESPALIER_API int espalier_analyze_i32(int64_t n, const int32_t* colptr, const int32_t* row,
                                      int base, char uplo, const char* const* options,
                                      espalier_analysis** analysis);

/// Sets what is known of L: its number of entries, explicit zeros included, and the floating-point
/// operations of a factorization. Either may be null.
ESPALIER_API int espalier_analysis_size(const espalier_analysis* analysis, int64_t* factor_entries,
                                        double* flops);

/// Sets permutation[k], for all n positions k of L, to the column of A there, counted from the base
/// of the arrays.
ESPALIER_API int espalier_permutation(const espalier_analysis* analysis, int32_t* permutation);

/// Frees an analysis, whose factors need it no longer, and sets the pointer to null. A null one is
/// let pass.
ESPALIER_API void espalier_analysis_free(espalier_analysis** analysis);

/// Plans the factorization and allocates L. The first factor of a process starts StarPU, with the
/// options of this call; other options later, while it runs, are ESPALIER_USAGE. Codes:
/// ESPALIER_USAGE, ESPALIER_MEMORY, ESPALIER_SCHEDULER, ESPALIER_RUNTIME.
ESPALIER_API int espalier_factor_create(const espalier_analysis* analysis,
                                        const char* const* options, espalier_factor** factor);

/// Does the same in the StarPU that the application has started by starpu_init(), beside its tasks.
/// That is neither paused, restarted nor shut down, and has to run until the factor is freed;
/// sched, sched-option and cuda-devices are its own, and as many workers as it has serve. Codes
/// besides: ESPALIER_USAGE where no StarPU runs.
ESPALIER_API int espalier_factor_create_inside_application(const espalier_analysis* analysis,
                                                           const char* const* options,
                                                           espalier_factor** factor);

/// Computes L for these values, in the order of the arrays that were analyzed, for the first or
/// another time; the values are copied. Sets bad_column, unless it is null, to -1, or with
/// ESPALIER_NOT_POSITIVE_DEFINITE to a column that shows it, counted from the base. Codes besides:
/// ESPALIER_INPUT for a value that is not finite, or with 'F' for an entry that differs from its
/// mirror; ESPALIER_MEMORY and ESPALIER_RUNTIME.
ESPALIER_API int espalier_factorize(espalier_factor* factor, const double* values,
                                    int64_t* bad_column);

/// Solves one of the systems above for nrhs vectors, which begin each ldb entries in b and each ldx
/// entries in x, at least n; b and x may be the same where these are. Sets backward_error, unless
/// it is null, to max|b-Ax| / (|A| max|x| + max|b|), the worst of all, for ESPALIER_A, and to 0 for
/// the others. x is set with ESPALIER_INACCURATE, too. Codes besides: ESPALIER_INPUT for a value in
/// b that is not finite, but for ESPALIER_P and ESPALIER_PT; ESPALIER_USAGE, before a successful
/// factorization for one, and ESPALIER_MEMORY.
ESPALIER_API int espalier_solve(espalier_factor* factor, int system, int64_t nrhs, const double* b,
                                int64_t ldb, double* x, int64_t ldx, double* backward_error);

/// Sets the natural logarithm of the determinant of A. As the next three do, it returns
/// ESPALIER_USAGE before a successful factorization.
ESPALIER_API int espalier_logdet(espalier_factor* factor, double* logarithm);

/// Sets the determinant of A as mantissa * 2^exponent, with a mantissa from 1/2 to 1.
ESPALIER_API int espalier_determinant(espalier_factor* factor, double* mantissa, int64_t* exponent);

/// Sets the n entries on the diagonal of L, in the order of L.
ESPALIER_API int espalier_diagonal(espalier_factor* factor, double* diagonal);

/// Sets `entries` to the number of entries of L, and, where the arrays are not null, L by
/// compressed columns: n + 1 offsets, and a row and a value for each entry, rows ascending; offsets
/// and rows count from the base. keep_zeros is 1 for all entries that are stored, as many as
/// espalier_analysis_size() says, and 0 for those that are not zero. Call it without arrays first
/// to learn how large they have to be, unless zeros are kept.
ESPALIER_API int espalier_lower(espalier_factor* factor, int keep_zeros, int64_t* entries,
                                int64_t* colptr, int32_t* row, double* values);

/// Frees a factor, and sets the pointer to null. A null one is let pass.
ESPALIER_API void espalier_factor_free(espalier_factor** factor);

/// Returns the sentence about the last failure of a call by this thread, empty before the first. It
/// lives until the next failure.
ESPALIER_API const char* espalier_last_error(void);

/// Keeps a sentence for espalier_last_error(), at most 2047 bytes of it, and returns the code: for
/// interfaces of other languages, which check what C does not see, as the lengths of arrays.
ESPALIER_API int espalier_note_failure(int code, const char* sentence);

/// Returns the version of the library as "major.minor.patch".
ESPALIER_API const char* espalier_version(void);

#ifdef __cplusplus
}
#endif

#endif
