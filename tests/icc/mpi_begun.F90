! Calls that do not wait and persistent ones from Fortran: with the module mpi, with mpi_f08 (F08) or
! with mpif.h (MPIF). Open MPI 4 has the persistent ones as mpix_ (MPIX).
#ifdef MPIX
#define ALLREDUCE_INIT mpix_allreduce_init
#define BCAST_INIT mpix_bcast_init
#else
#define ALLREDUCE_INIT mpi_allreduce_init
#define BCAST_INIT mpi_bcast_init
#endif
#ifdef F08
#define REQUEST type(MPI_Request)
#define COMM type(MPI_Comm)
#define TYPE type(MPI_Datatype)
#define ANY_STATUS type(MPI_Status)
#define STATUSES(n) statuses(n)
#define ONE_STATUS status
#else
#define REQUEST integer
#define COMM integer
#define TYPE integer
#define ANY_STATUS integer
#define STATUSES(n) statuses(MPI_STATUS_SIZE, n)
#define ONE_STATUS status(MPI_STATUS_SIZE)
#endif
program begun
#if defined(F08)
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer, parameter :: rounds = 3, calls = 5
  integer :: me, n, i, round, ierr, failed, passed, index
  integer :: indices(calls)
  double precision, asynchronous :: x(100), sums(100), most(100), word(100)
  integer, asynchronous, allocatable :: all(:), give(:), get(:)
  integer, asynchronous :: text, got
  logical :: flag
  REQUEST :: r(calls), p(2)
  COMM :: comm
  TYPE :: every_other
  ANY_STATUS :: STATUSES(calls), ONE_STATUS

  call begin()
  call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
  allocate(all(n), give(n), get(n))

  ! Each ended by another call.
  do round = 1, rounds
    call fill()
    call mpi_ibcast(word, 100, MPI_DOUBLE_PRECISION, n - 1, comm, r(1), ierr)
    call mpi_iallreduce(x, sums, 100, MPI_DOUBLE_PRECISION, MPI_SUM, comm, r(2), ierr)
    call mpi_iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, comm, r(3), ierr)
    call mpi_ialltoall(give, 1, MPI_INTEGER, get, 1, MPI_INTEGER, comm, r(4), ierr)
    call mpi_ibarrier(comm, r(5), ierr)
    if (round == 1) then
      call mpi_waitall(calls, r, statuses, ierr)
    else if (round == 2) then
      do i = calls, 1, -1
        call mpi_wait(r(i), status, ierr)
      end do
    else
      do while (.not. all_null(r, calls))
        call mpi_waitany(2, r, index, status, ierr)
        call mpi_testsome(3, r(3:5), i, indices, statuses, ierr)
      end do
    end if
    call check(all_null(r, calls), 'requests that have ended')
    call look()
  end do

  ! With a message, which is the library's, and a type with gaps, which goes before the end.
  call fill()
  text = me
  got = -1
  call mpi_type_vector(50, 1, 2, MPI_DOUBLE_PRECISION, every_other, ierr)
  call mpi_type_commit(every_other, ierr)
  call mpi_irecv(got, 1, MPI_INTEGER, mod(me + n - 1, n), 4, comm, r(1), ierr)
  call mpi_ibcast(word, 1, every_other, n - 1, comm, r(2), ierr)
  call mpi_isend(text, 1, MPI_INTEGER, mod(me + 1, n), 4, comm, r(3), ierr)
  call mpi_type_free(every_other, ierr)
  flag = .false.
  do while (.not. flag)
    call mpi_testall(3, r, flag, MPI_STATUSES_IGNORE, ierr)
  end do
  call check(got == mod(me + n - 1, n), 'a message among them')
  call check(all_are(word(1:99:2), 7d0), 'ibcast of a type with gaps')
  call check(all_are(word(2:100:2), merge(7d0, 0d0, me == n - 1)), 'what stands between')

  ! Persistent ones.
  call ALLREDUCE_INIT(x, most, 100, MPI_DOUBLE_PRECISION, MPI_MAX, comm, MPI_INFO_NULL, p(1), ierr)
  call BCAST_INIT(word, 100, MPI_DOUBLE_PRECISION, 0, comm, MPI_INFO_NULL, p(2), ierr)
  do round = 1, rounds
    x = me * round
    word = merge(dble(round), -1d0, me == 0)
    if (round == 1) then
      call mpi_startall(2, p, ierr)
      call mpi_waitall(2, p, MPI_STATUSES_IGNORE, ierr)
    else
      call mpi_start(p(2), ierr)
      call mpi_start(p(1), ierr)
      call mpi_wait(p(1), MPI_STATUS_IGNORE, ierr)
      flag = .false.
      do while (.not. flag)
        call mpi_test(p(2), flag, MPI_STATUS_IGNORE, ierr)
      end do
    end if
    call check(all_are(most, dble((n - 1) * round)), 'allreduce_init')
    call check(all_are(word, dble(round)), 'bcast_init')
    call check(.not. all_null(p, 1), 'a persistent request stays')
  end do
  call mpi_request_free(p(1), ierr)
  call mpi_request_free(p(2), ierr)
  call check(all_null(p, 2), 'persistent requests that are freed')

  call mpi_comm_free(comm, ierr)
  call finish()

contains
  subroutine fill()
    x = me + 1
    word = merge(7d0, 0d0, me == n - 1)
    sums = -1
    all = -1
    all(me + 1) = me
    give = [(10 * me + i, i = 0, n - 1)]
    get = -1
  end subroutine

  subroutine look()
    call check(all_are(word, 7d0), 'ibcast')
    call check(all_are(sums, n * (n + 1) / 2d0), 'iallreduce')
    call check(sum(all) == n * (n - 1) / 2, 'iallgather in place')
    call check(sum(get) == 10 * n * (n - 1) / 2 + n * me, 'ialltoall')
  end subroutine

  logical function all_are(values, wanted)
    double precision, intent(in) :: values(:), wanted
    all_are = maxval(abs(values - wanted)) <= 0
  end function

  logical function all_null(requests, count)
    integer, intent(in) :: count
    REQUEST, intent(in) :: requests(count)
    integer :: k
    all_null = .true.
    do k = 1, count
      all_null = all_null .and. requests(k) == MPI_REQUEST_NULL
    end do
  end function

  include 'mpi_check.inc'
end program
