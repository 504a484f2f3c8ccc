! Solves a dense system by LU decomposition in supersteps, and finds its largest residual with BSP2D. A and b are
! dealt out to a grid of processes in blocks, as for ScaLAPACK; b is chosen so that every element of x is 1.
!
!   obrun -n 4 ./lu_solve_fortran
program lu_solve
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  use blacs
  use bsp2d
  use bsp_lu
  implicit none
  integer, parameter :: n = 500, nb = 16
  integer :: me, processes, context, rows, columns, row, column, m, k, info, i, j
  integer :: desca(9), descb(9)
  integer, allocatable :: numbers(:,:), ipiv(:)
  double precision, allocatable :: a(:,:), b(:,:)
  double precision, target :: error(1)
  type(c_ptr) :: grid

  call blacs_pinfo(me, processes)
  rows = int(sqrt(dble(processes)))
  do while (mod(processes, rows) /= 0)
    rows = rows - 1
  end do
  columns = processes / rows
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', rows, columns)
  call blacs_gridinfo(context, rows, columns, row, column)

  m = share(row, rows)
  k = share(column, columns)
  desca = [1, context, n, n, nb, nb, 0, 0, max(1, m)]
  descb = [1, context, n, 1, nb, nb, 0, 0, max(1, m)]
  allocate(a(max(1, m), max(1, k)), b(max(1, m), 1), ipiv(m + nb))
  do j = 1, k
    do i = 1, m
      a(i, j) = element(global(i, row, rows), global(j, column, columns))
    end do
  end do
  do i = 1, m
    b(i, 1) = sum([(element(global(i, row, rows), j), j = 1, n)])
  end do
  call bsp_pdgesv(n, 1, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)

  ! The solution is in process column 0.
  error = 0
  if (column == 0) error = maxval(abs(b(1:m, 1) - 1))
  numbers = reshape([(blacs_pnum(context, mod(i, rows), i / rows), i = 0, processes - 1)], [rows, columns])
  grid = bsp2d_gridmap(numbers, rows, rows, columns)
  call bsp2d_reduce(grid, 'A', bsp2d_max_abs, bsp2d_ge(1, 1, error, 1), ld_owner=0_c_size_t)
  call bsp2d_gridexit(grid)
  if (me == 0) print '(I0, A, I0, A, I0, A, ES8.1)', n, ' equations on ', rows, ' x ', columns, ' processes: error ', error
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (info /= 0 .or. error(1) > 1d-8) stop 1

contains

  double precision function element(i, j)
    integer, intent(in) :: i, j
    element = sin(dble(i * i + 37 * j + 5 * i * j))
  end function

  ! The place in the matrix of local index l (both from 1) at place `mine` of `count`.
  integer function global(l, mine, count)
    integer, intent(in) :: l, mine, count
    global = ((l - 1) / nb * count + mine) * nb + mod(l - 1, nb) + 1
  end function

  integer function share(mine, count)
    integer, intent(in) :: mine, count
    share = 0
    do while (global(share + 1, mine, count) <= n)
      share = share + 1
    end do
  end function
end program
