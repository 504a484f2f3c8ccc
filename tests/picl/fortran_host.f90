! A host in Fortran, with the module: sends pieces of a vector to the nodes (node.f), sets their
! topology, and checks what comes back.
!   picl_fortran_host NODEPROGRAM NODES TRACEFILE
program hostprogram
  use picl
  implicit none
  integer, parameter :: most = 64
  integer :: p, me, host, n, i, bytes, type, node, none, passed, failed, left, levels(3)
  integer :: nodes, mine, other, top, order, direction
  real :: whole(4 * most), part(4)
  double precision :: begun, sums(2)
  character(len=256) :: program, number, file

  passed = 0
  failed = 0
  call get_command_argument(1, program)
  call get_command_argument(2, number)
  call get_command_argument(3, file)
  read (number, *) p
  call message0('a host before open0')
  begun = clock0()
  call traceenable(file, 1)
  call tracelevel(3, 3, 3)
  call tracehost(100000, 0)
  call traceinfo(left, levels(1), levels(2), levels(3))
  call check(left > 100 .and. all(levels == 3), 'traceinfo')
  call check0(1)
  n = p
  call open0(n, me, host)
  call check(n == p .and. me == picl_host .and. host == picl_host, 'open0')
  call who0(nodes, mine, other)
  call check(nodes == p .and. mine == me .and. other == host, 'who0')
  call load0(program, -1)
  whole = [(i, i = 1, 4 * most)]
  do i = 0, p - 1
    call send0(whole(4 * i + 1), 16, 1, i)
  end do
  do i = 1, p
    call recv0(part, 16, 2)
    call recvinfo0(bytes, type, node)
    call check(bytes == 16 .and. type == 2, 'recvinfo0')
    call check(all(nint(part) == nint(2 * whole(4 * node + 1:4 * node + 4))), 'a part')
  end do
  do while (probe0(3) == 0)
  end do
  call recv0(i, 4, 3)
  call check(i == 33, 'a number')
  do i = 1, 4
    call getarc0(nodes, top, order, direction)
    nodes = p
    top = i
    order = picl_natural
    direction = picl_backward
    call setarc0(nodes, top, order, direction)
    sums = [0.5d0, dble(i)]
    call bcast0(sums, 16, 4, host)
    call gsum0(sums, 2, picl_double, 5, host)
    call check(abs(sums(1) - 0.5d0 * p) < 1d-9 .and. nint(sums(2)) == i * p * (p + 1) / 2, 'gsum0')
    call gcomb0(node, 1, picl_int, 6, host, nothing)
    call check(node == p - 1, 'gcomb0')
  end do
  none = 0
  call setarc0(none, top, order, direction)
  call tracemark(67)
  call tracemsg('a text of a host   ')
  call traceexit()
  call traceflush()
  call close0(1)
  call check(clock0() >= begun, 'clock0')
  call check(datasize0(picl_double) == 8, 'datasize0')
  call check(gray0(5) == 7 .and. ginv0(7) == 5, 'Gray numbers')
  print '(i0, a, i0, a)', passed, ' passed, ', failed, ' failed'
  if (failed > 0) stop 1
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(2a)', 'FAIL ', what
    end if
  end subroutine
  ! The host takes no part in combining.
  subroutine nothing(to, with, items, datatype)
    integer :: to(*), with(*), items, datatype
    if (items < 0) to(1) = with(1) + datatype
  end subroutine
end program
