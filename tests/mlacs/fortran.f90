! The module mlacs as a Fortran program uses it: grids, all kinds of sends and receives,
! requests and statuses, collective calls, error codes. Any number of processes.
program fortran
  use, intrinsic :: iso_c_binding, only: c_int
  use mlacs
  implicit none
  integer :: me, nprocs, passed = 0, failed = 0, error
  integer :: all, row, column, counts(2)
  logical :: flag

  call mlacs_initialized(flag, error)
  call check(.not. flag .and. error == MLACS_SUCCESS, 'initialized too early')
  call mlacs_procinfo(me, nprocs)
  call mlacs_gridinit(mlacs_comm_world(), 1, nprocs, all, row, column, error)
  call check(error == MLACS_SUCCESS, 'gridinit')
  call mlacs_initialized(flag)
  call check(flag, 'not initialized')
  call grids
  call messages
  call sums
  call overlapping
  call line(row)
  call wrong
  counts = [passed, failed]
  call mlacs_allreduce_sum(counts, counts, 2, 2, 1, MLACS_INTEGER, all)
  if (me == 0) print '(i0,a,i0,a)', counts(1), ' passed, ', counts(2), ' failed'
  call mlacs_gridexit(all, row, column, error)
  if (all /= mlacs_comm_null()) stop 1
  call mlacs_exit()
  if (counts(2) /= 0) stop 1

contains

  include 'check.inc'

  subroutine grids
    integer :: nrow, ncol, myrow, mycol, rank, i, j, map(1, nprocs), a, b, c
    call mlacs_gridinfo(all, nrow, ncol, myrow, mycol)
    call check(nrow == 1 .and. ncol == nprocs .and. myrow == 0 .and. mycol == me, 'gridinfo')
    call mlacs_gridinfo(row, nrow, ncol, myrow, mycol)
    call check(myrow == MLACS_IGNORE .and. mycol == me, 'gridinfo of the row')
    call mlacs_cart_rank(all, 0, nprocs - 1, rank)
    call mlacs_cart_coords(all, rank, i, j)
    call check(rank == nprocs - 1 .and. i == 0 .and. j == rank, 'cart_rank and cart_coords')
    map(1, :) = [(nprocs - i, i = 1, nprocs)]
    call mlacs_gridmap(map, 1, 1, nprocs, mlacs_comm_world(), a, b, c, error)
    call check(error == MLACS_SUCCESS, 'gridmap')
    call mlacs_gridinfo(a, nrow, ncol, myrow, mycol)
    call check(mycol == nprocs - 1 - me, 'a mapped grid')
    call mlacs_barrier(b)
    call mlacs_gridexit(a, b, c)
  end subroutine

  subroutine messages
    double precision :: a(8, 6), b(8, 6)
    complex :: z(5), w(5)
    integer :: left, right, i, j, index
    type(mlacs_request) :: r(3)
    type(mlacs_status) :: s, all_of(3)
    left = mod(me + nprocs - 1, nprocs)
    right = mod(me + 1, nprocs)
    do j = 1, 6
      a(:, j) = [(100 * me + 10 * j + i, i = 1, 8)]
    end do
    b = -1
    call mlacs_irecv(b(2, 2), 8, 3, 4, MLACS_DOUBLE_PRECISION, MLACS_ANY_ROW, MLACS_ANY_COLUMN, &
      MLACS_ANY_TAG, all, r(1), error)
    call mlacs_send(a(2, 2), 8, 3, 4, MLACS_DOUBLE_PRECISION, 0, right, 5, all, error)
    call check(error == MLACS_SUCCESS, 'send')
    call mlacs_wait(r(1), s, error)
    call check(error == MLACS_SUCCESS .and. s%row == 0 .and. s%column == left .and. s%tag == 5 &
      .and. s%count == 12, 'wait')
    call check(all_equal(b(2:4, 2:5), a(2:4, 2:5) + 100 * (left - me)) .and. nint(b(1, 2)) == -1 .and. &
      nint(b(5, 3)) == -1, 'a sub-matrix')
    b = -1
    call mlacs_irecv_trap(b, 8, 4, 4, 'L', 'N', MLACS_DOUBLE_PRECISION, 0, left, 6, all, r(1))
    call mlacs_issend_trap(a, 8, 4, 4, 'L', 'N', MLACS_DOUBLE_PRECISION, 0, right, 6, all, r(2))
    z = [(cmplx(me, i), i = 1, 5)]
    call mlacs_irecv(w, 5, 5, 1, MLACS_COMPLEX, 0, left, 7, all, r(3))
    call mlacs_bsend(z, 5, 5, 1, MLACS_COMPLEX, 0, right, 7, all)
    call mlacs_waitall(3, r, all_of, error)
    call check(error == MLACS_SUCCESS .and. all_of(1)%count == 10, 'waitall')
    call check(nint(b(4, 1) - a(4, 1)) == 100 * (left - me) .and. nint(b(1, 2)) == -1, 'a trapezoid')
    call check(nint(real(w(3))) == left .and. nint(aimag(w(5))) == 5, 'complex numbers')
    call mlacs_waitany(3, r, index, s, error)
    call check(index == 0, 'waitany without requests')
    call mlacs_irecv(w, 5, 5, 1, MLACS_COMPLEX, 0, left, 8, all, r(2))
    call mlacs_send(z, 5, 5, 1, MLACS_COMPLEX, 0, right, 8, all)
    call mlacs_waitany(3, r, index)
    call check(index == 2, 'waitany')
    call mlacs_irecv(w, 5, 5, 1, MLACS_COMPLEX, 0, left, 9, all, r(1))
    call mlacs_test(r(1), flag)
    call check(.not. flag, 'test of what nobody sent')
    call mlacs_cancel(r(1))
    call mlacs_wait(r(1), s)
    call check(s%cancelled == 1, 'cancel')
    call mlacs_barrier(all)
    call mlacs_send(z, 5, 5, 1, MLACS_COMPLEX, 0, right, 9, all)
    call mlacs_probe(0, left, 9, all, s)
    call check(s%count == 5 .and. s%type == MLACS_COMPLEX, 'probe')
    call mlacs_recv(w, 5, 5, 1, MLACS_COMPLEX, 0, left, 9, all)
    call mlacs_iprobe(0, left, 9, all, flag)
    call check(.not. flag, 'iprobe')
  end subroutine

  logical function all_equal(x, y)
    double precision, intent(in) :: x(:, :), y(:, :)
    all_equal = maxval(abs(x - y)) < 0.5d0
  end function

  subroutine sums
    double precision :: a(3, 2), b(3, 2)
    integer :: ranks(3, 2)
    a = me + 1
    call mlacs_reduce_sum(a, b, 3, 3, 2, MLACS_DOUBLE_PRECISION, MLACS_IGNORE, 0, row, error)
    if (me == 0) call check(all_equal(b, a * (nprocs * (nprocs + 1) / 2)), 'reduce_sum')
    a(2, 1) = -nprocs * 2 + me
    call mlacs_allreduce_maxloc(a, b, 3, 3, 2, ranks, 3, MLACS_DOUBLE_PRECISION, all)
    call check(ranks(1, 1) == nprocs - 1 .and. nint(b(1, 1)) == nprocs, 'maxloc')
    call mlacs_allreduce_minloc(a, b, 3, 3, 2, ranks, 3, MLACS_DOUBLE_PRECISION, all)
    call check(ranks(2, 1) == 0 .and. nint(b(2, 1)) == -2 * nprocs, 'minloc')
    call mlacs_allreduce_maxabsloc(a, b, 3, 3, 2, ranks, 3, MLACS_DOUBLE_PRECISION, all)
    call check(ranks(2, 1) == 0 .and. ranks(3, 2) == nprocs - 1, 'maxabsloc')
    a = me
    call mlacs_bcast(a(1, 2), 3, 2, 1, MLACS_DOUBLE_PRECISION, 0, nprocs - 1, all)
    call check(nint(a(1, 2)) == nprocs - 1 .and. nint(a(3, 2)) == me, 'bcast')
    call mlacs_bcast_trap(a, 3, 2, 2, 'U', 'N', MLACS_DOUBLE_PRECISION, MLACS_IGNORE, 0, row)
    call check(nint(a(1, 1)) == 0 .and. nint(a(2, 1)) == me, 'bcast_trap')
  end subroutine

  subroutine overlapping
    double precision, asynchronous :: a(3, 2), b(3, 2), c(3, 2), d(3, 2)
    type(mlacs_request) :: requests(5)
    a = me + 1
    d = me
    call mlacs_ireduce_sum(a, b, 3, 3, 2, MLACS_DOUBLE_PRECISION, 0, 0, all, requests(1))
    call mlacs_iallreduce_sum(a, c, 3, 3, 2, MLACS_DOUBLE_PRECISION, row, requests(2), error)
    call check(error == MLACS_SUCCESS, 'iallreduce_sum')
    call mlacs_ibcast(d(1, 2), 3, 2, 1, MLACS_DOUBLE_PRECISION, 0, nprocs - 1, all, requests(3))
    call mlacs_ibcast_trap(d, 3, 2, 1, 'U', 'N', MLACS_DOUBLE_PRECISION, 0, 0, all, requests(4))
    call mlacs_ibarrier(all, requests(5))
    call mlacs_waitall(5, requests, error=error)
    call check(error == MLACS_SUCCESS, 'waitall')
    if (me == 0) call check(all_equal(b, a * 0 + nprocs * (nprocs + 1) / 2), 'ireduce_sum')
    call check(all_equal(c, a * 0 + nprocs * (nprocs + 1) / 2), 'iallreduce_sum')
    call check(nint(d(1, 2)) == nprocs - 1 .and. nint(d(3, 2)) == me, 'ibcast')
    call check(nint(d(1, 1)) == 0 .and. nint(d(3, 1)) == me, 'ibcast_trap')
    call mlacs_ibarrier(mlacs_comm_null(), requests(5), error)
    call check(error == MLACS_ERR_COMM, 'ibarrier of no communicator')
  end subroutine

  subroutine line(comm)
    integer, intent(in) :: comm
    integer :: mine(1), got(1), before
    type(mlacs_status) :: status
    mine = 7 * me
    before = mod(me + nprocs - 1, nprocs)
    call mlacs_send(mine, 1, 1, 1, MLACS_INTEGER, MLACS_IGNORE, mod(me + 1, nprocs), 4, comm, error)
    call check(error == MLACS_SUCCESS, 'send in a row')
    call mlacs_recv(got, 1, 1, 1, MLACS_INTEGER, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 4, comm, status, error)
    call check(error == MLACS_SUCCESS .and. got(1) == 7 * before, 'recv in a row')
    call check(status%row == MLACS_IGNORE .and. status%column == before, 'the status in a row')
  end subroutine

  subroutine wrong
    double precision :: a(2)
    character(len=80) :: text
    interface
      integer(c_int) function ob_together_begin() bind(c)
        import c_int
      end function
      integer(c_int) function ob_together_end() bind(c)
        import c_int
      end function
    end interface
    call check(ob_together_begin() == 0, 'together_begin')
    call mlacs_recv(a, 2, 2, 1, MLACS_DOUBLE_PRECISION, 0, 0, 0, all, error=error)
    call check(error == MLACS_ERR_ARG, 'recv among calls that are put together')
    call check(ob_together_end() == 0, 'together_end')
    call mlacs_recv(a, 2, 2, 1, MLACS_DOUBLE_PRECISION, MLACS_ANY_ROW, 0, 0, all, error=error)
    call check(error == MLACS_ERR_WILDCARD, 'half a wildcard')
    call mlacs_error_text(text)
    call check(text(1:11) == 'mlacs_recv:', 'error_text')
    call mlacs_error_string(error, text)
    call check(index(text, 'wildcard') > 0, 'error_string')
    call mlacs_send(a, 1, 2, 1, MLACS_DOUBLE_PRECISION, 0, 0, 0, all, error)
    call check(error == MLACS_ERR_SIZE, 'a leading dimension')
    call mlacs_send(a, 2, 2, 1, MLACS_DOUBLE_PRECISION, 1, 0, 0, row, error)
    call check(error == MLACS_ERR_PROCESS, 'a row has no row 1')
    call mlacs_barrier(mlacs_comm_world(), error)
    call check(error == MLACS_ERR_COMM, 'no communicator of a grid')
  end subroutine
end program
