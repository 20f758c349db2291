! SPDX-License-Identifier: BSD-3-Clause
!> Solves a system of two unknowns. Succeeds if the answer is accurate.
program main
  use, intrinsic :: iso_c_binding
  use espalier
  implicit none

  type(espalier_analysis) :: analysis
  type(espalier_factor) :: factor
  real(c_double) :: x(2), error
  integer(c_int) :: code

  x = [2, 9]
  error = 1
  call espalier_analyze([1, 3, 4], [1, 2, 2], 'L', analysis, code)
  if (code == ESPALIER_OK) call espalier_factor_create(analysis, factor, code)
  if (code == ESPALIER_OK) call espalier_factorize(factor, [4.0_c_double, -1.0_c_double, 5.0_c_double], code)
  if (code == ESPALIER_OK) call espalier_solve(factor, x, code, backward_error=error)
  call espalier_factor_free(factor)
  call espalier_analysis_free(analysis)
  if (code /= ESPALIER_OK .or. error > 1e-14_c_double .or. abs(x(2) - 2) > 0.01) error stop 1
end program
