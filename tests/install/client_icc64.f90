! A client of the installed libicc64 with integers of 64 bits. Prints one line on process 0.
program client
  use icc
  implicit none
  integer :: me, count, work(1), total(1)
  me = icc_mynode()
  count = icc_numnodes()
  total = 2_8**40
  call icc_gisum(total, 1, work)
  if (kind(me) /= 8 .or. total(1) /= count * 2_8**40) error stop 'wrong'
  if (me == 0) print '(a,i0,a)', 'right: ', count, ' processes'
end program
