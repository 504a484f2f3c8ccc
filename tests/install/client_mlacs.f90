! The same client in Fortran, with the module mlacs.
program client
  use mlacs
  implicit none
  integer :: me, count, all, row, column, error
  double precision :: out(2), in(2)
  type(mlacs_request) :: arriving
  type(mlacs_status) :: status

  call mlacs_procinfo(me, count)
  call mlacs_gridinit(mlacs_comm_world(), 1, count, all, row, column, error)
  if (error /= MLACS_SUCCESS) stop 1
  out = [me + 1.0d0, 0.5d0]
  call mlacs_irecv(in, 2, 2, 1, MLACS_DOUBLE_PRECISION, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 7, all, &
    arriving)
  call mlacs_send(out, 2, 2, 1, MLACS_DOUBLE_PRECISION, 0, mod(me + 1, count), 7, all)
  call mlacs_wait(arriving, status)
  call mlacs_allreduce_sum(in, in, 2, 2, 1, MLACS_DOUBLE_PRECISION, row)
  if (status%count /= 2 .or. nint(in(1)) /= count * (count + 1) / 2) call mlacs_abort(all, 1)
  if (me == 0) print '(a, i0, a)', 'right: ', count, ' processes'
  call mlacs_gridexit(all, row, column)
  call mlacs_exit()
end program client
