! iCC from Fortran, through the module: one call of each kind with scalars and arrays,
! on the whole machine, a row and a group.
program fortran
  use icc
  implicit none
  integer :: digits(2), number(2)
  integer :: me, n, i, failed, passed, group, rows, columns, row, column, ncnt
  integer, allocatable :: lens(:), everyone(:), pieces(:)
  double precision :: d, work(1)
  double precision :: matrix(3, 2)
  complex(kind(1d0)) :: z
  logical :: truth
  real :: s

  passed = 0
  failed = 0
  me = icc_mynode()
  n = icc_numnodes()
  d = me + 1
  call icc_gdsum(d, 1, work)
  call check(nint(d) == n * (n + 1) / 2, 'icc_gdsum of a scalar')
  matrix = me
  call icc_gdhigh(matrix, 6, work)
  call check(all(nint(matrix) == n - 1), 'icc_gdhigh of a matrix')
  z = cmplx(me, -me, kind(1d0))
  call icc_gzsum1(z, 1, z, n - 1)
  call check(me /= n - 1 .or. nint(real(z) - aimag(z)) == n * (n - 1), 'icc_gzsum1')
  truth = me == n - 1
  call icc_glor(truth, 1, truth)
  call check(truth, 'icc_glor')
  truth = me == n - 1
  call icc_gland(truth, 1, truth)
  call check(truth .eqv. n == 1, 'icc_gland')
  s = me
  call icc_bcast(s, 4, n - 1)
  call check(nint(s) == n - 1, 'icc_bcast')

  call icc_meshinfo(rows, columns, row, column)
  i = 1
  call icc_g_gisum(i, 1, i, icc_row)
  call check(i == columns, 'icc_g_gisum in a row')
  call check(icc_g_numnodes(icc_row) == columns, 'icc_g_numnodes in a row')
  call check(icc_g_mynode(icc_column) == row, 'icc_g_mynode in a column')
  call icc_mesh(n, 1)
  i = 1
  call icc_g_gisum(i, 1, i, icc_column)
  call check(i == n, 'icc_mesh')

  allocate(lens(n), everyone(n), pieces(n))
  lens = 4
  call icc_gcolx(me, lens, everyone)
  call check(all(everyone == [(i, i = 0, n - 1)]), 'icc_gcolx')
  everyone = -1
  call icc_gcol(me, 4, everyone, 4 * n, ncnt)
  call check(ncnt == 4 * n .and. all(everyone == [(i, i = 0, n - 1)]), 'icc_gcol')
  i = -1
  call icc_scatterx(everyone, lens, i, 0)
  call check(i == me, 'icc_scatterx')
  pieces = -1
  call icc_gather(i, 4, pieces, n - 1)
  call check(me /= n - 1 .or. all(pieces == everyone), 'icc_gather')
  pieces = me
  lens = 1
  call icc_gisumx(pieces, lens, work)
  call check(pieces(me + 1) == n * (n - 1) / 2, 'icc_gisumx')

  everyone = [(n * me + i, i = 0, n - 1)]
  call icc_alltoall(everyone, 4, pieces)
  call check(all(pieces == [(n * i + me, i = 0, n - 1)]), 'icc_alltoall')
  lens = 4
  pieces = -1
  call icc_alltoallx(everyone, lens, pieces, lens)
  call check(all(pieces == [(n * i + me, i = 0, n - 1)]), 'icc_alltoallx')
  everyone = me + 1
  call icc_gop(everyone, n, pieces, icc_op_average, icc_kind_int32)
  call check(all(pieces == (n * (n + 1) / 2) / n) .and. all(everyone == me + 1), 'icc_gop')
  call icc_gop1(everyone, n, pieces, icc_op_max, icc_kind_uint32, n - 1)
  call check(me /= n - 1 .or. all(pieces == n), 'icc_gop1')
  lens = 1
  call icc_gopx(everyone, lens, i, icc_op_sum, icc_kind_int32)
  call check(i == n * (n + 1) / 2, 'icc_gopx')
  ! Digits one after the other, which does not commute: pairs of a number and a power of ten.
  digits = [mod(me, 9) + 1, 10]
  call icc_gopf(digits, 1, number, 8, append, 0)
  call check(number(1) == written(n), 'icc_gopf')
  number = -1
  call icc_gopf1(digits, 1, number, 8, append, 0, n - 1)
  call check(me /= n - 1 .or. number(1) == written(n), 'icc_gopf1')
  call icc_g_gopfx([(digits, i = 1, n)], lens, number, 8, append, 0, icc_all)
  call check(number(1) == written(n), 'icc_g_gopfx')
  everyone = [(i, i = 0, n - 1)]

  group = icc_group(everyone(n:1:-1), n)
  i = icc_g_mynode(group)
  call icc_g_bcast(i, 4, 0, group)
  call check(i == 0, 'icc_g_bcast in a group')
  call check(icc_g_mynode(group) == n - 1 - me, 'icc_group')
  call icc_g_gsync(group)
  call icc_group_free(group)
  group = icc_group(everyone(1:1), 1)
  call check((group == icc_none) .eqv. (me /= 0), 'icc_group of others')
  call icc_gsync()

  call icc_gisum(passed, 1, work)
  call icc_gisum(failed, 1, work)
  if (me == 0) print '(i0, a, i0, a)', passed, ' passed, ', failed, ' failed'
  if (failed /= 0) stop 1

contains
  subroutine append(x, y, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2, n)
    integer, intent(in) :: y(2, n)
    x(1, :) = x(1, :) * y(2, :) + y(1, :)
    x(2, :) = x(2, :) * y(2, :)
  end subroutine
  integer function written(n)
    integer, intent(in) :: n
    integer :: k
    written = 0
    do k = 0, n - 1
      written = 10 * written + mod(k, 9) + 1
    end do
  end function
  include '../check.inc'
end program
