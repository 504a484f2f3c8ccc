! Redistribution from Fortran, through the module, with default integers of 32 or of 64 bits: a matrix from a grid of
! all processes to the first one alone, back as its transpose, and the upper triangle; and two put together.
program fortran
  use blacs
  use redist
  implicit none
  integer, parameter :: m = 37, n = 23
  integer :: me, processes, all, one, passed, failed, i, j, sums(2, 1), desca(9), descb(9), descc(9), columns
  double precision, allocatable :: a(:, :), b(:, :), c(:, :)
  complex(kind(1d0)), allocatable :: x(:, :), y(:, :)
  passed = 0
  failed = 0
  call blacs_pinfo(me, processes)
  call blacs_get(-1, 0, all)
  call blacs_gridinit(all, 'Row', 1, processes)
  call blacs_get(-1, 0, one)
  call blacs_gridinit(one, 'Row', 1, 1)
  if (me > 0) one = -1
  ! Columns one by one over all processes; everything on the first.
  columns = (n - me + processes - 1) / processes
  desca = [1, all, m, n, 5, 1, 0, 0, m]
  descb = [1, one, m, n, 64, 64, 0, 0, m]
  allocate (a(m, max(columns, 1)), b(m, n), x(m, max(columns, 1)), y(m, n))
  do j = 1, columns
    do i = 1, m
      a(i, j) = element(i, me + 1 + (j - 1) * processes)
      x(i, j) = cmplx(a(i, j), -1, kind(1d0))
    end do
  end do
  b = -1
  y = -1
  call pdgemr2d(m, n, a, 1, 1, desca, b, 1, 1, descb, all)
  call ob_pztrmr2d('U', 'N', m, n, x, 1, 1, desca, y, 1, 1, descb, all)
  do j = 1, n
    do i = 1, m
      if (me == 0) call check(nint(b(i, j)) == nint(element(i, j)))
      if (me == 0 .and. i <= j + m - n) call check(nint(real(y(i, j))) == nint(element(i, j)) .and. nint(aimag(y(i, j))) == -1)
      if (me == 0 .and. i > j + m - n) call check(nint(real(y(i, j))) == -1 .and. nint(aimag(y(i, j))) == 0)
    end do
  end do
  ! Both again, put together: nothing is there before the end.
  b = -1
  y = -1
  call ob_redist_together_begin()
  call pdgemr2d(m, n, a, 1, 1, desca, b, 1, 1, descb, all)
  call ob_pztrmr2d('U', 'N', m, n, x, 1, 1, desca, y, 1, 1, descb, all)
  call check(count(nint(b) == -1) == m * n)
  call ob_redist_together_end()
  do j = 1, n
    do i = 1, m
      if (me == 0) call check(nint(b(i, j)) == nint(element(i, j)))
      if (me == 0 .and. i <= j + m - n) call check(nint(real(y(i, j))) == nint(element(i, j)))
    end do
  end do
  ! The transpose, two and a half times.
  columns = (m - me + processes - 1) / processes
  descc = [1, all, n, m, 5, 1, 0, 0, n]
  allocate (c(n, max(columns, 1)))
  c = 2
  call pdtran(n, m, 2.5d0, a, 1, 1, desca, 3d0, c, 1, 1, descc)
  do j = 1, columns
    do i = 1, n
      call check(abs(c(i, j) - 6 - 2.5d0 * element(me + 1 + (j - 1) * processes, i)) < 1d-9)
    end do
  end do
  sums(:, 1) = [passed, failed]
  call igsum2d(all, 'All', ' ', 2, 1, sums, 2, -1, -1)
  if (me == 0) print '(I0, A, I0, A)', sums(1, 1), ' passed, ', sums(2, 1), ' failed'
  call blacs_exit(0)
contains
  double precision function element(i, j)
    integer, intent(in) :: i, j
    element = 1000 * j + i
  end function
  subroutine check(good)
    logical, intent(in) :: good
    if (good) then
      passed = passed + 1
    else
      failed = failed + 1
    end if
  end subroutine
end program
