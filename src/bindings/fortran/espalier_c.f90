! SPDX-License-Identifier: BSD-3-Clause
!> The functions of espalier.h, and conversions of Fortran's data to the form that C expects. The
!> module espalier uses them; programs use only that module. If C accepts a null pointer, the
!> argument is optional.
module espalier_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int32_t, &
    c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_signed_char, c_size_t
  implicit none
  public

  !> Vectors in the form of C: their address, the distance between the first entries of consecutive
  !> vectors, and their number.
  type :: columns
    type(c_ptr) :: address
    integer(c_int64_t) :: distance
    integer(c_int64_t) :: count
  end type

  !> Options in the form of C: each text ends with a null character, and the list with a null
  !> pointer.
  type :: option_list
    character(kind=c_char), allocatable :: text(:, :)
    type(c_ptr), allocatable :: address(:)
  end type

  interface
    function c_analyze(n, colptr, row, base, uplo, options, analysis) result(code) &
      bind(C, name='espalier_analyze')
      import
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in) :: colptr(*)
      integer(c_int32_t), intent(in) :: row(*)
      integer(c_int), value :: base
      integer(c_signed_char), value :: uplo ! GNU Fortran 12 passes the wrong character otherwise
      type(c_ptr), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: analysis
      integer(c_int) :: code
    end function

    function c_analyze_values(n, colptr, row, values, base, uplo, options, analysis) &
      result(code) bind(C, name='espalier_analyze_values')
      import
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in) :: colptr(*)
      integer(c_int32_t), intent(in) :: row(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: base
      integer(c_signed_char), value :: uplo ! as in c_analyze
      type(c_ptr), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: analysis
      integer(c_int) :: code
    end function

    function c_analysis_size(analysis, factor_entries, flops) result(code) &
      bind(C, name='espalier_analysis_size')
      import
      type(c_ptr), value :: analysis
      integer(c_int64_t), optional, intent(inout) :: factor_entries
      real(c_double), optional, intent(inout) :: flops
      integer(c_int) :: code
    end function

    function c_permutation(analysis, permutation) result(code) bind(C, name='espalier_permutation')
      import
      type(c_ptr), value :: analysis
      integer(c_int32_t), intent(inout) :: permutation(*)
      integer(c_int) :: code
    end function

    subroutine c_analysis_free(analysis) bind(C, name='espalier_analysis_free')
      import
      type(c_ptr), intent(inout) :: analysis
    end subroutine

    function c_factor_create(analysis, options, factor) result(code) &
      bind(C, name='espalier_factor_create')
      import
      type(c_ptr), value :: analysis
      type(c_ptr), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: factor
      integer(c_int) :: code
    end function

    function c_set_signs(factor, signs) result(code) bind(C, name='espalier_set_signs')
      import
      type(c_ptr), value :: factor
      integer(c_signed_char), intent(in) :: signs(*)
      integer(c_int) :: code
    end function

    function c_factorize(factor, values, bad_column) result(code) bind(C, name='espalier_factorize')
      import
      type(c_ptr), value :: factor
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), optional, intent(inout) :: bad_column
      integer(c_int) :: code
    end function

    function c_solve(factor, system, nrhs, b, ldb, x, ldx, backward_error) result(code) &
      bind(C, name='espalier_solve')
      import
      type(c_ptr), value :: factor
      integer(c_int), value :: system
      integer(c_int64_t), value :: nrhs, ldb, ldx
      type(c_ptr), value :: b, x
      real(c_double), optional, intent(inout) :: backward_error
      integer(c_int) :: code
    end function

    function c_inertia(factor, positive, negative, zero, certain) result(code) &
      bind(C, name='espalier_inertia')
      import
      type(c_ptr), value :: factor
      integer(c_int64_t), optional, intent(inout) :: positive, negative, zero
      integer(c_int), intent(inout) :: certain
      integer(c_int) :: code
    end function

    function c_growth(factor, growth) result(code) bind(C, name='espalier_growth')
      import
      type(c_ptr), value :: factor
      real(c_double), intent(inout) :: growth
      integer(c_int) :: code
    end function

    function c_replaced_pivots(factor, count, column) result(code) &
      bind(C, name='espalier_replaced_pivots')
      import
      type(c_ptr), value :: factor
      integer(c_int64_t), intent(inout) :: count
      integer(c_int32_t), optional, intent(inout) :: column(*)
      integer(c_int) :: code
    end function

    function c_singular_column(factor, column) result(code) &
      bind(C, name='espalier_singular_column')
      import
      type(c_ptr), value :: factor
      integer(c_int64_t), intent(inout) :: column
      integer(c_int) :: code
    end function

    function c_logdet(factor, logarithm) result(code) bind(C, name='espalier_logdet')
      import
      type(c_ptr), value :: factor
      real(c_double), intent(inout) :: logarithm
      integer(c_int) :: code
    end function

    function c_determinant(factor, mantissa, exponent) result(code) &
      bind(C, name='espalier_determinant')
      import
      type(c_ptr), value :: factor
      real(c_double), intent(inout) :: mantissa
      integer(c_int64_t), intent(inout) :: exponent
      integer(c_int) :: code
    end function

    function c_diagonal(factor, diagonal) result(code) bind(C, name='espalier_diagonal')
      import
      type(c_ptr), value :: factor
      real(c_double), intent(inout) :: diagonal(*)
      integer(c_int) :: code
    end function

    function c_lower(factor, keep_zeros, entries, colptr, row, values) result(code) &
      bind(C, name='espalier_lower')
      import
      type(c_ptr), value :: factor
      integer(c_int), value :: keep_zeros
      integer(c_int64_t), intent(inout) :: entries
      integer(c_int64_t), optional, intent(inout) :: colptr(*)
      integer(c_int32_t), optional, intent(inout) :: row(*)
      real(c_double), optional, intent(inout) :: values(*)
      integer(c_int) :: code
    end function

    subroutine c_factor_free(factor) bind(C, name='espalier_factor_free')
      import
      type(c_ptr), intent(inout) :: factor
    end subroutine

    function c_note_failure(code, sentence) result(same_code) bind(C, name='espalier_note_failure')
      import
      integer(c_int), value :: code
      character(kind=c_char), intent(in) :: sentence(*)
      integer(c_int) :: same_code
    end function

    function c_last_error() result(sentence) bind(C, name='espalier_last_error')
      import
      type(c_ptr) :: sentence
    end function

    function c_version() result(version) bind(C, name='espalier_version')
      import
      type(c_ptr) :: version
    end function

    function c_strlen(text) result(length) bind(C, name='strlen')
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  !> Sets the list to these options, or makes it empty if there are none. The list must be a target.
  subroutine list_options(list, options)
    type(option_list), target, intent(out) :: list
    character(*), optional, intent(in) :: options(:)
    integer :: count, i, k

    count = 0
    if (present(options)) count = size(options)
    allocate(list%address(count + 1))
    list%address(count + 1) = c_null_ptr
    if (count == 0) return
    allocate(list%text(len(options) + 1, count))
    list%text = c_null_char
    do i = 1, count
      do k = 1, len_trim(options(i))
        list%text(k, i) = options(i)(k:k)
      end do
      list%address(i) = c_loc(list%text(1, i))
    end do
  end subroutine

  !> Returns vectors in the form of C. The caller keeps the array at its address.
  function columns_of(array, rows, count) result(given)
    real(c_double), target, intent(in) :: array(*)
    integer, intent(in) :: rows, count
    type(columns) :: given

    given = columns(c_null_ptr, rows, count)
    if (rows > 0 .and. count > 0) given%address = c_loc(array(1))
  end function

  !> Returns a copy of the null-terminated text at this address.
  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i

    call c_f_pointer(address, bytes, [c_strlen(address)])
    allocate(character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function

end module
