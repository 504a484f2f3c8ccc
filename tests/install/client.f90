! The same client in Fortran, with the module's explicit interfaces: arrays of
! rank one and two and a scalar all fit.
program client
  use blacs
  implicit none
  integer :: me, count, context, rows, columns, row, column, one(1)
  double precision :: out(2), in(2, 1), scalar

  call blacs_pinfo(me, count)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, count)
  call blacs_gridinfo(context, rows, columns, row, column)

  out = [me + 1.0d0, 0.5d0]
  call dgesd2d(context, 2, 1, out, 2, 0, mod(column + 1, columns))
  call dgerv2d(context, 2, 1, in, 2, 0, mod(column + columns - 1, columns))
  call dgsum2d(context, 'All', ' ', 2, 1, in, 2, -1, -1)
  scalar = me
  call dgamx2d(context, 'All', ' ', 1, 1, scalar, 1, one, one, -1, -1, -1)

  if (in(1, 1) /= count * (count + 1) / 2.0d0 .or. in(2, 1) /= 0.5d0 * count &
      .or. scalar /= count - 1) then
    call blacs_abort(context, 1)
  end if
  if (me == 0) print '(a, i0, a)', 'right: ', count, ' processes'
  call blacs_gridexit(context)
  call blacs_exit(0)
end program client
