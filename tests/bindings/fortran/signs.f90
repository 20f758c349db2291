! SPDX-License-Identifier: BSD-3-Clause
!> Tests factorizations A = L J L' with given signs and with chosen pivots by the interface for
!> Fortran, against a dense factorization. Ends with 0, or prints the failed expectation.
program signs
  use espalier
  use support
  implicit none

  character(20), parameter :: ldlt(2) = [character(20) :: 'factorization=ldlt', 'workers=2']

  call expect_quasi_definite()
  call expect_wrong_signs()
  call expect_singular_column()
  call expect_refusals()
  call expect_chosen_pivots()

contains

  !> Makes a factor of the pattern from all of its entries, with these options.
  subroutine make_factor(a, options, factor, permutation)
    type(laplacian), intent(in) :: a
    character(*), intent(in) :: options(:)
    type(espalier_factor), intent(inout) :: factor
    integer(c_int32_t), allocatable, optional, intent(out) :: permutation(:)
    type(espalier_analysis) :: analysis
    integer(c_int) :: code

    call espalier_analyze(a%colptr, a%row, 'F', analysis, code)
    call expect(code == ESPALIER_OK, 'an analysis')
    if (present(permutation)) call espalier_permutation(analysis, permutation, code)
    call espalier_factor_create(analysis, factor, code, options)
    call expect(code == ESPALIER_OK, 'a factor')
  end subroutine

  !> Negates the block of the negative signs of a matrix with all of its entries.
  subroutine make_quasi_definite(a, sign)
    type(laplacian), intent(inout) :: a
    integer(c_signed_char), intent(in) :: sign(:)
    integer(c_int64_t) :: k
    integer :: j

    do j = 1, order
      do k = a%colptr(j), a%colptr(j + 1) - 1
        if (sign(j) < 0 .and. sign(a%row(k)) < 0) a%values(k) = -a%values(k)
      end do
    end do
  end subroutine

  function dense_of(a) result(dense)
    type(laplacian), intent(in) :: a
    real(c_double) :: dense(order, order)
    integer :: j

    dense = 0
    do j = 1, order
      associate (first => a%colptr(j), last => a%colptr(j + 1) - 1)
        dense(a%row(first:last), j) = a%values(first:last)
      end associate
    end do
  end function

  subroutine expect_quasi_definite()
    type(espalier_factor) :: factor
    type(laplacian) :: a
    integer(c_int32_t), allocatable :: permutation(:), replaced(:)
    integer(c_signed_char) :: sign(order)
    real(c_double) :: known(order), x(order), error
    integer(c_int) :: code
    integer :: j

    a = make_laplacian(1, 'F')
    sign = [(merge(-1_c_signed_char, 1_c_signed_char, mod(j, 5) == 1 .or. mod(j, 7) == 3), &
             j = 1, order)]
    call make_quasi_definite(a, sign)
    call make_factor(a, ldlt, factor, permutation)
    call espalier_set_signs(factor, sign, code)
    call expect(code == ESPALIER_OK, 'signs')
    call espalier_factorize(factor, a%values, code)
    call expect(code == ESPALIER_OK, 'a factorization with signs')

    known = some_numbers(order)
    error = 1
    call espalier_solve(factor, matmul(dense_of(a), known), x, code, backward_error=error)
    call expect(code == ESPALIER_OK .and. error < 1e-14_c_double, 'an accurate solution')
    call expect_close(x, known, 'the solution')
    x = matmul(dense_of(a), known)
    call espalier_solve(factor, x, code, ESPALIER_P)
    call espalier_solve(factor, x, code, ESPALIER_L)
    x = x * sign(permutation)
    call espalier_solve(factor, x, code, ESPALIER_LT)
    call espalier_solve(factor, x, code, ESPALIER_PT)
    call expect_close(x, known, 'the solution by parts')
    call expect_facts(factor, dense_of(a))
    call espalier_replaced_pivots(factor, replaced, code)
    call expect(code == ESPALIER_OK .and. size(replaced) == 0, 'no replaced pivots')
  end subroutine

  !> Expects the inertia, the determinant and a small growth of a matrix.
  subroutine expect_facts(factor, dense)
    type(espalier_factor), intent(in) :: factor
    real(c_double), intent(in) :: dense(:, :)
    real(c_double) :: growth, logarithm, mantissa
    integer(c_int64_t) :: positive, negative, zero, exponent
    integer :: expected
    logical :: certain
    integer(c_int) :: code

    expected = count(dense_pivots(dense) < 0)
    certain = .false.
    call espalier_inertia(factor, positive, negative, zero, certain, code)
    call expect(code == ESPALIER_OK .and. certain, 'a certain inertia')
    call expect(positive == order - expected .and. negative == expected .and. zero == 0, &
                'the inertia')
    call espalier_growth(factor, growth, code)
    call expect(code == ESPALIER_OK .and. growth >= 0.25 .and. growth < 10, 'a growth')
    call espalier_logdet(factor, logarithm, code)
    call expect(code == ESPALIER_OK, 'a log-determinant')
    call expect_close([logarithm], [dense_logdet(dense)], 'the log-determinant')
    call espalier_determinant(factor, mantissa, exponent, code)
    call expect(code == ESPALIER_OK, 'a determinant')
    call expect((mantissa < 0) .eqv. mod(expected, 2) == 1, 'the sign of the determinant')
    call expect_close([log(abs(mantissa)) + exponent * log(2.0_c_double)], [logarithm], &
                      'the magnitude of the determinant')
  end subroutine

  !> Returns a diagonal matrix with these numbers.
  function diagonal_matrix(numbers) result(a)
    integer(c_signed_char), intent(in) :: numbers(:)
    type(laplacian) :: a
    integer :: j

    a%colptr = [(int(j, c_int64_t), j = 1, order + 1)]
    a%row = [(int(j, c_int32_t), j = 1, order)]
    a%values = real(numbers, c_double)
  end function

  !> Without given signs, a factorization names a column of a singular matrix.
  subroutine expect_singular_column()
    type(espalier_factor) :: factor
    type(laplacian) :: a
    integer(c_signed_char) :: numbers(order)
    integer(c_int64_t) :: column
    integer(c_int) :: code

    numbers = 1
    numbers(2::2) = -1
    a = diagonal_matrix(numbers)
    call make_factor(a, ldlt, factor)
    column = 0
    call espalier_singular_column(factor, column, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call espalier_factorize(factor, a%values, code)
    call espalier_singular_column(factor, column, code)
    call expect(code == ESPALIER_OK .and. column == -1, 'a regular matrix')
    a%values(7) = 0
    call espalier_factorize(factor, a%values, code)
    call espalier_singular_column(factor, column, code)
    call expect(code == ESPALIER_OK .and. column == 7, 'the column of a singular matrix')
  end subroutine

  !> A sign that the matrix does not have is a failure, unless such pivots are replaced.
  subroutine expect_wrong_signs()
    character(32), parameter :: replacing(2) = &
      [character(32) :: 'factorization=ldlt', 'regularization=0,0,1e-13,0.5']
    type(espalier_factor) :: factor
    type(laplacian) :: a
    integer(c_signed_char) :: sign(order)
    integer(c_int32_t), allocatable :: replaced(:)
    integer(c_int64_t) :: bad_column, positive, negative, zero
    logical :: certain
    integer(c_int) :: code

    sign = 1
    sign(2::2) = -1
    a = diagonal_matrix(sign)
    sign(7) = -1
    call make_factor(a, ldlt, factor)
    call espalier_set_signs(factor, sign, code)
    call espalier_factorize(factor, a%values, code, bad_column)
    call expect_failure(code, ESPALIER_NOT_POSITIVE_DEFINITE, &
                        'given signs: the pivot of column 7, counted from 1')
    call expect(bad_column == 7, 'the column of the wrong sign')
    call espalier_replaced_pivots(factor, replaced, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call expect(.not. allocated(replaced), 'no columns of a failed factorization')

    call make_factor(a, replacing, factor)
    sign(3) = -1
    call espalier_set_signs(factor, sign, code)
    call espalier_factorize(factor, a%values, code)
    call expect(code == ESPALIER_OK, 'a factorization that replaces pivots')
    call espalier_replaced_pivots(factor, replaced, code)
    call expect(code == ESPALIER_OK, 'replaced pivots')
    call expect(size(replaced) == 2, 'two replaced pivots')
    call expect(all(replaced == [3, 7]), 'the columns of the replaced pivots')
    certain = .true.
    call espalier_inertia(factor, positive, negative, zero, certain, code)
    call expect(code == ESPALIER_OK .and. .not. certain, 'an uncertain inertia')
  end subroutine

  subroutine expect_refusals()
    type(espalier_factor) :: factor
    type(laplacian) :: a
    integer(c_signed_char) :: sign(order)
    integer(c_int64_t) :: positive, negative, zero
    real(c_double) :: growth
    logical :: certain
    integer(c_int) :: code

    a = make_laplacian(1, 'F')
    sign = 1
    call make_factor(a, ['workers=2'], factor)
    call espalier_set_signs(factor, sign, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorization=ldlt')
    call make_factor(a, ldlt, factor)
    call espalier_set_signs(factor, sign(2:), code)
    call expect_failure(code, ESPALIER_USAGE, 'signs has 80 entries, fewer than 81')
    sign(4) = 0
    call espalier_set_signs(factor, sign, code)
    call expect_failure(code, ESPALIER_USAGE, 'must be 1 or -1')
    growth = 5
    positive = 5
    certain = .true.
    call espalier_growth(factor, growth, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call espalier_inertia(factor, positive, negative, zero, certain, code)
    call expect_failure(code, ESPALIER_USAGE, 'factorize()')
    call expect(growth == 5 .and. positive == 5 .and. certain, 'the values before the call')
  end subroutine

  !> Factors the Laplacian minus 5 without signs. It has no zero pivots in the given order.
  subroutine expect_chosen_pivots()
    type(espalier_analysis) :: analysis
    type(espalier_factor) :: factor
    type(laplacian) :: a
    real(c_double) :: dense(order, order), known(order), x(order), logarithm
    integer(c_int64_t) :: positive, negative, zero
    logical :: certain
    integer(c_int) :: code
    integer :: i, j
    integer(c_int64_t) :: k

    a = make_laplacian(1, 'F')
    do j = 1, order
      do k = a%colptr(j), a%colptr(j + 1) - 1
        if (a%row(k) == j) a%values(k) = a%values(k) - 5
      end do
    end do
    dense = dense_laplacian()
    do i = 1, order
      dense(i, i) = dense(i, i) - 5
    end do
    call espalier_analyze(a%colptr, a%row, 'F', analysis, code, values=a%values(:9))
    call expect_failure(code, ESPALIER_USAGE, 'values has 9 entries')
    call espalier_analyze(a%colptr, a%row, 'F', analysis, code, values=a%values)
    call expect(code == ESPALIER_OK, 'an analysis with values')
    call espalier_factor_create(analysis, factor, code, ldlt)
    call espalier_factorize(factor, a%values, code)
    call expect(code == ESPALIER_OK, 'a factorization that chooses its pivots')
    call espalier_inertia(factor, positive, negative, zero, certain, code)
    call expect(code == ESPALIER_OK .and. certain, 'an exact inertia')
    call expect(negative == count(dense_pivots(dense) < 0), 'the number of negative eigenvalues')
    call expect(positive == order - negative .and. zero == 0, 'the other numbers')
    call espalier_logdet(factor, logarithm, code)
    call expect(abs(logarithm - dense_logdet(dense)) < 1d-9, 'the logarithm of the determinant')
    known = some_numbers(order)
    x = matmul(dense, known)
    call espalier_solve(factor, x, code)
    call expect(code == ESPALIER_OK .and. maxval(abs(x - known)) < 1d-10, 'a solution')
  end subroutine

end program
