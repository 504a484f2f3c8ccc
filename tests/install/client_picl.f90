! The same client in Fortran, with the module picl.
program client
  use picl
  implicit none
  integer :: nodes, me, host, top, order, direction, total, length
  character(len=512) :: program, job

  call get_environment_variable('OPENBLACS_JOB', job, length)
  nodes = merge(0, 1, length > 0)
  call open0(nodes, me, host)
  call get_command_argument(0, program)
  if (me == host) call load0(program, -1)
  top = picl_hypercube
  order = picl_natural
  direction = picl_forward
  call setarc0(nodes, top, order, direction)
  total = me + 1
  call gsum0(total, 1, picl_int, 1, host)
  call close0(1)
  if (me == host .and. total /= nodes * (nodes + 1) / 2) stop 1
  if (me == host) print '(a, i0, a)', 'right: ', nodes + merge(1, 0, length > 0), ' processes'
end program client
