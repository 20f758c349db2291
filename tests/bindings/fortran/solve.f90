! SPDX-License-Identifier: BSD-3-Clause
!> Tests the results of the interface for Fortran: for every layout of the arrays, for all shapes of
!> vectors, and for L. Ends with 0, or prints the failed expectation.
program solve
  use espalier
  use support
  implicit none

  character, parameter :: triangles(3) = ['L', 'U', 'F']
  character(12), parameter :: options(4) = [character(12) :: 'ordering=amd', 'workers=2', &
                                            'sched=prio', 'refine=2']
  integer :: t, base

  do t = 1, size(triangles)
    do base = 0, 1
      call expect_solves(triangles(t), base, short_offsets=.false.)
      call expect_solves(triangles(t), base, short_offsets=.true.)
    end do
  end do
  call expect_shapes()
  call expect_other_values()
  call expect_parts()
  call expect_ownership()
  call expect_nothing_of_nothing()

contains

  !> Analyzes one layout, factors it, and solves.
  subroutine expect_solves(uplo, base, short_offsets)
    character, intent(in) :: uplo
    integer, intent(in) :: base
    logical, intent(in) :: short_offsets
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    type(laplacian) :: a
    real(c_double) :: known(order), x(order), error
    integer(c_int64_t) :: bad_column
    integer(c_int) :: code

    a = make_laplacian(base, uplo)
    if (short_offsets) then
      call espalier_analyze(int(a%colptr, c_int32_t), a%row, uplo, analysis, code, base, options)
    else
      call espalier_analyze(a%colptr, a%row, uplo, analysis, code, base, options)
    end if
    call expect(code == ESPALIER_OK, 'an analysis of ' // uplo)
    call espalier_factor_create(analysis, factor, code, options)
    call expect(code == ESPALIER_OK, 'a factor')
    bad_column = 17
    call espalier_factorize(factor, a%values, code, bad_column)
    call expect(code == ESPALIER_OK .and. bad_column == -1, 'a factorization')
    known = some_numbers(order)
    error = 1
    call espalier_solve(factor, matmul(dense_laplacian(), known), x, code, backward_error=error)
    call expect(code == ESPALIER_OK .and. error < 1e-14_c_double, 'an accurate solution')
    call expect_close(x, known, 'the solution')
  end subroutine

  !> Makes a factor of the matrix, from its lower triangle, without options.
  subroutine make_factor(analysis, factor)
    type(espalier_analysis), intent(inout) :: analysis
    type(espalier_factor), intent(inout) :: factor
    type(laplacian) :: a
    integer(c_int) :: code

    a = make_laplacian(1, 'L')
    call espalier_analyze(a%colptr, a%row, 'L', analysis, code)
    call expect(code == ESPALIER_OK, 'an analysis without options')
    call espalier_factor_create(analysis, factor, code)
    call expect(code == ESPALIER_OK, 'a factor without options')
    call espalier_factorize(factor, a%values, code)
    call expect(code == ESPALIER_OK, 'a factorization without the column')
  end subroutine

  !> Solves for many vectors in arrays with more rows than the matrix, in place, and in parts of
  !> arrays.
  subroutine expect_shapes()
    integer, parameter :: nrhs = 5, ldb = order + 3, ldx = order + 1
    real(c_double), parameter :: below = 123
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    real(c_double) :: known(order, nrhs), right(order, nrhs), b(ldb, nrhs), x(ldx, nrhs)
    real(c_double) :: vector(2 * order), error
    integer(c_int) :: code

    call make_factor(analysis, factor)
    known = reshape(some_numbers(order * nrhs), [order, nrhs])
    right = matmul(dense_laplacian(), known)
    b = below
    b(:order, :) = right
    x = below
    call espalier_solve(factor, b, x, code, ESPALIER_A, error)
    call expect(code == ESPALIER_OK .and. error < 1e-14_c_double, 'five accurate solutions')
    call expect_close(pack(x(:order, :), .true.), pack(known, .true.), 'five solutions')
    call expect(all(x(order + 1:, :) == below), 'rows below the solutions as they were')

    x = below
    call espalier_solve(factor, b(:order, 2:4:2), x(:order, 1:5:4), code)
    call expect(code == ESPALIER_OK, 'two solutions in parts of arrays')
    call expect_close(x(:order, 1), known(:, 2), 'the first in a part of an array')
    call expect_close(x(:order, 5), known(:, 4), 'the last in a part of an array')
    call expect(all(x(:, 2:4) == below), 'what lies between the parts as it was')

    call espalier_solve(factor, b, code)
    call expect(code == ESPALIER_OK, 'five solutions in place')
    call expect_close(pack(b(:order, :), .true.), pack(known, .true.), 'five solutions in place')
    call expect(all(b(order + 1:, :) == below), 'rows below the right sides as they were')

    vector(1::2) = right(:, 3)
    vector(2::2) = below
    call espalier_solve(factor, vector(1::2), code, backward_error=error)
    call expect(code == ESPALIER_OK .and. error < 1e-14_c_double, 'a solution in every other entry')
    call expect_close(vector(1::2), known(:, 3), 'the solution in every other entry')
    call expect(all(vector(2::2) == below), 'the other entries as they were')
  end subroutine

  !> Factors twice the matrix in the same memory.
  subroutine expect_other_values()
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    type(laplacian) :: a
    real(c_double) :: x(order)
    real(c_double) :: known(order)
    integer(c_int) :: code

    call make_factor(analysis, factor)
    call espalier_analysis_free(analysis)
    a = make_laplacian(1, 'L')
    call espalier_factorize(factor, 2 * a%values, code)
    call expect(code == ESPALIER_OK, 'another factorization')
    known = some_numbers(order)
    call espalier_solve(factor, 2 * matmul(dense_laplacian(), known), x, code)
    call expect(code == ESPALIER_OK, 'a solution with other values')
    call expect_close(x, known, 'the solution with other values')
  end subroutine

  !> Expects that L is a factor of A, and that all subroutines agree about L.
  subroutine expect_parts()
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    integer(c_int32_t), allocatable :: permutation(:)
    real(c_double), allocatable :: diagonal(:)
    real(c_double) :: dense(order, order), x(order), y(order), logarithm, mantissa, flops
    integer(c_int64_t) :: exponent, entries
    integer(c_int) :: code

    call make_factor(analysis, factor)
    dense = dense_laplacian()
    flops = 0
    call espalier_analysis_size(analysis, code, entries, flops)
    call expect(code == ESPALIER_OK .and. flops > 0, 'operations')
    call espalier_permutation(analysis, permutation, code)
    call expect(code == ESPALIER_OK .and. size(permutation) == order, 'a permutation')
    x = some_numbers(order)
    call espalier_solve(factor, x, y, code, ESPALIER_P)
    call expect(code == ESPALIER_OK .and. all(y == x(permutation)), 'P x')
    dense = dense(permutation, permutation)
    call expect_lower(factor, dense, keep_zeros=.false.)
    call expect_lower(factor, dense, keep_zeros=.true., entries=entries)
    call espalier_solve(factor, y, code, ESPALIER_L)
    call espalier_solve(factor, y, code, ESPALIER_LT)
    call espalier_solve(factor, y, code, ESPALIER_PT)
    call expect_close(matmul(dense_laplacian(), y), x, 'a solution by parts')

    call espalier_diagonal(factor, diagonal, code)
    call expect(code == ESPALIER_OK .and. size(diagonal) == order, 'a diagonal')
    call espalier_logdet(factor, logarithm, code)
    call expect(code == ESPALIER_OK, 'a log-determinant')
    call expect_close([logarithm], [dense_logdet(dense)], 'the log-determinant')
    call expect_close([2 * sum(log(diagonal))], [logarithm], 'the diagonal')
    call espalier_determinant(factor, mantissa, exponent, code)
    call expect(code == ESPALIER_OK .and. mantissa >= 0.5 .and. mantissa < 1, 'a mantissa')
    call expect_close([log(mantissa) + exponent * log(2.0_c_double)], [logarithm], 'a determinant')
  end subroutine

  !> Expects that L L' is the matrix, and that L has this number of entries.
  subroutine expect_lower(factor, dense, keep_zeros, entries)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(in) :: dense(:, :)
    logical, intent(in) :: keep_zeros
    integer(c_int64_t), optional, intent(in) :: entries
    integer(c_int64_t), allocatable :: colptr(:)
    integer(c_int32_t), allocatable :: row(:)
    real(c_double), allocatable :: values(:)
    real(c_double) :: l(order, order)
    integer(c_int64_t) :: k
    integer(c_int) :: code
    integer :: j

    call espalier_lower(factor, colptr, row, values, code, keep_zeros)
    call expect(code == ESPALIER_OK .and. size(colptr) == order + 1, 'L')
    call expect(colptr(1) == 1 .and. colptr(order + 1) == size(row) + 1, 'offsets from 1')
    if (present(entries)) call expect(size(values) == entries, 'the number of entries')
    l = 0
    do j = 1, order
      do k = colptr(j), colptr(j + 1) - 1
        l(row(k), j) = values(k)
      end do
    end do
    l = matmul(l, transpose(l))
    call expect_close(pack(l, .true.), pack(dense, .true.), 'L times its transpose')
  end subroutine

  !> Two variables never hold the same handle. A new analysis or factor replaces the old one, and an
  !> assignment leaves the left side empty.
  subroutine expect_ownership()
    type(espalier_analysis) :: analysis, other_analysis
    type(espalier_factor) :: factor, other_factor
    real(c_double) :: logarithm
    integer(c_int) :: code

    call make_factor(analysis, factor)
    call make_factor(analysis, factor)
    call make_factor(other_analysis, other_factor)
    other_analysis = analysis
    other_factor = factor
    call espalier_factor_create(other_analysis, other_factor, code)
    call expect_failure(code, ESPALIER_USAGE, 'analysis is null')
    call espalier_logdet(other_factor, logarithm, code)
    call expect_failure(code, ESPALIER_USAGE, 'factor is null')
    call espalier_logdet(factor, logarithm, code)
    call expect(code == ESPALIER_OK, 'the right side as it was')
    call espalier_factor_free(factor)
    call espalier_factor_free(factor)
    call espalier_logdet(factor, logarithm, code)
    call expect_failure(code, ESPALIER_USAGE, 'factor is null')
  end subroutine

  !> A matrix without rows has a factor, and solutions without entries.
  subroutine expect_nothing_of_nothing()
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    integer(c_int32_t) :: no_rows(0)
    real(c_double) :: nothing(0), logarithm
    integer(c_int) :: code

    call espalier_analyze([1_c_int64_t], no_rows, 'L', analysis, code)
    call expect(code == ESPALIER_OK, 'an analysis of nothing')
    call espalier_factor_create(analysis, factor, code)
    call expect(code == ESPALIER_OK, 'a factor of nothing')
    call espalier_factorize(factor, nothing, code)
    call expect(code == ESPALIER_OK, 'a factorization of nothing')
    call espalier_solve(factor, nothing, code)
    call expect(code == ESPALIER_OK, 'a solution of nothing')
    call espalier_logdet(factor, logarithm, code)
    call expect(code == ESPALIER_OK .and. logarithm == 0, 'the determinant of nothing')
  end subroutine

end program
