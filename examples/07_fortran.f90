! SPDX-License-Identifier: BSD-3-Clause
! Solves heat conduction in a rod with growing time steps. All steps share one analysis, and each
! has three right-hand sides.
program main
  use, intrinsic :: iso_c_binding
  use espalier
  implicit none

  integer, parameter :: n = 1000
  character(16), parameter :: options(2) = [character(16) :: 'ordering=amd', 'workers=1']
  type(espalier_analysis) :: analysis
  type(espalier_factor) :: factor
  integer(c_int64_t) :: colptr(n + 1), bad_column
  integer(c_int32_t) :: row(2 * n - 1)
  real(c_double) :: values(2 * n - 1), temperature(n, 3), error, logarithm
  integer(c_int) :: code
  integer :: j, step

  ! Compressed columns, counted from 1. Column j has the diagonal and the entry below it.
  colptr = [(2 * j - 1, j = 1, n), 2 * n]
  row(1::2) = [(j, j = 1, n)]
  row(2::2) = [(j, j = 2, n)]
  call espalier_analyze(colptr, row, 'L', analysis, code, options=options)
  call stop_unless_ok()
  call espalier_factor_create(analysis, factor, code, options)
  call stop_unless_ok()

  temperature = 0
  do j = 1, 3
    temperature(j * n / 4, j) = 100 * j
  end do
  do step = 1, 100, 33 ! other values, same pattern and memory
    values(1::2) = 1 + 2 * step
    values(2::2) = -step
    call espalier_factorize(factor, values, code, bad_column)
    call stop_unless_ok()
    call espalier_solve(factor, temperature, code, backward_error=error)
    call stop_unless_ok()
    call espalier_logdet(factor, logarithm, code)
    call stop_unless_ok()
    print '(a, i0, a, 3f8.3, a, es7.1, a, f0.4)', 'step ', step, ': warmest', &
      maxval(temperature, 1), ', backward error ', error, ', log determinant ', logarithm
    if (error > 1e-12_c_double) error stop 1
  end do

  ! Variables of a main program are not freed automatically, unlike those of a procedure.
  call espalier_factor_free(factor)
  call espalier_analysis_free(analysis)

contains

  subroutine stop_unless_ok()
    use, intrinsic :: iso_fortran_env, only: error_unit

    if (code == ESPALIER_OK) return
    write (error_unit, '(a)') espalier_last_error()
    stop code, quiet=.true.
  end subroutine

end program
