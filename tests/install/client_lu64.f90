! Uses an installed openblacs with integers of 64 bits: an LU of the unit matrix times 2.
program client
  use blacs
  use bsp_lu
  implicit none
  integer :: me, processes, context, info, i, desca(9), ipiv(8)
  double precision :: a(4, 4)
  call blacs_pinfo(me, processes)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, processes)
  desca = [1, context, 4, 4, 4, 4, 0, 0, 4]
  ipiv = -1
  a = 0
  do i = 1, 4
    a(i, i) = 2
  end do
  call bsp_lu_measure(1)
  call bsp_pdgetrf(4, 4, a, 1, 1, desca, ipiv, info)
  if (info == 0 .and. all(ipiv(5:) == -1) .and. bit_size(info) == 64 .and. me == 0) &
    print '(A, I0, A)', 'right: ', processes, ' processes'
  call blacs_exit(0)
end program
