! SPDX-License-Identifier: BSD-3-Clause
!> Tests that the interface for Fortran refuses wrong calls with the right code and message, and
!> works afterwards. Ends with 0, or prints the failed expectation.
program failures
  use espalier
  use support
  implicit none

  character(9), parameter :: options(2) = [character(9) :: 'workers=1', 'sched=lws']
  type(espalier_analysis) :: analysis
  type(espalier_factor) :: factor
  type(laplacian) :: a
  integer(c_int) :: code

  call expect(espalier_last_error() == '', 'no error at the beginning')
  call expect(index(espalier_version(), '.') > 0, 'a version')
  a = make_laplacian(1, 'F')
  call refuse_options()
  call refuse_arrays()
  call espalier_analyze(a%colptr, a%row, 'F', analysis, code, options=options)
  call expect(code == ESPALIER_OK, 'an analysis after failures')
  call refuse_factors()
  call espalier_factor_create(analysis, factor, code, options)
  call expect(code == ESPALIER_OK, 'a factor after failures')
  call refuse_before_factorization()
  call refuse_values()
  call refuse_before_factorization()
  call refuse_vectors()
  call espalier_factorize(factor, a%values, code)
  call expect(code == ESPALIER_OK, 'a factorization after failures')
  ! Variables of a main program are never finalized.
  call espalier_factor_free(factor)
  call espalier_analysis_free(analysis)

contains

  subroutine refuse_option(option, words)
    character(*), intent(in) :: option, words
    type(espalier_analysis) :: made

    call espalier_analyze(a%colptr, a%row, 'F', made, code, options=[option])
    call expect_failure(code, ESPALIER_USAGE, words)
    call espalier_analysis_size(made, code)
    call expect_failure(code, ESPALIER_USAGE, 'analysis is null')
  end subroutine

  subroutine refuse_options()
    call refuse_option('speed=9', 'unknown option ''speed''')
    call refuse_option('ordering', 'ordering=VALUE')
    call refuse_option('ordering=fastest  ', '''fastest''')
    call refuse_option('workers=two', 'a whole number')
    call refuse_option('', 'unknown option ''''')
  end subroutine

  subroutine refuse_arrays()
    type(espalier_analysis) :: made
    integer(c_int64_t) :: none(0)

    call espalier_analyze(a%colptr, a%row, 'L', made, code)
    call expect_failure(code, ESPALIER_INPUT, 'above the diagonal')
    call espalier_analyze(a%colptr, a%row, 'X', made, code)
    call expect_failure(code, ESPALIER_USAGE, 'uplo')
    call espalier_analyze(a%colptr, a%row, 'F', made, code, base=2)
    call expect_failure(code, ESPALIER_USAGE, 'base')
    call espalier_analyze(none, a%row, 'F', made, code)
    call expect_failure(code, ESPALIER_USAGE, 'n is -1')
    call espalier_analyze(a%colptr, a%row(2:), 'F', made, code)
    call expect_failure(code, ESPALIER_USAGE, 'row has 368 entries, fewer than 369')
    call espalier_analyze(int(a%colptr, c_int32_t), a%row(2:), 'F', made, code)
    call expect_failure(code, ESPALIER_USAGE, 'row has 368 entries, fewer than 369')
    call espalier_analyze([a%colptr(:order), 0_c_int64_t], a%row, 'F', made, code)
    call expect_failure(code, ESPALIER_INPUT, 'offsets')
  end subroutine

  subroutine refuse_factors()
    type(espalier_factor) :: made

    call espalier_factor_create(analysis, made, code, ['sched=best'])
    call expect_failure(code, ESPALIER_SCHEDULER, 'best')
    call espalier_factor_create(analysis, made, code, ['memory-limit=1000'])
    call expect_failure(code, ESPALIER_MEMORY, '1000')
  end subroutine

  !> Without L, no argument is set, and no array is allocated.
  subroutine refuse_before_factorization()
    integer(c_int64_t), allocatable :: colptr(:)
    integer(c_int32_t), allocatable :: row(:)
    real(c_double), allocatable :: values(:), diagonal(:)
    real(c_double) :: x(order), number
    integer(c_int64_t) :: exponent

    x = 1
    number = 5
    call espalier_solve(factor, x, code, backward_error=number)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call espalier_logdet(factor, number, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call espalier_determinant(factor, number, exponent, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call expect(all(x == 1) .and. number == 5, 'the values before the call')
    call espalier_diagonal(factor, diagonal, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call expect(.not. allocated(diagonal), 'no diagonal')
    call espalier_lower(factor, colptr, row, values, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call expect(.not. (allocated(colptr) .or. allocated(row) .or. allocated(values)), 'no L')
  end subroutine

  subroutine refuse_values()
    real(c_double) :: values(size(a%values))
    integer(c_int64_t) :: bad_column, diagonal

    call espalier_factorize(factor, a%values(2:), code)
    call expect_failure(code, ESPALIER_USAGE, 'values has 368 entries, fewer than 369')
    values = a%values
    values(1) = ieee_nan()
    call espalier_factorize(factor, values, code)
    call expect_failure(code, ESPALIER_INPUT, 'not finite')
    values = a%values
    diagonal = a%colptr(8) - 1 + findloc(a%row(a%colptr(8):a%colptr(9) - 1), 8_c_int32_t, 1)
    values(diagonal) = -4
    call espalier_factorize(factor, values, code, bad_column)
    call expect_failure(code, ESPALIER_NOT_POSITIVE_DEFINITE, 'column 8')
    call expect(bad_column == 8, 'the bad column')
  end subroutine

  function ieee_nan() result(nan)
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    real(c_double) :: nan

    nan = ieee_value(nan, ieee_quiet_nan)
  end function

  subroutine refuse_vectors()
    real(c_double) :: x(order), b(order, 3), none(order, 0)

    x = 1
    b = 1
    call espalier_solve(factor, x, code, 3_c_int)
    call expect_failure(code, ESPALIER_USAGE, 'system is 3')
    call espalier_solve(factor, x(2:), code)
    call expect_failure(code, ESPALIER_USAGE, 'ldb is 80')
    call espalier_solve(factor, x(2:), x(:order), code)
    call expect_failure(code, ESPALIER_USAGE, 'ldb is 80')
    call espalier_solve(factor, b, b(:, :2), code)
    call expect_failure(code, ESPALIER_USAGE, 'b has 3 columns and x has 2')
    call espalier_solve(factor, none, code)
    call expect_failure(code, ESPALIER_USAGE, 'nrhs is 0')
  end subroutine

end program
