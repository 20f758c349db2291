! SPDX-License-Identifier: BSD-3-Clause
!> The interface of Espalier for Fortran 2018, over that for C (espalier.h), which explains codes,
!> options and threads. It solves A x = b for a sparse, symmetric positive definite A: an analysis
!> finds the structure of the factor L for a pattern, a factor has the memory and the tasks for L,
!> and solves with it.
!>
!> Every subroutine sets `code` to ESPALIER_OK or to what went wrong, which espalier_last_error()
!> then says in a sentence. Scalars and vectors that it would have set are left as they were where
!> it fails, unless it says otherwise; allocatable arrays are not allocated then.
!>
!> Options are an array of strings "name=value" without the blanks after them, as in
!> [character(16) :: 'ordering=amd', 'workers=2'].
module espalier
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_int, c_int32_t, &
    c_int64_t, c_null_char, c_null_ptr, c_ptr, c_signed_char
  use espalier_c
  implicit none
  private

  public :: espalier_analysis, espalier_analyze, espalier_analysis_size, espalier_permutation, &
    espalier_analysis_free, espalier_factor, espalier_factor_create, espalier_factorize, &
    espalier_solve, espalier_logdet, espalier_determinant, espalier_diagonal, espalier_lower, &
    espalier_factor_free, espalier_last_error, espalier_version

  !> What a subroutine sets `code` to.
  integer(c_int), parameter, public :: &
    ESPALIER_OK = 0, ESPALIER_INACCURATE = 1, ESPALIER_USAGE = 2, ESPALIER_INPUT = 3, &
    ESPALIER_NOT_POSITIVE_DEFINITE = 4, ESPALIER_MEMORY = 5, ESPALIER_SCHEDULER = 6, &
    ESPALIER_RUNTIME = 7

  !> What espalier_solve() solves, where P A P' = L L': A x = b, L x = b, L' x = b, x = P b, or
  !> x = P' b.
  integer(c_int), parameter, public :: &
    ESPALIER_A = 0, ESPALIER_L = 4, ESPALIER_LT = 5, ESPALIER_P = 7, ESPALIER_PT = 8

  !> The structure of L for a pattern. It is freed when it goes out of scope; the variables of a
  !> main program never do, and are freed by espalier_analysis_free(). It cannot be copied: an
  !> assignment leaves the left side empty.
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

  !> L in memory, with the tasks that compute it. What is said of an analysis holds for it, too.
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

  !> Analyzes the pattern of a symmetric matrix by compressed columns, (colptr, row, uplo, analysis,
  !> code [, base, options]), with offsets of 32 or of 64 bits.
  interface espalier_analyze
    module procedure analyze_i64, analyze_i32
  end interface

  !> Solves one of the systems for one vector or for the columns of an array, (factor, b, x, code
  !> [, system, backward_error]), or in their place, (factor, x, code [, system, backward_error]).
  !> An array may have more rows than A: those below are neither read nor changed. system is
  !> ESPALIER_A unless it is given. backward_error is set to max|b-Ax| / (|A| max|x| + max|b|), the
  !> worst of all, for ESPALIER_A, and to 0 for the others. x is set with ESPALIER_INACCURATE, too.
  interface espalier_solve
    module procedure solve_vector, solve_vectors, solve_vector_in_place, solve_vectors_in_place
  end interface

contains

  !> The rows of column j are row(colptr(j) - base + 1) to row(colptr(j+1) - base), in any order,
  !> where colptr has n + 1 offsets. Rows and offsets count from base, 1 unless it is given.
  !> uplo is 'L' where these are the entries of the lower triangle, 'U' of the upper one, 'F' of the
  !> whole. The arrays are copied. An analysis that was there before is freed on success.
  subroutine analyze_i64(colptr, row, uplo, analysis, code, base, options)
    integer(c_int64_t), contiguous, intent(in) :: colptr(:)
    integer(c_int32_t), contiguous, intent(in) :: row(:)
    character(kind=c_char), intent(in) :: uplo
    type(espalier_analysis), intent(inout) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: base
    character(*), optional, intent(in) :: options(:)
    type(option_list), target :: given
    type(c_ptr) :: made
    integer(c_int64_t) :: entries
    integer(c_int) :: counted_from

    entries = 0
    if (size(colptr) > 0) entries = colptr(size(colptr)) - colptr(1)
    code = expect_length('row', size(row, kind=c_int64_t), entries)
    if (code /= ESPALIER_OK) return
    call list_options(given, options)
    counted_from = 1
    if (present(base)) counted_from = base
    made = c_null_ptr
    code = c_analyze(size(colptr) - 1_c_int64_t, colptr, row, counted_from, &
                     int(iachar(uplo), c_signed_char), given%address, made)
    if (code /= ESPALIER_OK) return
    call espalier_analysis_free(analysis)
    analysis%handle = made
    analysis%n = size(colptr) - 1_c_int64_t
    analysis%entries = entries
  end subroutine

  !> Does the same for offsets of 32 bits.
  subroutine analyze_i32(colptr, row, uplo, analysis, code, base, options)
    integer(c_int32_t), intent(in) :: colptr(:)
    integer(c_int32_t), contiguous, intent(in) :: row(:)
    character(kind=c_char), intent(in) :: uplo
    type(espalier_analysis), intent(inout) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int), optional, intent(in) :: base
    character(*), optional, intent(in) :: options(:)

    call analyze_i64(int(colptr, c_int64_t), row, uplo, analysis, code, base, options)
  end subroutine

  !> Sets what is known of L: its number of entries, explicit zeros included, and the floating-point
  !> operations of a factorization.
  subroutine espalier_analysis_size(analysis, code, factor_entries, flops)
    type(espalier_analysis), intent(in) :: analysis
    integer(c_int), intent(out) :: code
    integer(c_int64_t), optional, intent(inout) :: factor_entries
    real(c_double), optional, intent(inout) :: flops

    code = c_analysis_size(analysis%handle, factor_entries, flops)
  end subroutine

  !> Sets permutation(k), for all positions k of L, to the column of A there, counted from the base
  !> of the arrays.
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

  !> Frees an analysis, whose factors need it no longer. An empty one is let pass.
  impure elemental subroutine espalier_analysis_free(analysis)
    type(espalier_analysis), intent(inout) :: analysis

    call c_analysis_free(analysis%handle)
    analysis%n = 0
    analysis%entries = 0
  end subroutine

  !> Plans the factorization and allocates L. The first factor of a process starts StarPU, with the
  !> options of this call; other options later, while it runs, are ESPALIER_USAGE. A factor that was
  !> there before is freed on success; who cannot hold two in memory frees it first.
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

  !> Computes L for these values, in the order of the arrays that were analyzed, for the first or
  !> another time; the values are copied. Sets bad_column to -1, or with
  !> ESPALIER_NOT_POSITIVE_DEFINITE to a column that shows it, counted from the base.
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

  !> Sets the natural logarithm of the determinant of A. As the next three do, it says
  !> ESPALIER_USAGE before a successful factorization.
  subroutine espalier_logdet(factor, logarithm, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(inout) :: logarithm
    integer(c_int), intent(out) :: code

    code = c_logdet(factor%handle, logarithm)
  end subroutine

  !> Sets the determinant of A as mantissa * 2**exponent, with a mantissa from 1/2 to 1.
  subroutine espalier_determinant(factor, mantissa, exponent, code)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(inout) :: mantissa
    integer(c_int64_t), intent(inout) :: exponent
    integer(c_int), intent(out) :: code

    code = c_determinant(factor%handle, mantissa, exponent)
  end subroutine

  !> Sets the entries on the diagonal of L, in the order of L.
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

  !> Sets L by compressed columns: n + 1 offsets, and a row and a value for each entry, rows
  !> ascending; offsets and rows count from the base. keep_zeros says whether entries that are zero
  !> are among them; they are not unless it is given.
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

  !> Frees a factor. An empty one is let pass.
  impure elemental subroutine espalier_factor_free(factor)
    type(espalier_factor), intent(inout) :: factor

    call c_factor_free(factor%handle)
    factor%n = 0
    factor%entries = 0
  end subroutine

  !> Returns the sentence about the last failure of a call by this thread, empty before the first.
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

  !> Refuses an array that ends before what is read from it.
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

  !> Keeps a sentence for espalier_last_error(), and returns the code.
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
