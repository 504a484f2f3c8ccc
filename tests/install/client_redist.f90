! Uses an installed openblacs, found through pkg-config or find_package: columns to the process before, and the line.
program client
  use blacs
  use redist
  implicit none
  integer :: me, processes, context, desca(9), descb(9)
  double precision :: a(2), b(2)
  call blacs_pinfo(me, processes)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, processes)
  desca = [1, context, 2, processes, 2, 1, 0, 0, 2]
  descb = [1, context, 2, processes, 2, 1, 0, processes - 1, 2]
  a = me
  b = -1
  call pdgemr2d(2, processes, a, 1, 1, desca, b, 1, 1, descb, context)
  if (nint(b(2)) == mod(me + 1, processes) .and. me == 0) print '(A, I0, A)', 'right: ', processes, ' processes'
  call blacs_exit(0)
end program
