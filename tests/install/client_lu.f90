! Uses an installed openblacs, found through pkg-config or find_package: an LU of the unit matrix times 2, and BSP2D.
program client
  use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
  use blacs
  use bsp2d
  use bsp_lu
  implicit none
  integer :: me, processes, context, info, i, desca(9), ipiv(8)
  double precision :: a(4, 4)
  double precision, target :: last(1)
  type(c_ptr) :: grid
  call blacs_pinfo(me, processes)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, processes)
  desca = [1, context, 4, 4, 4, 4, 0, 0, 4]
  a = 0
  do i = 1, 4
    a(i, i) = 2
  end do
  call bsp_pdgetrf(4, 4, a, 1, 1, desca, ipiv, info)
  grid = bsp2d_gridinit('R', 1, processes)
  last = me
  call bsp2d_bcast(grid, 'A', 0, processes - 1, bsp2d_ge(1, 1, last, 1))
  call bsp2d_gridexit(grid)
  if (info == 0 .and. nint(last(1)) == processes - 1 .and. me == 0) print '(A, I0, A)', 'right: ', processes, ' processes'
  call blacs_exit(0)
end program
