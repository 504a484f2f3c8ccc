! BSP2D from Fortran, every routine of the module: all four types and integers go from process to process, general
! and trapezoidal; puts, gets, buffers and collective calls give what the same on one process gives.
program bsp_fortran
  use, intrinsic :: iso_c_binding
  use bsp2d
  implicit none
  type(c_ptr) :: grid, other
  integer :: me, processes, rows, columns, row, column, passed = 0, failed = 0

  call bsp_begin(bsp_nprocs())
  processes = bsp_nprocs()
  rows = merge(2, 1, mod(processes, 2) == 0)
  columns = processes / rows
  grid = bsp2d_gridinit('R', rows, columns)
  call bsp2d_gridinfo(grid, rows, columns, row, column)
  me = bsp2d_pid(grid, row, column)
  call check('gridinfo', me == bsp_pid() .and. rows * columns == processes)
  call messages()
  call trapezoids()
  call registered()
  call matrices_put()
  call collective()
  call numbers()
  call report()
  call bsp2d_gridexit(grid)
  call bsp_end()
  if (failed > 0) stop 1

contains

  subroutine check(name, good)
    character(len=*), intent(in) :: name
    logical, intent(in) :: good
    if (good) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(A, I0, 2A)', 'process ', me, ': ', name
    end if
  end subroutine

  ! To the process above, of each type; what comes is of the one below.
  subroutine messages()
    integer, target :: i(3, 4), gi(5, 4)
    real, target :: s(3, 4), gs(5, 4)
    double precision, target :: d(3, 4), gd(5, 4)
    complex, target :: c(3, 4), gc(5, 4)
    complex(kind(1d0)), target :: z(3, 4), gz(5, 4)
    double precision, pointer :: p(:,:)
    type(bsp2d_view) :: found
    integer :: to, from
    to = mod(me + 1, processes)
    from = mod(me + processes - 1, processes)
    i = me + reshape([integer :: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [3, 4])
    s = real(i); d = dble(i); c = cmplx(i, -i); z = dcmplx(i, 2 * i)
    call bsp2d_send(grid, to / columns, mod(to, columns), bsp2d_ge(3, 4, i, 3))
    call bsp2d_send(grid, to / columns, mod(to, columns), bsp2d_ge(3, 4, s, 3))
    call bsp2d_send(grid, to / columns, mod(to, columns), bsp2d_ge(3, 4, c, 3))
    call bsp2d_send(grid, to / columns, mod(to, columns), bsp2d_ge(3, 4, z, 3))
    call bsp2d_hpsend(grid, to / columns, mod(to, columns), bsp2d_ge(2, 4, d(2, 1), 3))
    call bsp2d_sync(grid)
    call check('qsize', bsp2d_qsize(grid, from / columns, mod(from, columns)) == 5)
    call check('peek', bsp2d_peek(grid, from / columns, mod(from, columns), found) /= 0 .and. found%m == 3)
    gi = 0; gs = 0; gc = 0; gz = 0; gd = 0
    call bsp2d_move(grid, from / columns, mod(from, columns), bsp2d_ge(3, 4, gi(2, 1), 5))
    call bsp2d_move(grid, from / columns, mod(from, columns), bsp2d_ge(3, 4, gs, 5))
    call bsp2d_move(grid, from / columns, mod(from, columns), bsp2d_ge(3, 4, gc, 5))
    call bsp2d_move(grid, from / columns, mod(from, columns), bsp2d_ge(3, 4, gz, 5))
    call bsp2d_hpmove(grid, from / columns, mod(from, columns), found)
    call bsp2d_pointer(found, p)
    i = i - me + from
    call check('integers', all(gi(2:4, :) == i) .and. all(gi(1::4, :) == 0))
    call check('reals', all(nint(gs(1:3, :)) == i))
    call check('complex', all(nint(real(gc(1:3, :))) == i .and. nint(aimag(gc(1:3, :))) == -i))
    call check('double complex', all(nint(dble(gz(1:3, :))) == i .and. nint(dimag(gz(1:3, :))) == 2 * i))
    call check('read where it lies', all(shape(p) == [2, 4]) .and. all(nint(p) == i(2:3, :)))
  end subroutine

  subroutine trapezoids()
    double precision, target :: a(4, 4), b(4, 4)
    integer :: i, j
    a = me + 1
    b = -1
    call bsp2d_send(grid, row, column, bsp2d_tr('U', 'U', 4, 4, a, 4))
    call bsp2d_sync(grid)
    call bsp2d_move(grid, row, column, bsp2d_tr('U', 'U', 4, 4, b, 4))
    call check('trapezoid', all([((nint(b(i, j)) == merge(me + 1, -1, i < j), i = 1, 4), j = 1, 4)]))
  end subroutine

  subroutine registered()
    integer, target :: place(0:processes - 1), got(0:processes - 1)
    integer :: q
    integer(c_int), pointer :: buffer(:)
    type(c_ptr) :: memory
    place = -1
    call bsp2d_push_reg(grid, place, int(4 * processes, c_size_t))
    memory = bsp2d_buffer(grid, int(4 * processes, c_size_t))
    call c_f_pointer(memory, buffer, [processes])
    call bsp2d_sync(grid)
    do q = 0, processes - 1
      call bsp2d_put(grid, q, 100 * me + q, place, int(4 * me, c_size_t), 4_c_size_t)
      got(q) = me
      call bsp2d_hpput(grid, q, got(q), buffer, int(4 * me, c_size_t), 4_c_size_t)
    end do
    call bsp2d_sync(grid)
    call check('put', all(place == [(100 * q + me, q = 0, processes - 1)]))
    call check('buffer', all(buffer == [(q, q = 0, processes - 1)]))
    do q = 0, processes - 1
      call bsp2d_get(grid, q, place, int(4 * me, c_size_t), got(q), 4_c_size_t)
    end do
    call bsp2d_sync(grid)
    call check('get', all(got == [(100 * me + q, q = 0, processes - 1)]))
    call bsp2d_hpget(grid, 0, place, 0_c_size_t, got, 4_c_size_t)
    call bsp2d_buffer_free(grid, memory)
    call bsp2d_pop_reg(grid, place)
    call bsp2d_sync(grid)
    call check('hpget', got(0) == 0)
  end subroutine

  ! A row put into a row of the next process's matrix.
  subroutine matrices_put()
    real, target :: a(3, 5)
    integer :: k
    a = 0
    a(2, :) = [(10.0 * me + k, k = 1, 5)]
    call bsp2d_push_reg(grid, a, int(4 * size(a), c_size_t))
    call bsp2d_sync(grid)
    call bsp2d_put_matrix(grid, mod(me + 1, processes), bsp2d_ge(1, 5, a(2, 1), 3), a, 2_c_size_t, 3_c_size_t)
    call bsp2d_sync(grid)
    call check('put_matrix', all(nint(a(3, :)) == [(10 * mod(me + processes - 1, processes) + k, k = 1, 5)]))
    call bsp2d_pop_reg(grid, a)
    call bsp2d_sync(grid)
  end subroutine

  subroutine collective()
    double precision, target :: a(2, 3), most(4)
    integer(c_int) :: owner(4)
    integer :: all_of(0:processes - 1), q
    a = me
    call bsp2d_bcast(grid, 'A', rows - 1, columns - 1, bsp2d_ge(2, 3, a, 2))
    call check('bcast', all(nint(a) == processes - 1))
    a = me + 1
    call bsp2d_reduce(grid, 'A', bsp2d_sum, bsp2d_ge(2, 3, a, 2), ld_owner=0_c_size_t)
    call check('sum', all(nint(a) == processes * (processes + 1) / 2))
    most = [dble(column), -dble(column), 1d0, dble(-2 * column)]
    call bsp2d_reduce(grid, 'R', bsp2d_max_abs, bsp2d_ge(4, 1, most, 4), owner, 4_c_size_t)
    call check('max_abs', owner(1) == columns - 1 .and. nint(abs(most(4))) == 2 * (columns - 1) .and. owner(3) == 0)
    call bsp2d_replicate(grid, 'A', 0, 0, me, 4_c_size_t, all_of)
    call check('replicate', all(all_of == [(q, q = 0, processes - 1)]))
    a = 2
    call bsp2d_reduce_by(grid, 'A', bsp2d_operation(c_funloc(multiply), c_null_ptr, 8_c_size_t), bsp2d_ge(2, 3, a, 2))
    call check('reduce_by', all(nint(a) == 2 ** processes))
  end subroutine

  subroutine multiply(n, acc, in, context) bind(c)
    integer(c_size_t), value :: n
    type(c_ptr), value :: context
    real(c_double) :: acc(n), in(n)
    if (.not. c_associated(context)) acc = acc * in
  end subroutine

  subroutine numbers()
    type(bsp2d_cost) :: cost
    integer :: q
    call bsp2d_costs(grid, cost, 0)
    call check('costs', cost%supersteps > 5 .and. (cost%sent > 0 .eqv. processes > 1))
    other = bsp2d_gridmap([(q, q = 0, processes - 1)], processes, processes, 1)
    call bsp2d_sync(other)
    call bsp2d_gridexit(other)
    call check('gridmap', c_associated(other))
  end subroutine

  subroutine report()
    integer, target :: sums(2)
    sums = [passed, failed]
    call bsp2d_reduce(grid, 'A', bsp2d_sum, bsp2d_ge(2, 1, sums, 2), ld_owner=0_c_size_t)
    if (me == 0) print '(I0, A, I0, A)', sums(1), ' passed, ', sums(2), ' failed'
  end subroutine
end program
