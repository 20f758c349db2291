! SPDX-License-Identifier: BSD-3-Clause
!> Common parts of the tests of the interface for Fortran: a matrix and expectations.
module support
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use espalier, only: espalier_last_error
  implicit none
  public

  integer, parameter :: side = 9
  integer, parameter :: order = side * side

  !> The Laplacian of a grid of side x side points with 4.5 on its diagonal, in compressed columns.
  type :: laplacian
    integer(c_int64_t) :: colptr(order + 1)
    integer(c_int32_t), allocatable :: row(:)
    real(c_double), allocatable :: values(:)
  end type

contains

  !> Prints the expectation and ends the program with code 1 unless it holds.
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    write (error_unit, '(3a)') what, '; the last error: ', espalier_last_error()
    error stop 1
  end subroutine

  !> Expects a code, and words in the message.
  subroutine expect_failure(code, expected, words)
    integer(c_int), intent(in) :: code, expected
    character(*), intent(in) :: words

    call expect(code == expected, 'a failure because of ' // words)
    call expect(index(espalier_last_error(), words) > 0, 'the words ' // words)
  end subroutine

  !> Expects the same numbers, except for rounding.
  subroutine expect_close(x, y, what)
    real(c_double), intent(in) :: x(:), y(:)
    character(*), intent(in) :: what

    call expect(size(x) == size(y), what // ' of the same size')
    call expect(all(abs(x - y) <= 1e-12_c_double * (1 + abs(y))), what)
  end subroutine

  !> Returns the triangle 'L' or 'U' of the Laplacian, or all of it for 'F', counted from base. Rows
  !> descend, so that the library must sort them.
  function make_laplacian(base, uplo) result(a)
    integer, intent(in) :: base
    character, intent(in) :: uplo
    type(laplacian) :: a
    integer :: j

    allocate(a%row(0), a%values(0))
    do j = 1, order
      a%colptr(j) = size(a%row) + base
      if (j + side <= order) call append(j + side, -1.0_c_double)
      if (mod(j, side) /= 0) call append(j + 1, -1.0_c_double)
      call append(j, 4.5_c_double)
      if (mod(j, side) /= 1) call append(j - 1, -1.0_c_double)
      if (j > side) call append(j - side, -1.0_c_double)
    end do
    a%colptr(order + 1) = size(a%row) + base

  contains

    subroutine append(i, value)
      integer, intent(in) :: i
      real(c_double), intent(in) :: value

      if ((uplo == 'L' .and. i < j) .or. (uplo == 'U' .and. i > j)) return
      a%row = [a%row, int(i + base - 1, c_int32_t)]
      a%values = [a%values, value]
    end subroutine
  end function

  !> Returns the Laplacian as a dense matrix.
  function dense_laplacian() result(dense)
    real(c_double) :: dense(order, order)
    type(laplacian) :: a
    integer :: j
    integer(c_int64_t) :: k

    a = make_laplacian(1, 'F')
    dense = 0
    do j = 1, order
      do k = a%colptr(j), a%colptr(j + 1) - 1
        dense(a%row(k), j) = a%values(k)
      end do
    end do
  end function

  !> Returns different numbers, some of them negative.
  function some_numbers(count) result(x)
    integer, intent(in) :: count
    real(c_double) :: x(count)
    integer :: i

    x = [(merge(-1.0_c_double, 1.0_c_double, mod(i, 3) == 0) / (1 + mod(i, 7)), i = 0, count - 1)]
  end function

  !> Returns the pivots of a dense elimination without pivoting.
  function dense_pivots(matrix) result(pivots)
    real(c_double), intent(in) :: matrix(:, :)
    real(c_double) :: pivots(size(matrix, 1))
    real(c_double) :: l(size(matrix, 1), size(matrix, 1))
    integer :: j, k

    l = matrix
    do j = 1, size(l, 1)
      pivots(j) = l(j, j)
      do k = j + 1, size(l, 1)
        l(j + 1:, k) = l(j + 1:, k) - l(j + 1:, j) * (l(j, k) / l(j, j))
      end do
    end do
  end function

  !> Returns the logarithm of the magnitude of the determinant.
  function dense_logdet(matrix) result(logarithm)
    real(c_double), intent(in) :: matrix(:, :)
    real(c_double) :: logarithm

    logarithm = sum(log(abs(dense_pivots(matrix))))
  end function

end module
