! A Fortran MPI program: its own communicators (mpi_cart_create, mpi_comm_dup) are grids, and MPI's
! datatypes are taken as they are. Elements that a message must not touch stay as they were.
program mpi_types
  use mlacs
  implicit none
  include 'mpif.h'
  integer :: me, n, ierr, all, other, single, copy, passed = 0, failed = 0, sums(2), counts(2)

  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, n, ierr)
  call mpi_cart_create(MPI_COMM_WORLD, 2, [1, n], [.false., .true.], .false., all, ierr)
  call mpi_comm_dup(all, other, ierr)
  call grids(all)
  call grids(other)
  call mpi_cart_create(MPI_COMM_WORLD, 1, [n], [.false.], .false., single, ierr)
  call mpi_comm_dup(single, copy, ierr)
  call line(single)
  call line(copy)
  call bytes(all)
  call types(other)
  counts = [passed, failed]
  call mpi_reduce(counts, sums, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(i0,a,i0,a)', sums(1), ' passed, ', sums(2), ' failed'
  call mpi_comm_free(all, ierr)
  call mpi_comm_free(other, ierr)
  call mpi_comm_free(single, ierr)
  call mpi_comm_free(copy, ierr)
  call mpi_finalize(ierr)

contains

  include 'check.inc'

  subroutine grids(comm)
    integer, intent(in) :: comm
    integer :: nrow, ncol, row, col, mine(1), total(1), error
    call mlacs_gridinfo(comm, nrow, ncol, row, col, error)
    call check(error == MLACS_SUCCESS .and. nrow == 1 .and. ncol == n .and. col == me, 'gridinfo')
    mine = me
    call mlacs_allreduce_sum(mine, total, 1, 1, 1, MPI_INTEGER, comm, error)
    call check(error == MLACS_SUCCESS .and. total(1) == n * (n - 1) / 2, 'a sum of MPI_INTEGER')
  end subroutine

  subroutine line(comm)
    integer, intent(in) :: comm
    integer :: mine(1), got(1), before, error
    type(mlacs_status) :: status
    mine = 7 * me
    before = mod(me + n - 1, n)
    call mlacs_send(mine, 1, 1, 1, MPI_INTEGER, MLACS_IGNORE, mod(me + 1, n), 4, comm, error)
    call check(error == MLACS_SUCCESS, 'send on a line')
    call mlacs_recv(got, 1, 1, 1, MPI_INTEGER, 0, before, 4, comm, status, error)
    call check(error == MLACS_SUCCESS .and. got(1) == 7 * before, 'recv on a line')
    call check(status%row == MLACS_IGNORE .and. status%column == before, 'the status on a line')
  end subroutine

  ! MPI_BYTE is 1 in Open MPI, and MLACS_REAL was.
  subroutine bytes(comm)
    integer, intent(in) :: comm
    character(len=16) :: a, b
    type(mlacs_status) :: s
    integer :: error
    a = 'abcdefghijklmnop'
    b = '................'
    call mlacs_send(a, 4, 4, 1, MPI_BYTE, 0, me + 1, 1, comm, error)
    call check(error == MLACS_SUCCESS, 'send of MPI_BYTE')
    call mlacs_recv(b, 4, 4, 1, MPI_BYTE, 0, mod(me + n - 1, n), 1, comm, s, error)
    call check(error == MLACS_SUCCESS .and. b == 'abcd............', 'four of MPI_BYTE are ' // b)
    call check(s%type == MLACS_BYTE .and. s%count == 4, 'the status of MPI_BYTE')
  end subroutine

  subroutine types(comm)
    integer, intent(in) :: comm
    integer, parameter :: theirs(12) = [MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_COMPLEX, &
      MPI_DOUBLE_COMPLEX, MPI_BYTE, MPI_INTEGER4, MPI_REAL4, MPI_REAL8, MPI_COMPLEX8, MPI_COMPLEX16, &
      MPI_CHARACTER]
    integer, parameter :: ours(12) = [MLACS_INTEGER, MLACS_REAL, MLACS_DOUBLE_PRECISION, &
      MLACS_COMPLEX, MLACS_DOUBLE_COMPLEX, MLACS_BYTE, MLACS_INTEGER, MLACS_REAL, &
      MLACS_DOUBLE_PRECISION, MLACS_COMPLEX, MLACS_DOUBLE_COMPLEX, MLACS_BYTE]
    integer, parameter :: long(12) = [4, 4, 8, 8, 16, 1, 4, 4, 8, 8, 16, 1]
    integer, parameter :: wrong(4) = [MPI_DATATYPE_NULL, MPI_LOGICAL, MPI_2INTEGER, 5000]
    character(len=64) :: a, b
    type(mlacs_status) :: s
    integer :: error, k, i
    do i = 1, 64
      a(i:i) = achar(32 + i)
    end do
    do k = 1, 12
      b = ' '
      ! One side names MPI's type, the other the module's, by turns.
      call mlacs_send(a, 3, 3, 1, merge(theirs(k), ours(k), mod(k, 2) == 0), 0, me, 2, comm, error)
      call check(error == MLACS_SUCCESS, 'send')
      call mlacs_recv(b, 3, 3, 1, merge(theirs(k), ours(k), mod(k, 2) == 1), 0, me, 2, comm, s, error)
      call check(error == MLACS_SUCCESS .and. s%type == ours(k) .and. s%count == 3, 'recv')
      call check(b(:3 * long(k)) == a(:3 * long(k)) .and. b(3 * long(k) + 1:) == ' ', &
        'three elements of a type')
    end do
    do k = 1, size(wrong)
      call mlacs_send(a, 1, 1, 1, wrong(k), 0, me, 3, comm, error)
      call check(error == MLACS_ERR_TYPE, 'no type of ours')
    end do
  end subroutine
end program
