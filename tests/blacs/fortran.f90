! The module `blacs` and the Fortran symbols: matrices given as scalars, arrays
! of rank one and two, array elements and sections, in every type; constants
! for unused arguments. Runs with any number of processes.
module operations
  implicit none
contains
  subroutine add(n, w, v)
    integer, intent(in) :: n, v(n)
    integer, intent(inout) :: w(n)
    w = w + v
  end subroutine

  ! An element as itself and one and a half of it.
  subroutine spread_out(n, x, w)
    integer, intent(in) :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: w(2, n)
    w(1, :) = x
    w(2, :) = 1.5 * x
  end subroutine
  subroutine add_two(n, w, v)
    integer, intent(in) :: n
    double precision, intent(inout) :: w(2, n)
    double precision, intent(in) :: v(2, n)
    w = w + v
  end subroutine
  subroutine gather(n, w, x)
    integer, intent(in) :: n
    double precision, intent(in) :: w(2, n)
    double precision, intent(out) :: x(n)
    x = w(1, :) + w(2, :)
  end subroutine
end module operations

program fortran
  use blacs
  use blacs_extensions
  use operations
  implicit none
  integer, parameter :: wide = kind(1d0)
  ! Equal to the last bit. A compiler may warn of == between numbers that are not whole.
  interface same
    procedure same_s, same_d, same_c, same_z
  end interface
  integer :: me, count, context, rows, columns, row, column, passed, failed, next, last

  passed = 0
  failed = 0
  call blacs_pinfo(me, count)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, count)
  call blacs_gridinfo(context, rows, columns, row, column)
  call check(rows == 1 .and. columns == count .and. row == 0 .and. column == me, 'gridinfo')
  next = mod(column + 1, count)
  last = mod(column + count - 1, count)

  call scalars()
  call arrays()
  call trapezoids()
  call broadcasts()
  call combines()
  call extensions()
  call begun()
  call support()
  call finish()

contains
  include '../check.inc'

  elemental logical function same_s(a, b)
    real, intent(in) :: a, b
    same_s = abs(a - b) <= 0
  end function

  elemental logical function same_d(a, b)
    double precision, intent(in) :: a, b
    same_d = abs(a - b) <= 0
  end function

  elemental logical function same_c(a, b)
    complex, intent(in) :: a, b
    same_c = abs(a - b) <= 0
  end function

  elemental logical function same_z(a, b)
    complex(wide), intent(in) :: a, b
    same_z = abs(a - b) <= 0
  end function

  subroutine scalars()
    integer :: i
    real :: s
    double precision :: d
    complex :: c
    complex(wide) :: z
    call igesd2d(context, 1, 1, 10 + me, 1, 0, next)
    call sgesd2d(context, 1, 1, 20.5 + me, 1, 0, next)
    call dgesd2d(context, 1, 1, 30.25d0 + me, 1, 0, next)
    call cgesd2d(context, 1, 1, cmplx(me, -1), 1, 0, next)
    call zgesd2d(context, 1, 1, cmplx(me, -2, wide), 1, 0, next)
    call igerv2d(context, 1, 1, i, 1, 0, last)
    call sgerv2d(context, 1, 1, s, 1, 0, last)
    call dgerv2d(context, 1, 1, d, 1, 0, last)
    call cgerv2d(context, 1, 1, c, 1, 0, last)
    call zgerv2d(context, 1, 1, z, 1, 0, last)
    call check(i == 10 + last, 'integer scalar')
    call check(same(s, 20.5 + last), 'real scalar')
    call check(same(d, 30.25d0 + last), 'double precision scalar')
    call check(same(c, cmplx(last, -1)), 'complex scalar')
    call check(same(z, cmplx(last, -2, wide)), 'double complex scalar')
  end subroutine

  ! A 2 x 3 block in the middle of a 5 x 6 array goes out from an element and
  ! comes in as a vector, a matrix, a section, and at an element again.
  subroutine arrays()
    double precision :: a(5, 6), line(6), block(2, 3), b(5, 6), third(1, 2, 3)
    integer :: i, j
    do j = 1, 6
      do i = 1, 5
        a(i, j) = i + 10 * j + 1000 * me
      end do
    end do
    do i = 1, 5
      call dgesd2d(context, 2, 3, a(3, 2), 5, 0, next)
    end do
    call dgerv2d(context, 6, 1, line, 6, 0, last)
    call check(all(same(line, [23, 24, 33, 34, 43, 44] + 1000d0 * last)), 'vector')
    call dgerv2d(context, 2, 3, block, 2, 0, last)
    call check(all(same(reshape(block, [6]), line)), 'matrix')
    call dgerv2d(context, 2, 3, third, 2, 0, last)
    call check(all(same(reshape(third, [6]), line)), 'array of rank three')
    b = -1
    call dgerv2d(context, 2, 3, b(2, 4), 5, 0, last)
    call check(all(same(reshape(b(2:3, 4:6), [6]), line)), 'element')
    call check(same(sum(b), sum(line) - 24), 'around the element')
    b = -1
    call dgerv2d(context, 2, 3, b(1:3:2, 1:3), 2, 0, last)
    call check(all(same(reshape(b(1:3:2, 1:3), [6]), line)), 'section')
    call check(same(sum(b), sum(line) - 24), 'around the section')
  end subroutine

  subroutine trapezoids()
    complex(wide) :: a(4, 3), b(4, 3)
    integer :: i, j
    a = cmplx(me, 7, wide)
    b = (-1d0, -1d0)
    call ztrsd2d(context, 'Upper', 'Unit', 4, 3, a, 4, 0, next)
    call ztrrv2d(context, 'u', 'u', 4, 3, b, 4, 0, last)
    do j = 1, 3
      do i = 1, 4
        if (i < j + 1) then
          call check(same(b(i, j), cmplx(last, 7, wide)), 'inside the trapezoid')
        else
          call check(same(b(i, j), (-1d0, -1d0)), 'outside the trapezoid')
        end if
      end do
    end do
  end subroutine

  subroutine broadcasts()
    character, parameter :: tops(4) = [' ', 'I', 'h', '2']
    real :: a(3, 2)
    integer :: root, k
    do root = 0, count - 1
      do k = 1, size(tops)
        a = root + 100 * k
        if (root == me) then
          call sgebs2d(context, 'All', tops(k), 3, 2, a, 3)
          call strbs2d(context, 'Row', tops(k), 'L', 'N', 3, 2, a, 3)
        else
          a = -1
          call sgebr2d(context, 'All', tops(k), 3, 2, a, 3, 0, root)
          call strbr2d(context, 'Row', tops(k), 'L', 'N', 3, 2, a, 3, 0, root)
        end if
        call check(all(same(a, real(root + 100 * k))), 'broadcast')
      end do
    end do
  end subroutine

  subroutine combines()
    integer :: total, ra(2, 2), ca(2, 2)
    double precision :: x
    complex :: c(2, 2)
    total = me
    call igsum2d(context, 'All', ' ', 1, 1, total, 1, -1, 0)
    call check(total == count * (count - 1) / 2, 'igsum2d')
    x = -me
    call dgamx2d(context, 'Row', '1', 1, 1, x, 1, -1, -1, -1, -1, -1)
    call check(same(x, -dble(count - 1)), 'dgamx2d without locations')
    c = cmplx(me + 1, -me)
    call cgamn2d(context, 'a', 'h', 2, 2, c, 2, ra, ca, 2, -1, -1)
    call check(all(same(c, (1.0, 0.0))) .and. all(ra == 0) .and. all(ca == 0), 'cgamn2d')
    c = cmplx(me, 1)
    call cgamx2d(context, 'a', ' ', 2, 2, c, 2, ra, ca, 2, 0, count - 1)
    if (me == count - 1) call check(all(ca == count - 1) .and. all(ra == 0), 'cgamx2d')
  end subroutine

  ! Beyond the netlib BLACS: a scope, a wildcard receive, combines of trapezoids.
  subroutine extensions()
    integer :: scope, rows(count), columns(count), k, from, rsrc, csrc, bits(2), row, column
    double precision :: t(2, 2)
    rows = 0
    columns = [(count - k, k = 1, count)]
    call blacs_scope(context, count, rows, columns, scope)
    from = me
    call igesd2d(scope, 1, 1, me, 1, 0, next)
    rsrc = -1
    csrc = -1
    call igerv2d(scope, 1, 1, from, 1, rsrc, csrc)
    call check(rsrc == 0 .and. csrc == last .and. from == last, 'wildcard receive')
    ! A source that is a constant cannot come back, and is no crash.
    call igesd2d(scope, 1, 1, me, 1, 0, next)
    call igerv2d(scope, 1, 1, from, 1, -1, -1)
    call check(from == last, 'wildcard receive from constants')
    call blacs_source(scope, row, column)
    call check(row == 0 .and. column == last, 'blacs_source')
    bits = [1, 2]
    call ituop2d(scope, 'All', ' ', 'G', ' ', 2, 1, bits, 2, -1, -1, 1, combine=add)
    call check(all(bits == [count, 2 * count]), 'ituop2d')
    t = 2
    call dtuop2d(scope, 'All', ' ', 'L', 'N', 2, 2, t, 2, -1, -1, 2, spread_out, add_two, gather)
    call check(same(t(2, 1), 5d0 * count) .and. same(t(1, 2), 2d0), 'dtuop2d')
    t = 3
    call dtnrm2d(scope, 'All', ' ', 'U', 'N', 2, 2, t, 2, -1, -1)
    call check(abs(t(1, 2) - 3 * sqrt(dble(count))) < 1d-14 * count .and. same(t(2, 1), 3d0), 'dtnrm2d')
    call blacs_gridexit(scope)
  end subroutine

  ! Calls that are begun, in the order of all processes, and ended in another one.
  subroutine begun()
    double precision, asynchronous :: t(3, 2), total(2)
    complex, asynchronous :: z(2)
    integer, asynchronous :: largest(2), ra(2), ca(2), bits(2)
    integer :: request(6), done
    call blacs_gridinfo(context, rows, columns, row, column)
    t = me
    total = 2
    z = (1., 2.)
    largest = me
    bits = [4, merge(1, 2, me == 0)]
    if (row == 0 .and. column == 0) then
      call dtrbs2d_begin(context, 'All', ' ', 'U', 'N', 2, 2, t, 3, request(1))
      call cgebs2d_begin(context, 'All', ' ', 2, 1, z, 2, request(2))
    else
      z = 0
      call dtrbr2d_begin(context, 'All', ' ', 'U', 'N', 2, 2, t, 3, 0, 0, request(1))
      call cgebr2d_begin(context, 'All', ' ', 2, 1, z, 2, 0, 0, request(2))
    end if
    call dgsum2d_begin(context, 'All', 'h', 2, 1, total, 2, -1, -1, request(3))
    call igamx2d_begin(context, 'All', ' ', 2, 1, largest, 2, ra, ca, 2, -1, -1, request(4))
    call itior2d_begin(context, 'All', ' ', 'G', 'N', 2, 1, bits, 2, -1, -1, request(5))
    call blacs_barrier_begin(context, 'All', request(6))
    done = 0
    do while (done == 0)
      call blacs_test(request(4), done)
    end do
    call blacs_waitall(2, request(5))
    call blacs_wait(request(3))
    call blacs_waitall(2, request)
    call check(all(request == -1), 'requests that are ended')
    call check(same(t(1, 2), 0d0) .and. same(t(2, 2), 0d0), 'dtrbr2d_begin')
    call check(same(t(2, 1), dble(me)) .and. same(t(3, 2), dble(me)), 'what is not sent stays')
    call check(all(abs(z - (1., 2.)) <= 0), 'cgebr2d_begin')
    call check(same(total(1), 2d0 * rows * columns), 'dgsum2d_begin')
    call check(bits(1) == 4 .and. bits(2) == merge(1, 3, rows * columns == 1), 'itior2d_begin')
    call check(all(largest == rows * columns - 1) .and. all(ra == rows - 1) .and. &
        all(ca == columns - 1), 'igamx2d_begin')
  end subroutine

  subroutine support()
    integer :: other, ids(2), map(1, count), k, prow, pcol, value, number
    double precision :: start, used, now
    start = dwalltime00()
    used = dcputime00()
    now = dwalltime00()
    call check(used > 0 .and. now >= start, 'times')
    call blacs_get(context, 1, ids)
    number = ksendid(context, 0, 0)
    call check(ids(1) <= number .and. number <= ids(2), 'id of a message')
    number = kbsid(context, 'R')
    call check(ids(1) <= number .and. number <= ids(2), 'id of a broadcast')
    call blacs_set(context, 12, 3)
    call blacs_get(context, 12, value)
    call check(value == 3, 'set and get')
    map(1, :) = [(count - k, k = 1, count)]
    call blacs_get(context, 10, other)
    call check(sys2blacs_handle(other) == other, 'sys2blacs_handle')
    call blacs_gridmap(other, map, 1, 1, count)
    call blacs_gridinfo(other, rows, columns, row, column)
    call check(column == count - 1 - me, 'gridmap')
    call blacs_pcoord(other, count - 1, prow, pcol)
    number = blacs_pnum(other, prow, pcol)
    call check(prow == 0 .and. number == count - 1, 'pcoord and pnum')
    call blacs_barrier(other, 'All')
    call blacs_freebuff(other, 1)
    call blacs_gridexit(other)
  end subroutine

  subroutine finish()
    integer :: sums(2)
    sums = [passed, failed]
    call igsum2d(context, 'All', ' ', 2, 1, sums, 2, -1, -1)
    if (me == 0) print '(i0, a, i0, a)', sums(1), ' passed, ', sums(2), ' failed'
    call blacs_gridexit(context)
    call blacs_exit(0)
    if (sums(2) /= 0) stop 1
  end subroutine
end program
