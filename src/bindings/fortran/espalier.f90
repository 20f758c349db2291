! SPDX-License-Identifier: BSD-3-Clause
!> The interface of Espalier for Fortran 2018. It uses the interface for C (espalier.h), which
!> explains codes, options and threads. It solves A x = b for a sparse, symmetric matrix A that is
!> positive definite or indefinite. An analysis
!> finds the structure of the factor L from the pattern of A. A factor holds the memory and the
!> tasks for L, and solves with L.
!>
!> For an indefinite matrix, give the option factorization=ldlt. Then A = L J L' is factored instead
!> of A = L L', with signs on the diagonal of J. For a quasi-definite matrix, espalier_set_signs()
!> gives the signs. Otherwise the factorization chooses its pivots and finds the signs. The option
!> factorization=auto tries A = L L' first. The header espalier.h also explains how to count
!> eigenvalues.
!>
!> Every subroutine sets `code` to ESPALIER_OK or to the code of a failure. After a failure,
!> espalier_last_error() returns a sentence that explains it. Output scalars and vectors then keep
!> their values unless the subroutine says otherwise, and allocatable arrays are not allocated.
!>
!> Options are an array of strings "name=value", such as
!> [character(16) :: 'ordering=amd', 'workers=2']. Trailing blanks are ignored.
module espalier
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_int, c_int32_t, &
    c_int64_t, c_null_char, c_null_ptr, c_ptr, c_signed_char
  use espalier_c
  implicit none
  private

  public :: espalier_analysis, espalier_analyze, espalier_analysis_size, espalier_permutation, &
    espalier_analysis_free, espalier_factor, espalier_factor_create, espalier_set_signs, &
    espalier_factorize, espalier_solve, espalier_inertia, espalier_growth, &
    espalier_replaced_pivots, espalier_singular_column, espalier_logdet, espalier_determinant, espalier_diagonal, &
    espalier_lower, espalier_factor_free, espalier_last_error, espalier_version

  !> Values of `code`.
  integer(c_int), parameter, public :: &
    ESPALIER_OK = 0, ESPALIER_INACCURATE = 1, ESPALIER_USAGE = 2, ESPALIER_INPUT = 3, &
    ESPALIER_NOT_POSITIVE_DEFINITE = 4, ESPALIER_MEMORY = 5, ESPALIER_SCHEDULER = 6, &
    ESPALIER_RUNTIME = 7

  !> Systems that espalier_solve() solves, with P A P' = L L' or P A P' = L J L': A x = b, L x = b,
  !> L' x = b, x = P b, and x = P' b.
  integer(c_int), parameter, public :: &
    ESPALIER_A = 0, ESPALIER_L = 4, ESPALIER_LT = 5, ESPALIER_P = 7, ESPALIER_PT = 8

  !> The structure of L for one pattern of A. It is freed when it goes out of scope. The variables
  !> of a main program never go out of scope; free them by espalier_analysis_free(). It cannot be
  !> copied: an assignment leaves the left side empty.
  type :: espalier_analysis
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: n = 0
    integer(c_int64_t) :: entries = 0
  contains
    procedure, private :: assign_no_analysis
    generic :: assignment(=) => assign_no_analysis
    final :: espalier_analysis_free
  end type

  !> The factor L in memory, with the tasks that compute it. It is freed when it goes out of scope,
  !> or by espalier_factor_free(). It cannot be copied: an assignment leaves the left side empty.
  type :: espalier_factor
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: n = 0
    integer(c_int64_t) :: entries = 0
  contains
    procedure, private :: assign_no_factor
    generic :: assignment(=) => assign_no_factor
    final :: espalier_factor_free
  end type

  !> Analyzes the pattern of a symmetric matrix in compressed columns. The arguments are (colptr,
  !> row, uplo, analysis, code [, base, options, values]). Offsets have 32 or 64 bits.
  interface espalier_analyze
    module procedure analyze_i64, analyze_i32
  end interface

  !> Solves one of the systems for one vector or for the columns of an array. The arguments are
  !> (factor, b, x, code [, system, backward_error]), or (factor, x, code [, system,
  !> backward_error]) to solve in place. An array may have more rows than A; the rows below are
  !> neither read nor changed. The default of system is ESPALIER_A. For ESPALIER_A, backward_error
  !> is set to max|b-Ax| / (|A| max|x| + max|b|), the largest of all vectors. For the other systems
  !> it is set to 0. If code is ESPALIER_INACCURATE, x is set, too.
  interface espalier_solve
    module procedure solve_vector, solve_vectors, solve_vector_in_place, solve_vectors_in_place
  end interface

contains

  !> Analyzes a pattern with offsets of 64 bits. The arrays are copied. On success, the previous
  !> content of analysis is freed.
  !>
  !> colptr: the n + 1 offsets of the columns in row, counted from base.
  !> row: rows, counted from base. The rows of column j are row(colptr(j) - base + 1) to
  !>   row(colptr(j+1) - base), in any order.
  !> uplo: entries in the arrays: 'L' for the lower triangle, 'U' for the upper one, 'F' for all.
  !> base: first number of rows, columns and offsets, 1 by default.
  !> values: value of each entry, to pair columns for factorizations that choose their pivots. They
  !>   are not kept. The option matching then is 1 unless it is given.
  subroutine analyze_i64(colptr, row, uplo, analysis, code, base, options, values)
    integer(c_int64_t), contiguous, intent(in) :: colptr(:)
    integer(c_int32_t), contiguous, intent(in) :: row(:)
    character(kind=c_char), intent(in) :: uplo
    type(espalier_analysis), intent(inout) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: base
    character(*), optional, intent(in) :: options(:)
    real(c_double), contiguous, optional, intent(in) :: values(:)
    type(option_list), target :: given
    type(c_ptr) :: made
    integer(c_int64_t) :: entries
    integer(c_int) :: counted_from
    integer(c_signed_char) :: letter

    entries = 0
    if (size(colptr) > 0) entries = colptr(size(colptr)) - colptr(1)
    code = expect_length('row', size(row, kind=c_int64_t), entries)
    if (present(values) .and. code == ESPALIER_OK) &
      code = expect_length('values', size(values, kind=c_int64_t), entries)
    if (code /= ESPALIER_OK) return
    call list_options(given, options)
    counted_from = 1
    if (present(base)) counted_from = base
    made = c_null_ptr
    letter = int(iachar(uplo), c_signed_char)
    if (present(values)) then
      code = c_analyze_values(size(colptr) - 1_c_int64_t, colptr, row, values, counted_from, &
                              letter, given%address, made)
    else
      code = c_analyze(size(colptr) - 1_c_int64_t, colptr, row, counted_from, letter, &
                       given%address, made)
    end if
    if (code /= ESPALIER_OK) return
    call espalier_analysis_free(analysis)
    analysis%handle = made
    analysis%n = size(colptr) - 1_c_int64_t
    analysis%entries = entries
  end subroutine

  !> Analyzes a pattern with offsets of 32 bits, with the arguments of analyze_i64().
  subroutine analyze_i32(colptr, row, uplo, analysis, code, base, options, values)
    integer(c_int32_t), intent(in) :: colptr(:)
    integer(c_int32_t), contiguous, intent(in) :: row(:)
    character(kind=c_char), intent(in) :: uplo
    type(espalier_analysis), intent(inout) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: base
    character(*), optional, intent(in) :: options(:)
    real(c_double), contiguous, optional, intent(in) :: values(:)

    call analyze_i64(int(colptr, c_int64_t), row, uplo, analysis, code, base, options, values)
  end subroutine

  !> Sets the number of entries of L, explicit zeros included, and the number of floating-point
  !> operations of a factorization.
  subroutine espalier_analysis_size(analysis, code, factor_entries, flops)
    type(espalier_analysis), intent(in) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int64_t), optional, intent(inout) :: factor_entries
    real(c_double), optional, intent(inout) :: flops

    code = c_analysis_size(analysis%handle, factor_entries, flops)
  end subroutine

  !> Sets permutation(k) to the column of A at position k of L, for all positions. Columns count
  !> from the base of the analyzed arrays.
  subroutine espalier_permutation(analysis, permutation, code)
    type(espalier_analysis), intent(in) :: analysis
    integer(c_int32_t), allocatable, intent(out) :: permutation(:)
    integer(c_int), intent(out) :: code
    integer :: status

    allocate(permutation(analysis%n), stat=status)
    code = expect_allocated(status)
    if (code == ESPALIER_OK) code = c_permutation(analysis%handle, permutation)
    if (code /= ESPALIER_OK .and. allocated(permutation)) deallocate(permutation)
  end subroutine

  !> Frees an analysis. Factors made from it remain valid. An empty analysis is allowed.
  impure elemental subroutine espalier_analysis_free(analysis)
    type(espalier_analysis), intent(inout) :: analysis

    call c_analysis_free(analysis%handle)
    analysis%n = 0
    analysis%entries = 0
  end subroutine

  !> Plans the factorization and allocates L. The first factor of a process starts StarPU with the
  !> options of this call. If a later call gives other options while StarPU runs, the code is
  !> ESPALIER_USAGE. On success, the previous content of factor is freed. If memory does not suffice
  !> for two factors, call espalier_factor_free() first.
  subroutine espalier_factor_create(analysis, factor, code, options)
    type(espalier_analysis), intent(in) :: analysis
    type(espalier_factor), intent(inout) :: factor
    integer(c_int), intent(out) :: code
    character(*), optional, intent(in) :: options(:)
    type(option_list), target :: given
    type(c_ptr) :: made

    call list_options(given, options)
    made = c_null_ptr
    code = c_factor_create(analysis%handle, given%address, made)
    if (code /= ESPALIER_OK) return
    call espalier_factor_free(factor)
    factor%handle = made
    factor%n = analysis%n
    factor%entries = analysis%entries
  end subroutine

  !> Sets the signs of the pivots for factorization=ldlt: 1 or -1 for each row of A, in the order of
  !> the rows. They are copied. For a quasi-definite matrix, they are the signs of its diagonal
  !> blocks: 1 in the positive definite block, -1 in the negative definite one. There is no factor
  !> until the next espalier_factorize(). The code is ESPALIER_USAGE if the factor has another kind
  !> of factorization, or if a sign is neither 1 nor -1.
  subroutine espalier_set_signs(factor, signs, code)
    type(espalier_factor), intent(in) :: factor
    integer(c_signed_char), contiguous, intent(in) :: signs(:)
    integer(c_int), intent(out) :: code

    code = expect_length('signs', size(signs, kind=c_int64_t), factor%n)
    if (code == ESPALIER_OK) code = c_set_signs(factor%handle, signs)
  end subroutine

  !> Computes L for these values, which are copied. They have the order of the analyzed arrays.
  !> Later calls reuse the memory. Sets bad_column to -1. If the matrix is not positive definite,
  !> sets it to a column that shows this, counted from the base, and the code is
  !> ESPALIER_NOT_POSITIVE_DEFINITE. With factorization=ldlt, the column has a pivot that is zero or
  !> has the wrong sign, and the code is the same. If the factorization chooses its pivots, it also
  !> succeeds for a singular matrix; the inertia then is not certain, and
  !> espalier_singular_column() names a column.
  subroutine espalier_factorize(factor, values, code, bad_column)
    type(espalier_factor), intent(in) :: factor
    real(c_double), contiguous, intent(in) :: values(:)
    integer(c_int), intent(out) :: code
    integer(c_int64_t), optional, intent(inout) :: bad_column

    code = expect_length('values', size(values, kind=c_int64_t), factor%entries)
    if (code == ESPALIER_OK) code = c_factorize(factor%handle, values, bad_column)
  end subroutine

  subroutine solve_vector(factor, b, x, code, system, backward_error)
    type(espalier_factor), intent(in) :: factor
    real(c_double), contiguous, target, intent(in) :: b(:)
    real(c_double), contiguous, target, intent(inout) :: x(:)
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: system
    real(c_double), optional, intent(inout) :: backward_error

    code = solve(factor, columns_of(b, size(b), 1), columns_of(x, size(x), 1), system, &
                 backward_error)
  end subroutine

  subroutine solve_vectors(factor, b, x, code, system, backward_error)
    type(espalier_factor), intent(in) :: factor
    real(c_double), contiguous, target, intent(in) :: b(:, :)
    real(c_double), contiguous, target, intent(inout) :: x(:, :)
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: system
    real(c_double), optional, intent(inout) :: backward_error

    code = solve(factor, columns_of(b, size(b, 1), size(b, 2)), &
                 columns_of(x, size(x, 1), size(x, 2)), system, backward_error)
  end subroutine

  subroutine solve_vector_in_place(factor, x, code, system, backward_error)
    type(espalier_factor), intent(in) :: factor
    real(c_double), contiguous, target, intent(inout) :: x(:)
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: system
    real(c_double), optional, intent(inout) :: backward_error
    type(columns) :: both

    both = columns_of(x, size(x), 1)
    code = solve(factor, both, both, system, backward_error)
  end subroutine

  subroutine solve_vectors_in_place(factor, x, code, system, backward_error)
    type(espalier_factor), intent(in) :: factor
    real(c_double), contiguous, target, intent(inout) :: x(:, :)
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: system
    real(c_double), optional, intent(inout) :: backward_error
    type(columns) :: both

    both = columns_of(x, size(x, 1), size(x, 2))
    code = solve(factor, both, both, system, backward_error)
  end subroutine

  !> Sets the numbers of positive, negative and zero eigenvalues of A. They are certain unless the
  !> regularization changed A, or rounding errors of the factorization could make A singular. Zero
  !> means zero except for rounding errors. This takes seven solves. Before a successful
  !> factorization, the code is ESPALIER_USAGE.
  subroutine espalier_inertia(factor, positive, negative, zero, certain, code)
    type(espalier_factor), intent(in) :: factor
    integer(c_int64_t), intent(inout) :: positive, negative, zero
    logical, intent(inout) :: certain
    integer(c_int), intent(out) :: code
    integer(c_int) :: is_certain

    is_certain = 0
    code = c_inertia(factor%handle, positive, negative, zero, is_certain)
    if (code == ESPALIER_OK) certain = is_certain == 1
  end subroutine

  !> Sets the growth of the factorization: the largest sum of squares of a row of L over the largest
  !> magnitude of an entry of A. It is 1 for A = L L'. Before a successful factorization, the code
  !> is ESPALIER_USAGE.
  subroutine espalier_growth(factor, growth, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(inout) :: growth
    integer(c_int), intent(out) :: code

    code = c_growth(factor%handle, growth)
  end subroutine

  !> Sets the columns of A whose pivots were replaced, ascending and counted from the base. The
  !> regularization replaces pivots. A factorization that chooses its pivots replaces pivots that are
  !> too small. Before a successful factorization, the code is ESPALIER_USAGE.
  subroutine espalier_replaced_pivots(factor, column, code)
    type(espalier_factor), intent(in) :: factor
    integer(c_int32_t), allocatable, intent(out) :: column(:)
    integer(c_int), intent(out) :: code
    integer(c_int64_t) :: count
    integer :: status

    count = 0
    code = c_replaced_pivots(factor%handle, count)
    if (code /= ESPALIER_OK) return
    allocate(column(count), stat=status)
    code = expect_allocated(status)
    if (code == ESPALIER_OK) code = c_replaced_pivots(factor%handle, count, column)
    if (code /= ESPALIER_OK .and. allocated(column)) deallocate(column)
  end subroutine

  !> Sets the column that shows that A is singular to rounding, counted from the base. Sets -1 if A is
  !> regular, or if the factorization did not choose its pivots. A factorization that chooses its
  !> pivots also succeeds for a singular A. This takes up to 41 solves, but none if no pivot was
  !> replaced. Before a successful factorization, the code is ESPALIER_USAGE.
  subroutine espalier_singular_column(factor, column, code)
    type(espalier_factor), intent(in) :: factor
    integer(c_int64_t), intent(inout) :: column
    integer(c_int), intent(out) :: code

    code = c_singular_column(factor%handle, column)
  end subroutine

  !> Sets the natural logarithm of the magnitude of the determinant of A, -infinity if A is singular
  !> except for rounding errors. Before a successful
  !> factorization, the code is ESPALIER_USAGE.
  subroutine espalier_logdet(factor, logarithm, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(inout) :: logarithm
    integer(c_int), intent(out) :: code

    code = c_logdet(factor%handle, logarithm)
  end subroutine

  !> Sets the determinant of A as mantissa * 2**exponent. The magnitude of the mantissa is at least
  !> 1/2 and less than 1, or it is 0. Before a successful factorization, the code is ESPALIER_USAGE.
  subroutine espalier_determinant(factor, mantissa, exponent, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(inout) :: mantissa
    integer(c_int64_t), intent(inout) :: exponent
    integer(c_int), intent(out) :: code

    code = c_determinant(factor%handle, mantissa, exponent)
  end subroutine

  !> Sets the diagonal entries of L, in the order of L. Before a successful factorization, the code
  !> is ESPALIER_USAGE.
  subroutine espalier_diagonal(factor, diagonal, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), allocatable, intent(out) :: diagonal(:)
    integer(c_int), intent(out) :: code
    integer :: status

    allocate(diagonal(factor%n), stat=status)
    code = expect_allocated(status)
    if (code == ESPALIER_OK) code = c_diagonal(factor%handle, diagonal)
    if (code /= ESPALIER_OK .and. allocated(diagonal)) deallocate(diagonal)
  end subroutine

  !> Sets L in compressed columns: n + 1 offsets, and a row and a value for each entry. The rows of
  !> a column ascend. Offsets and rows count from the base. Entries that are zero are included only
  !> if keep_zeros is true (default false). Before a successful factorization, the code is
  !> ESPALIER_USAGE.
  subroutine espalier_lower(factor, colptr, row, values, code, keep_zeros)
    type(espalier_factor), intent(in) :: factor
    integer(c_int64_t), allocatable, intent(out) :: colptr(:)
    integer(c_int32_t), allocatable, intent(out) :: row(:)
    real(c_double), allocatable, intent(out) :: values(:)
    integer(c_int), intent(out) :: code
    logical, optional, intent(in) :: keep_zeros
    integer(c_int64_t) :: entries
    integer(c_int) :: kept
    integer :: status

    kept = 0
    if (present(keep_zeros)) kept = merge(1_c_int, 0_c_int, keep_zeros)
    entries = 0
    code = c_lower(factor%handle, kept, entries)
    if (code /= ESPALIER_OK) return
    allocate(colptr(factor%n + 1), row(entries), values(entries), stat=status)
    code = expect_allocated(status)
    if (code == ESPALIER_OK) code = c_lower(factor%handle, kept, entries, colptr, row, values)
    if (code == ESPALIER_OK) return
    if (allocated(colptr)) deallocate(colptr)
    if (allocated(row)) deallocate(row)
    if (allocated(values)) deallocate(values)
  end subroutine

  !> Frees a factor. An empty factor is allowed.
  impure elemental subroutine espalier_factor_free(factor)
    type(espalier_factor), intent(inout) :: factor

    call c_factor_free(factor%handle)
    factor%n = 0
    factor%entries = 0
  end subroutine

  !> Returns a sentence that explains the last failure of a call by this thread. It is empty before
  !> the first failure.
  function espalier_last_error() result(sentence)
    character(:), allocatable :: sentence

    sentence = text_at(c_last_error())
  end function

  !> Returns the version of the library as "major.minor.patch".
  function espalier_version() result(version)
    character(:), allocatable :: version

    version = text_at(c_version())
  end function

  subroutine assign_no_analysis(left, right)
    class(espalier_analysis), intent(inout) :: left
    type(espalier_analysis), intent(in) :: right

    if (.not. c_associated(left%handle, right%handle)) call espalier_analysis_free(left)
  end subroutine

  subroutine assign_no_factor(left, right)
    class(espalier_factor), intent(inout) :: left
    type(espalier_factor), intent(in) :: right

    if (.not. c_associated(left%handle, right%handle)) call espalier_factor_free(left)
  end subroutine

  function solve(factor, b, x, system, backward_error) result(code)
    type(espalier_factor), intent(in) :: factor
    type(columns), intent(in) :: b, x
    integer(c_int), optional, intent(in) :: system
    real(c_double), optional, intent(inout) :: backward_error
    integer(c_int) :: code, chosen

    chosen = ESPALIER_A
    if (present(system)) chosen = system
    if (b%count == x%count) then
      code = c_solve(factor%handle, chosen, b%count, b%address, b%distance, x%address, x%distance, &
                     backward_error)
    else
      code = refuse(ESPALIER_USAGE, 'b has ' // decimal(b%count) // ' columns and x has ' // &
                    decimal(x%count))
    end if
  end function

  !> Returns ESPALIER_USAGE if an array has fewer entries than will be read from it.
  function expect_length(name, length, least) result(code)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: length, least
    integer(c_int) :: code

    code = ESPALIER_OK
    if (length >= least) return
    code = refuse(ESPALIER_USAGE, name // ' has ' // decimal(length) // ' entries, fewer than ' // &
                  decimal(least))
  end function

  function expect_allocated(status) result(code)
    integer, intent(in) :: status
    integer(c_int) :: code

    code = ESPALIER_OK
    if (status /= 0) code = refuse(ESPALIER_MEMORY, 'an allocation failed: there is no memory left')
  end function

  !> Stores a sentence for espalier_last_error(), and returns the code.
  function refuse(code, sentence) result(same_code)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: sentence
    integer(c_int) :: same_code

    same_code = c_note_failure(code, sentence // c_null_char)
  end function

  function decimal(number) result(text)
    integer(c_int64_t), intent(in) :: number
    character(:), allocatable :: text
    character(20) :: written

    write (written, '(i0)') number
    text = trim(written)
  end function

end module
