! C = A B on a ring of processes, pipelined with the MLACS, as in ring.c: each process has
! some columns of all three matrices. The blocks of A go around the ring; while a process
! multiplies with one, it is already sent on and the next one is on its way in.
!
!     obrun -n 2 ring_fortran [N]        mpirun -n 2 ring_fortran [N]
program ring
  use mlacs
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: runs = 5
  integer :: me, nprocs, all, row, column, n, r
  real(real64), allocatable :: space(:, :, :), b(:, :), c(:, :), reference(:, :)
  real(real64) :: alone, took(runs), start, worst
  character(len=20) :: word

  call mlacs_procinfo(me, nprocs)
  call mlacs_gridinit(mlacs_comm_world(), 1, nprocs, all, row, column)
  n = 1200
  call get_command_argument(1, word)
  if (word /= ' ') read (word, *) n
  ! Two blocks of A, of the widest kind; the first starts as this process's own.
  allocate (space(n, width(0), 0:1), b(n, width(me)), c(n, width(me)), reference(n, n))
  alone = 0
  if (me == 0) call multiply_alone
  call fill(b, first(me), 1)
  do r = 1, runs
    call fill(space(:, :width(me), 0), first(me), 0)
    c = 0
    call mlacs_barrier(all)
    start = now()
    call multiply_in_turn
    took(r) = now() - start
  end do
  call mlacs_allreduce_maxloc(took, took, runs, runs, 1, ldia=runs, &
    datatype=MLACS_DOUBLE_PRECISION, comm=all)
  call mlacs_bcast(reference, n, n, n, MLACS_DOUBLE_PRECISION, 0, 0, all)
  worst = 0
  if (width(me) > 0) worst = maxval(abs(c - reference(:, first(me) + 1:first(me) + width(me))))
  call report
  call mlacs_gridexit(all, row, column)
  call mlacs_exit()
  if (worst > 1d-12 * n) stop 1

contains

  ! Columns first + 1 .. first + width belong to process p.
  pure integer function width(p)
    integer, intent(in) :: p
    width = n / nprocs
    if (p < mod(n, nprocs)) width = width + 1
  end function

  pure integer function first(p)
    integer, intent(in) :: p
    first = n / nprocs * p + min(p, mod(n, nprocs))
  end function

  real(real64) function now()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    now = real(ticks, real64) / real(rate, real64)
  end function

  ! Columns of A (kind 0) or B (kind 1), known to everybody so that C can be checked.
  subroutine fill(a, before, kind)
    real(real64), intent(out) :: a(:, :)
    integer, intent(in) :: before, kind
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, n
        a(i, j) = real(mod((i - 1) * 7 + (before + j - 1) * 13 + kind * 5, 17) - 8, real64) / 8
      end do
    end do
  end subroutine

  subroutine multiply_in_turn
    integer :: step, owner, next, left, right, w
    type(mlacs_request) :: move(2)
    left = mod(me + nprocs - 1, nprocs)
    right = mod(me + 1, nprocs)
    do step = 0, nprocs - 1
      owner = mod(me + step, nprocs)
      next = mod(owner + 1, nprocs)
      w = width(owner)
      move = MLACS_REQUEST_NULL
      if (step + 1 < nprocs) then
        call mlacs_irecv(space(:, :, mod(step + 1, 2)), n, n, width(next), &
          MLACS_DOUBLE_PRECISION, 0, right, step, all, move(1))
        call mlacs_isend(space(:, :, mod(step, 2)), n, n, w, MLACS_DOUBLE_PRECISION, 0, left, &
          step, all, move(2))
      end if
      c = c + matmul(space(:, :w, mod(step, 2)), b(first(owner) + 1:first(owner) + w, :))
      call mlacs_waitall(2, move)
    end do
  end subroutine

  ! Process 0 does all of it while the others wait; the best of some runs.
  subroutine multiply_alone
    real(real64), allocatable :: whole_a(:, :), whole_b(:, :)
    integer :: r
    allocate (whole_a(n, n), whole_b(n, n))
    call fill(whole_a, 0, 0)
    call fill(whole_b, 0, 1)
    alone = huge(alone)
    do r = 1, 3
      start = now()
      reference = matmul(whole_a, whole_b)
      alone = min(alone, now() - start)
    end do
  end subroutine

  ! The median run, each run as long as its slowest process.
  subroutine report
    integer :: i, j
    real(real64) :: t, all_worst(1)
    all_worst = worst
    call mlacs_allreduce_maxloc(all_worst, all_worst, 1, 1, 1, ldia=1, &
      datatype=MLACS_DOUBLE_PRECISION, comm=all)
    worst = all_worst(1)
    do i = 2, runs
      do j = i, 2, -1
        if (took(j) >= took(j - 1)) exit
        t = took(j)
        took(j) = took(j - 1)
        took(j - 1) = t
      end do
    end do
    t = took((runs + 1) / 2)
    if (me == 0) print '(a,i0,a,f8.1,a,i0,a,f8.1,a,f0.2,a,es7.1,2a)', 'n = ', n, ': 1 process ', &
      1d3 * alone, ' ms, ', nprocs, ' processes ', 1d3 * t, ' ms, speed-up ', alone / t, &
      '; largest error ', worst, ', ', merge('right', 'WRONG', worst <= 1d-12 * n)
  end subroutine
end program
